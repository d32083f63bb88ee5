import type { EntityManager } from '@mikro-orm/postgresql'
import { walPosition } from '../database/standby/position.ts'
import { kyselyOver } from '../database/transaction.ts'
import type { QueryContext, StandbyReads } from '../operations/context/context.ts'
import { type CallContext, isList, type Operation } from '../operations/operations.ts'
import { emFor, queryContext } from './unit.ts'

/**
 * Whether a standby may serve what an operation reads: lists, searches, exports and reports, which read many rows. A single object, a
 * balance, a pay page and an event stream are read from the primary, as everything that commands read.
 */
export const readsManyRows = (operation: Operation): boolean => {
  const { query, meta } = operation
  if (operation.completeList || meta.produces === 'csv') return true
  const isReport = meta.openapi?.tags?.includes('Reports') === true
  return query !== undefined && !meta.callsProvider && (isReport || isList(operation))
}

/**
 * The context of an operation that reads: nothing else decides which server serves it. Each statement of an operation that reads many rows is
 * served by the standby, if there is one and it can, else by the primary.
 */
export function contextOf(operation: Operation, { runtime, actor, log, position: given }: CallContext): QueryContext {
  const { standby, pool, priorityPool } = runtime
  if (!standby || !readsManyRows(operation)) return queryContext(runtime, actor, log)
  let position = given && Promise.resolve(given)
  const reads: StandbyReads = {
    ...standby,
    position() {
      position ??= walPosition(priorityPool)
      return position
    },
  }
  // Each statement is a transaction of its own, as it is on the pool of the primary.
  async function execute(text: string, values: readonly unknown[]): Promise<{ rows: object[] }> {
    const served = await reads.query(text, values, await reads.position())
    return served ?? (await pool.query(text, [...values]))
  }
  let em: EntityManager | undefined
  return {
    ...{ runtime, actor, log, standby: reads },
    get em() {
      if (!em) {
        em = emFor(runtime, actor)
        em.setTransactionContext(kyselyOver(execute))
      }
      return em
    },
  }
}
