import { isId, type Tenant } from '@payments/kernel'
import { sqlOf } from '../../database/sql.ts'
import type { AnonymisedCustomer } from '../../domain/data.ts'
import { domainsOf } from '../../domain/domain.ts'
import type { QueryContext, UnitOfWork } from '../../operations/context/context.ts'
import { totalSql } from '../counts.ts'
import { SHOWN } from './entity.ts'

const NEWEST = 200
/** How many matches a search counts. */
const COUNTED = 10_000

/** A row of the log, without its bodies. */
export interface RequestRow {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly request_id: string
  readonly key_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
  readonly idempotency_key: string | null
  readonly replayed: boolean
  readonly error_code: string | null
  readonly resource_id: string | null
  readonly created_at: Date | string
}

const COLUMNS = `id, method, path, status, duration_ms, request_id, key_id, ip, user_agent, idempotency_key, replayed, error_code,
  resource_id, created_at`

/** What a request must be to be found: all that is named, and one of those in a list. */
export interface RequestFilters {
  readonly methods?: readonly string[] | undefined
  readonly path?: string | undefined
  readonly statusFrom?: number | undefined
  readonly statusTo?: number | undefined
  readonly statuses?: readonly number[] | undefined
  readonly apiKeyId?: string | undefined
  readonly requestId?: string | undefined
  readonly idempotencyKeys?: readonly string[] | undefined
  readonly resourceId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The SQL of each filter, with its value in place of `?`. */
const CONDITIONS: Readonly<Record<keyof RequestFilters, string>> = {
  methods: 'method = any (?::text[])',
  path: 'path = ?::text',
  statusFrom: 'status >= ?::smallint',
  statusTo: 'status <= ?::smallint',
  statuses: 'status = any (?::smallint[])',
  apiKeyId: 'key_id = ?::uuid',
  requestId: 'request_id = ?::text',
  idempotencyKeys: 'idempotency_key = any (?::text[])',
  resourceId: 'resource_id = ?::uuid',
  from: 'created_at >= ?::timestamptz',
  to: 'created_at < ?::timestamptz',
}

/** The newest 200 requests of the actor's tenant, and the exact number of all. */
export async function listRequests(context: QueryContext): Promise<{ rows: RequestRow[]; total: number }> {
  const { organisationId, environment } = context.actor
  const db = sqlOf(context.em)
  const { rows } = await db.query<RequestRow & { all_rows: string }>(
    `select n.all_rows, t.* from (select ${totalSql('request_log')} as all_rows) n
       left join (select ${COLUMNS} from request_log where organisation_id = $1 and environment = $2 and ${SHOWN}
                   order by created_at desc, id desc limit ${NEWEST}) t on true
      order by t.created_at desc, t.id desc`,
    [organisationId, environment],
  )
  return { rows: rows.filter(({ id }) => id !== null), total: Number(rows[0]?.all_rows) }
}

/**
 * A page of the requests that fit, newest first, which begins behind the request with the id `before`, and the number of all; null where
 * more than 10,000 fit, which are not counted. Undefined where the tenant has no request `before`.
 */
export async function searchRequests(
  { actor, em }: QueryContext,
  filters: RequestFilters,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<{ rows: RequestRow[]; total: number | null } | undefined> {
  const db = sqlOf(em)
  const values: unknown[] = [actor.organisationId, actor.environment]
  const value = (each: unknown): string => `$${values.push(each)}`
  const named = Object.entries(filters) as [keyof RequestFilters, unknown][]
  const conditions = named.flatMap(([name, each]) =>
    each === undefined ? [] : [CONDITIONS[name].replace('?', () => value(each))],
  )
  // That only failures are wanted is named in full, so that their index can be used.
  if (Math.max(filters.statusFrom ?? 0, Math.min(...(filters.statuses ?? [0]))) >= 400) conditions.push('status >= 400')
  const where = ['organisation_id = $1 and environment = $2', SHOWN, ...conditions].join(' and ')
  const count = async () => {
    const { rows } = await db.query<{ total: number }>(
      `select count(*)::int as total from (select from request_log where ${where} limit ${COUNTED + 1}) found`,
      values,
    )
    const total = rows[0]?.total ?? 0
    return total > COUNTED ? null : total
  }
  const page = async () => {
    const last = before === undefined ? undefined : await find(db, actor, before)
    if (before !== undefined && !last) return undefined
    const n = values.length
    const behind = last ? `and (created_at, id) < ($${n + 2}::timestamptz, $${n + 3}::uuid)` : ''
    const { rows } = await db.query<RequestRow>(
      `select ${COLUMNS} from request_log where ${where} ${behind} order by created_at desc, id desc limit $${n + 1}`,
      [...values, limit, ...(last ? [last.created_at, last.id] : [])],
    )
    return rows
  }
  const [total, rows] = await Promise.all([count(), page()])
  return rows && { rows, total }
}

interface FoundRow extends RequestRow {
  readonly request_body: object | null
  readonly response_body: object | null
}

/** A request of the actor's tenant with its bodies, by its id or its `X-Request-Id`: of several the newest. */
export const findRequest = ({ actor, em }: QueryContext, id: string): Promise<FoundRow | undefined> =>
  find(sqlOf(em), actor, id)

async function find(
  db: ReturnType<typeof sqlOf>,
  { organisationId, environment }: Tenant,
  id: string,
): Promise<FoundRow | undefined> {
  const { rows } = await db.query<FoundRow>(
    `select ${COLUMNS}, request_body, response_body from request_log
      where organisation_id = $1 and environment = $2 and ${SHOWN} and (id = $3::uuid or request_id = $4)
      order by id = $3::uuid desc nulls last, created_at desc limit 1`,
    [organisationId, environment, isId(id) ? id : null, id],
  )
  return rows[0]
}

/**
 * Erases what requests about a customer, and about objects of the customer, kept that the merchant wrote: a title or a name of a route may
 * say who pays. What is marked as personal data was never kept.
 */
export async function eraseRequests(unit: UnitOfWork, { id }: AnonymisedCustomer): Promise<void> {
  const { em, actor, runtime } = unit
  const all = runtime.orm.getMetadata()
  const tables = domainsOf(runtime)
    .flatMap(({ data }) => data?.resources ?? [])
    .map(({ entity }) => all.get(entity.meta.class))
    .filter(({ properties }) => 'customerId' in properties && 'id' in properties)
    .map(({ tableName }) => tableName)
  const objects = [...new Set(tables)].map(
    (table) => `select id from ${table} where customer_id = $1 and organisation_id = $2 and environment = $3`,
  )
  await sqlOf(em).query(
    `update request_log set request_body = null, response_body = null, idempotency_key = null
      where resource_id = any (array(${['select $1::uuid', ...objects].join(' union all ')})) and organisation_id = $2 and environment = $3
        and (request_body is not null or response_body is not null or idempotency_key is not null)`,
    [id, actor.organisationId, actor.environment],
  )
}
