import type { EntityManager } from '@mikro-orm/postgresql'
import { type Actor, type Change, system, type Tenant } from '@payments/kernel'
import { asBusy, isStalePlan, sqlState } from '../database/errors.ts'
import { type SqlExecutor, sqlOf } from '../database/sql.ts'
import { Transaction } from '../database/transaction.ts'
import { type ChangedRow, changedRow, type NewRow, newRow, type Written } from '../database/written.ts'
import { domainsOf } from '../domain/domain.ts'
import type { Effect, GatheredCall, QueryContext, Runtime, UnitOfWork } from '../operations/context/context.ts'
import type { Log } from '../settings/log.ts'
import { traced } from '../settings/traces.ts'
import { canShare, commitTogether } from './commits/group.ts'
import { type Gathered, joined, type Writes } from './commits/statement.ts'

/** An entity manager that reads rows of the actor's organisation and environment only. */
export function emFor(runtime: Runtime, actor: Tenant): EntityManager {
  const em = runtime.orm.em.fork()
  em.setFilterParams('tenant', { organisationId: actor.organisationId, environment: actor.environment })
  return em
}

/** The context of a reading handler. The entity manager is created on first use, because many commands never read. */
export function queryContext(runtime: Runtime, actor: Actor, log: Log = runtime.log): QueryContext {
  let em: EntityManager | undefined
  return {
    runtime,
    actor,
    log,
    get em() {
      em ??= emFor(runtime, actor)
      return em
    },
  }
}

/** The same unit of work with another actor: the service itself, acting for another organisation. Operator procedures use it. */
export function actingFor(unit: UnitOfWork, { organisationId, environment }: Tenant): UnitOfWork {
  unit.em.setFilterParams('tenant', { organisationId, environment })
  return { ...unit, actor: system(organisationId, environment) }
}

/** A unit of work with the functions that end it. */
export interface OpenUnit extends UnitOfWork {
  /** Sends everything that waits for the commit, so that a constraint that it violates is reported, without committing. */
  check(): Promise<void>
  /**
   * Commits everything. `last` is sent with the commit and must return a row; otherwise the unit is rolled back with
   * {@link LastStatementEmpty}. A reply that is stored under a key that another request has used returns no row.
   */
  commit(last?: Written): Promise<void>
  rollback(): Promise<void>
}

/** A change of an object, as a dry run shows it. */
function effectOf({ resourceId, previousStatus, status, type }: Change): Effect {
  const move = previousStatus === null ? `created as ${status}` : `${previousStatus} → ${status}`
  return { kind: 'change', resourceId, summary: type ? `${type}: ${move}` : move }
}

/** The unit of work, with its effects added to `effects` as in a dry run, although it commits. */
export const observed = (unit: UnitOfWork, effects: Effect[]): UnitOfWork => ({
  ...unit,
  effects,
  record(change) {
    effects.push(effectOf(change))
    unit.record(change)
  },
})

/** The last statement of a unit wrote no row, so nothing was committed. */
export class LastStatementEmpty extends Error {
  override name = 'LastStatementEmpty'
}

/** Opens a unit of work. The caller ends it with `commit` or `rollback`, inside {@link retried}. */
export function openUnit({ runtime, actor, log }: Omit<QueryContext, 'em'>, effects?: Effect[]): OpenUnit {
  const callbacks: (() => void)[] = []
  const appended = new Map<string | symbol, Written>()
  const inserts: NewRow[] = []
  const insertedInto = new Set<string>()
  const changed = new Map<string, ChangedRow>()
  const gathered = new Map<string, Gathered>()
  /** What is written before the next direct statement. */
  const takeRows = (): Written[] => {
    const rows = [...inserts.splice(0), ...changed.values()]
    changed.clear()
    insertedInto.clear()
    return rows
  }
  const takeCalls = (): Gathered[] => {
    const calls = [...gathered.values()]
    gathered.clear()
    return calls
  }
  async function sendNow(written: readonly Written[]): Promise<void> {
    const calls = takeCalls()
    if (written.length + calls.length === 0) return
    const { text, values } = joined({ written, calls, last: [] })
    await transaction.insert(text, values).catch((error: unknown) => {
      throw errorOf(error, calls)
    })
  }
  // The handler's statements must see the rows that it wrote before.
  const transaction = new Transaction(runtime.pool, () => sendNow(takeRows()))
  let em: EntityManager | undefined

  const unit: OpenUnit = {
    runtime,
    actor,
    log,
    // Many commands neither read nor lock.
    get em() {
      if (!em) {
        em = emFor(runtime, actor)
        em.setTransactionContext(transaction.db)
      }
      return em
    },
    ...(effects ? { effects } : {}),
    insert(entity, row) {
      inserts.push(newRow(runtime, entity, row))
      insertedInto.add(entity.meta.tableName)
    },
    async update(entity, key, changes) {
      const change = changedRow(runtime, entity, key, changes)
      // One statement cannot write a row twice, nor change what it inserts.
      if (changed.has(change.row) || insertedInto.has(entity.meta.tableName)) await sendNow(takeRows())
      changed.set(change.row, change)
    },
    record(change) {
      effects?.push(effectOf(change))
      for (const { work } of domainsOf(runtime)) {
        for (const { statement, key, trigger } of work?.recorder?.(change, runtime) ?? []) {
          unit.appendToCommit(statement, key)
          if (trigger) unit.afterCommit(() => runtime.trigger(trigger))
        }
      }
    },
    appendToCommit: (statement, key: string | symbol = Symbol()) => void appended.set(key, statement),
    gather(call, item) {
      const { items } = gathered.get(call.key) ?? { items: [] }
      gathered.set(call.key, { call: call as GatheredCall<unknown>, items: [...items, item] })
    },
    async enqueue(job, data, options) {
      await runtime.boss.send(job.name, job.data.parse(data), {
        ...options,
        db: { executeSql: (text, values = []) => transaction.query(text, values) },
      })
    },
    afterCommit: (callback) => void callbacks.push(callback),
    check: () => sendNow([...takeRows(), ...appended.values()]),
    async commit(last) {
      const writes: Writes = {
        written: [...takeRows(), ...appended.values()],
        calls: takeCalls(),
        last: last ? [last] : [],
      }
      const isEmpty = writes.written.length + writes.calls.length + writes.last.length === 0
      try {
        if (isEmpty) await transaction.commit()
        else if (transaction.isOpen || !canShare(writes)) await transaction.commit(joined(writes))
        else await commitTogether(runtime.pool, actor, writes)
      } catch (error) {
        if (last && sqlState(error) === DIVISION_BY_ZERO) throw new LastStatementEmpty('Nothing written')
        throw errorOf(error, writes.calls)
      }
      if (!isEmpty) runtime.database.written()
      for (const callback of callbacks) callback()
    },
    rollback: () => transaction.rollback(),
  }
  return unit
}

const errorOf = (error: unknown, calls: readonly Gathered[]): unknown =>
  calls.reduce((found, { call, items }) => call.errorOf(found, items), error)

const DIVISION_BY_ZERO = '22012'
const DEADLOCK = '40P01'
const ATTEMPTS = 3

/** Retries a unit that failed with a deadlock or a stale plan, up to three attempts in total, and turns what is left of it into a 503. */
async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if ((sqlState(error) !== DEADLOCK && !isStalePlan(error)) || attempt === ATTEMPTS) throw asBusy(error)
    }
  }
}

/**
 * Runs one unit of work: everything that `handler` writes, records, appends and enqueues commits together or not at all. It
 * uses one connection, from its first statement to the commit. With `last`, the handler returns the last statement, which is
 * sent with the commit (see {@link OpenUnit.commit}).
 */
export const runUnit = <T extends object>(
  context: Omit<QueryContext, 'em'>,
  handler: (unit: UnitOfWork) => Promise<T & { readonly last?: Written }>,
): Promise<T> =>
  traced('unit of work', {}, () =>
    retried(async () => {
      const unit = openUnit(context)
      try {
        const result = await handler(unit)
        await unit.commit(result.last)
        return result
      } catch (error) {
        await unit.rollback()
        throw error
      }
    }),
  )

/**
 * Runs a unit of work to its end and rolls it back.
 * @returns what it would have done, the changes of objects with their events and the entries of the journal, and its result.
 */
export const dryRun = <T>(
  context: Omit<QueryContext, 'em'>,
  handler: (unit: UnitOfWork) => Promise<T>,
): Promise<{ effects: Effect[]; reply: T }> =>
  retried(async () => {
    const effects: Effect[] = []
    const unit = openUnit(context, effects)
    try {
      const reply = await handler(unit)
      await unit.check()
      return { effects, reply }
    } finally {
      await unit.rollback()
    }
  })

/** {@link runUnit} without a last statement: for jobs and tasks. */
export async function unitOfWork<T>(
  context: Omit<QueryContext, 'em'>,
  handler: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  const { data } = await runUnit(context, async (unit) => ({ data: await handler(unit) }))
  return data
}

/** {@link Runtime.lookups}; in a unit of work its transaction, whose statements see what it has written. */
export const lookupsOf = (context: QueryContext | UnitOfWork): SqlExecutor =>
  'gather' in context ? sqlOf(context.em) : context.runtime.lookups
