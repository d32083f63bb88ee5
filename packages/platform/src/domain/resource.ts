import type { EntityName, EntitySchema, FilterOptions, FilterQuery } from '@mikro-orm/core'
import { LockMode } from '@mikro-orm/core'
import { type ErrorFactory, isId, type LedgerEntry, type Machine, risingAfter, type Tenant } from '@payments/kernel'
import type { UnitOfWork } from '../operations/context/context.ts'
import { histograms } from '../operations/context/histograms.ts'
import type { Variant } from './lifecycle.ts'

/** The columns that every resource with a status has. */
export interface Row extends Tenant {
  readonly id: string
  status: string
  createdAt: Date
  updatedAt: Date
}

/** Event types of a resource. `also`: status → a type that is sent beside `updated` when the status is reached. */
interface ResourceEvents {
  readonly created: string
  readonly updated: string
  readonly also?: Readonly<Record<string, string>>
}

/** A resource: its state table, its entity, its public shape, and its event types. */
export interface Resource<R extends Row, S extends string = string, E extends string = string> {
  readonly machine: Machine<S, E>
  // biome-ignore lint/suspicious/noExplicitAny: the schema that `defineEntity` returns cannot be typed by R
  readonly entity: EntitySchema<any, any, any>
  readonly table: string
  /** Where several resources share the table: the column that tells them apart, and this resource's value in it. */
  readonly variant?: Variant
  /** Filters of the entity that are switched on or off when a row of this resource is read or changed. */
  readonly filters?: FilterOptions
  readonly events: ResourceEvents | null
  /** True for a row that is a part of another domain's object: it has neither events nor an entry of its own. */
  hidden?(row: R): boolean
  /** A row as its GET shows it. Events contain the same. */
  present(row: R): Record<string, unknown>
  /** The row as an entry of the unified list of transactions; absent or undefined for what does not appear there (yet). */
  entry?(row: R): LedgerEntry | undefined
}

/** Defines a resource. The row's type is inferred from `present`. */
export const resource = <R extends Row, S extends string, E extends string>(
  definition: Resource<R, S, E>,
): Resource<R, S, E> => definition

/** Inserts a row in its initial state and records the change. The caller sets every column except status and times. */
export function createResource<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  values: Omit<R, 'status' | 'createdAt' | 'updatedAt'>,
): R {
  const at = new Date()
  const row = { ...values, status: of.machine.initial, createdAt: at, updatedAt: at } as unknown as R
  unit.insert(of.entity, row as never)
  record(unit, of, row, null, at)
  logChange(unit, of, row, null, 'create')
  return row
}

/** The effect of an event on a row. `ignored`: its state has no edge for the event, as with a late or repeated report. */
export type Moved<R> = { readonly row: R; readonly outcome: 'moved' | 'ignored' }

/**
 * Locks the row and applies an event to it, as {@link moveLocked} does.
 * @throws `missing` when the actor's tenant has no such row.
 */
export async function move<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  id: string,
  event: E,
  missing: ErrorFactory,
  fields: Partial<R> = {},
): Promise<Moved<R>> {
  return moveLocked(unit, of, await locked(unit, of, id, missing), event, fields)
}

/**
 * The only writer of a status. Applies the event, sets the fields and records the change, in the caller's transaction.
 * @param row as the caller has {@link locked} or last changed it in this transaction
 */
export async function moveLocked<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  row: R,
  event: E,
  fields: Partial<R> = {},
): Promise<Moved<R>> {
  const to = of.machine.step(row.status as S, event)
  if (to === undefined) return { row, outcome: 'ignored' }
  const previous = row.status
  const moved = await updateRow<R>(unit, of.entity, row, { ...fields, status: to })
  const at = moved.updatedAt
  record(unit, of, moved, previous, at, event.startsWith(CORRECTION))
  const labels = {
    environment: row.environment,
    object: of.table,
    provider: providerOf(row),
    status: previous,
    next: to,
  }
  const seconds = (at.getTime() - row.updatedAt.getTime()) / 1000
  unit.afterCommit(() => histograms.statuses.observe(labels, seconds))
  logChange(unit, of, moved, previous, event)
  return { row: moved, outcome: 'moved' }
}

/** A change of a status, as the log tells it. `cause` is the event of the state table; `organisationId` is null for what is nobody's yet. */
export interface StatusChange extends Pick<Row, 'id'> {
  /** The table. */
  readonly object: string
  readonly organisationId: string | null
  readonly environment: string
  readonly from: string | null
  readonly to: string
  readonly cause: string
}

/** One line for each change of a status that is committed; of a request, with its id. Writers of tables that are no resources call it themselves. */
export function logStatusChange(unit: Pick<UnitOfWork, 'log' | 'afterCommit'>, change: StatusChange): void {
  unit.afterCommit(() => unit.log.info(change, 'status changed'))
}

function logChange(
  unit: UnitOfWork,
  of: Pick<Resource<Row>, 'table'>,
  row: Row,
  from: string | null,
  cause: string,
): void {
  const { id, organisationId, environment, status } = row
  logStatusChange(unit, { object: of.table, id, organisationId, environment, from, to: status, cause })
}

/** Events of corrections alone begin so: an operator has recorded another outcome than the one that led to the state. */
const CORRECTION = 'correct_'

/** The provider that the row stores; empty where no provider carries the object. */
const providerOf = (row: Row): string => ('provider' in row && typeof row.provider === 'string' ? row.provider : '')

/**
 * The row of the actor's tenant, locked until the transaction ends.
 * @throws `missing` when the actor's tenant has no such row.
 */
export async function locked<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  id: string,
  missing: ErrorFactory,
): Promise<R> {
  const row = isId(id)
    ? await unit.em.findOne(of.entity as EntityName<R>, { id } as FilterQuery<R>, {
        lockMode: LockMode.PESSIMISTIC_WRITE,
        refresh: true,
        ...(of.filters ? { filters: of.filters } : {}),
      })
    : null
  if (!row) throw missing()
  return { ...(row as R) }
}

/**
 * Who is told of a change that leaves the status: the list of transactions, where the resource has an entry there; with its event, which
 * has the status as `previousStatus` too; or with an event that says that an operator has corrected what had been recorded.
 */
export type Told = 'list' | 'event' | 'correction'

/** Changes columns of a locked row without a change of its status, and tells of it, in the caller's transaction. */
export async function updateResource<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  row: R,
  fields: Partial<Omit<R, 'status'>>,
  told: Told = 'list',
): Promise<R> {
  const next = await updateRow<R>(unit, of.entity, row, fields as Partial<R>)
  if (told !== 'list') record(unit, of, next, next.status, next.updatedAt, told === 'correction')
  else if (!of.hidden?.(next)) {
    const entry = of.entry?.(next)
    if (entry) unit.record({ ...changeOf(of, next, next.status, next.updatedAt), type: null, entry })
  }
  return next
}

/** The one way to change a locked row of a tenant: its `updatedAt` rises, so that whoever reads it can tell which state is the later one. */
export async function updateRow<R extends { readonly id: string; updatedAt: Date }>(
  unit: UnitOfWork,
  entity: Resource<Row>['entity'],
  row: R,
  fields: Partial<R>,
): Promise<R> {
  const changes = { ...fields, updatedAt: risingAfter(row.updatedAt) }
  await unit.update(entity, row, changes as never)
  return { ...row, ...changes }
}

const changeOf = <R extends Row, S extends string, E extends string>(
  of: Resource<R, S, E>,
  row: R,
  previousStatus: string | null,
  at: Date,
) => ({
  organisationId: row.organisationId,
  environment: row.environment,
  resourceId: row.id,
  status: row.status,
  previousStatus,
  data: of.present(row),
  createdAt: row.createdAt,
  at,
})

function record<R extends Row, S extends string, E extends string>(
  unit: UnitOfWork,
  of: Resource<R, S, E>,
  row: R,
  previousStatus: string | null,
  at: Date,
  correction = false,
): void {
  if (of.hidden?.(row)) return
  const entry = of.entry?.(row)
  if (!of.events && !entry) return
  const change = { ...changeOf(of, row, previousStatus, at), ...(correction ? { correction } : {}) }
  const type = (previousStatus === null ? of.events?.created : of.events?.updated) ?? null
  unit.record({ ...change, type, ...(entry ? { entry } : {}) })
  const also = previousStatus === row.status ? undefined : of.events?.also?.[row.status]
  if (also !== undefined) unit.record({ ...change, type: also })
}
