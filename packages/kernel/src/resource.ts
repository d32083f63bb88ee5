import type { EntityName, EntitySchema, FilterQuery, RequiredEntityData } from '@mikro-orm/core'
import { LockMode } from '@mikro-orm/core'
import type { LedgerEntry } from './change.ts'
import { risingAfter } from './clock.ts'
import type { Tenant, Work } from './context.ts'
import { isId } from './ids.ts'
import type { RefusalMaker } from './refusals.ts'
import type { Machine } from './states.ts'

/** The columns that every resource with a status has. */
export interface Row extends Tenant {
  readonly id: string
  status: string
  createdAt: Date
  updatedAt: Date
}

/** What makes a resource: its table of states, its table of rows, its public shape, and what its changes are called. */
export interface Resource<R extends Row, S extends string = string, E extends string = string> {
  readonly machine: Machine<S, E>
  readonly entity: EntityName<R>
  readonly table: string
  readonly events: { readonly created: string; readonly updated: string } | null
  /** A row as its GET shows it. Events carry the same. */
  present(row: R): Record<string, unknown>
  /** The row as an entry of the unified list; absent for resources that are none. */
  entry?(row: R): LedgerEntry
}

/** Defines a resource. The row's type comes from `present`; the schema that `defineEntity` made is not generic enough to say it. */
export const resource = <R extends Row, S extends string, E extends string>({
  entity,
  ...definition
}: Omit<Resource<R, S, E>, 'entity'> & {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly entity: EntitySchema<any, any, any>
}): Resource<R, S, E> => ({ ...definition, entity: entity as EntityName<R> })

/** Writes a new row in its initial state and records the change. The caller fills every column but status and times. */
export async function open<R extends Row, S extends string, E extends string>(
  work: Work,
  of: Resource<R, S, E>,
  values: Omit<RequiredEntityData<R>, 'status' | 'createdAt' | 'updatedAt'>,
): Promise<R> {
  const at = new Date()
  const row = { ...values, status: of.machine.initial, createdAt: at, updatedAt: at } as unknown as R
  await work.em.insert(of.entity, row as RequiredEntityData<R>)
  await record(work, of, row, null, at)
  return row
}

/** What became of an event. `ignored`: the row's state has no edge for it, as with a late or repeated report. */
export type Moved<R> = { readonly row: R; readonly outcome: 'moved' | 'ignored' }

/**
 * The only writer of a status. Locks the row, steps the machine, sets the fields and records the change, in the
 * caller's transaction. `set` may look at the locked row.
 * @throws the refusal `missing` when the row does not exist for this actor.
 */
export async function move<R extends Row, S extends string, E extends string>(
  work: Work,
  of: Resource<R, S, E>,
  id: string,
  event: E,
  missing: RefusalMaker,
  set: Partial<R> | ((row: R) => Partial<R>) = {},
): Promise<Moved<R>> {
  const row = await locked(work, of, id, missing)
  const to = of.machine.step(row.status as S, event)
  if (to === undefined) return { row, outcome: 'ignored' }
  const at = risingAfter(row.updatedAt)
  const fields = typeof set === 'function' ? set(row) : set
  const previous = row.status
  const changes = { ...fields, status: to, updatedAt: at }
  await work.em.nativeUpdate(of.entity, { id: row.id } as FilterQuery<R>, changes as never)
  const moved = { ...row, ...changes } as R
  await record(work, of, moved, previous, at)
  return { row: moved, outcome: 'moved' }
}

/** The row of this actor's organisation and environment, locked until the transaction ends. */
export async function locked<R extends Row, S extends string, E extends string>(
  work: Work,
  of: Resource<R, S, E>,
  id: string,
  missing: RefusalMaker,
): Promise<R> {
  const row = isId(id)
    ? await work.em.findOne(of.entity, { id } as FilterQuery<R>, {
        lockMode: LockMode.PESSIMISTIC_WRITE,
        refresh: true,
      })
    : null
  if (!row) throw missing()
  return { ...(row as R) }
}

async function record<R extends Row, S extends string, E extends string>(
  work: Work,
  of: Resource<R, S, E>,
  row: R,
  previousStatus: string | null,
  at: Date,
): Promise<void> {
  const entry = of.entry?.(row)
  if (!of.events && !entry) return
  await work.record({
    type: (previousStatus === null ? of.events?.created : of.events?.updated) ?? '',
    organisationId: row.organisationId,
    environment: row.environment,
    resourceId: row.id,
    status: row.status,
    previousStatus,
    data: of.present(row),
    createdAt: row.createdAt,
    at,
    ...(entry ? { entry } : {}),
  })
}
