import { joinCustomerName } from '@payments/customers'
import { invalid, isId } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import type { Transaction } from '../model/schemas.ts'
import { type Conditions, conditionsOf } from './conditions.ts'
import { areExact, daysOf, daysToRead, rangeOf } from './matching-days.ts'
import type { SearchInput, TransactionFilters } from './search-schemas.ts'
import { COLUMNS, countTransactions, type ListRow, presentTransaction } from './transactions.ts'

interface Found {
  transactions: z.infer<typeof Transaction>[]
  total: number
  next: string | null
}

/** Where a page begins. */
interface Position {
  readonly id: string
  readonly created_at: string
  readonly day: string
}

/**
 * A page of the transactions that fit the filters, newest first, and the exact number of all. A page begins at a position in the index and
 * not after a number of rows, so that the last one costs what the first does. For kinds, statuses and assets the sums of the days say which
 * days have any, so that what is rare is not looked for among what is not.
 * @throws validation_failed 422 where `before` is of no transaction of the tenant
 */
export async function searchTransactions(
  context: QueryContext,
  { before, limit, ...filters }: z.output<typeof SearchInput>,
): Promise<Found> {
  const { actor, em } = context
  const db = sqlOf(em)
  const last = before === undefined ? undefined : await positionOf(context, before)
  const isBySums = Boolean(filters.kinds ?? filters.statuses ?? filters.assets)
  const days = isBySums ? await daysOf(db, actor, filters) : undefined
  const isExact = areExact(filters)
  const fitting = await conditionsOf(context, filters)
  const total =
    days && isExact ? days.reduce((sum, { count }) => sum + count, 0) : await totalOf(context, filters, fitting)
  if (total === 0) return { transactions: [], total, next: null }
  // Other filters may leave out any transaction of a day, so that no number of days is known to be enough.
  const read = days && daysToRead(days, isExact ? limit + 1 : Number.POSITIVE_INFINITY, last?.day)
  const rows = await page(context, fitting, { last, read, limit: limit + 1, inOrder: !isExact })
  const transactions = rows.slice(0, limit).map(presentTransaction)
  return { transactions, total, next: rows.length > limit ? (transactions.at(-1)?.id ?? null) : null }
}

async function positionOf({ em, actor }: QueryContext, id: string): Promise<Position> {
  const { rows } = await sqlOf(em).query<Position>(
    `select id, created_at::text, (created_at at time zone 'UTC')::date::text as day from transactions
      where id = $1 and organisation_id = $2 and environment = $3`,
    [isId(id) ? id : null, actor.organisationId, actor.environment],
  )
  if (!rows[0]) throw invalid({ before: 'Transaction not found' })
  return rows[0]
}

/** The exact number of what fits: from counters where they have it, else counted. */
async function totalOf(
  context: QueryContext,
  { customerId, ...others }: TransactionFilters,
  fitting: Conditions,
): Promise<number> {
  if (Object.keys(others).length === 0) return countTransactions(context, customerId)
  const { rows } = await sqlOf(context.em).query<{ total: number }>(
    `select count(*)::int as total from transactions t where ${fitting.sql}`,
    [...fitting.values],
  )
  return rows[0]?.total ?? 0
}

async function page(
  { em }: QueryContext,
  { sql, values }: Conditions,
  of: { last: Position | undefined; read: readonly string[] | undefined; limit: number; inOrder: boolean },
): Promise<readonly ListRow[]> {
  const all = [...values]
  const value = (each: unknown): string => `$${all.push(each)}`
  const range = of.read && rangeOf(of.read)
  const conditions = [
    sql,
    ...(of.last
      ? [`(t.created_at, t.id) < (${value(of.last.created_at)}::timestamptz, ${value(of.last.id)}::uuid)`]
      : []),
    ...(range
      ? [`t.created_at >= ${value(range.from)}::timestamptz and t.created_at < ${value(range.to)}::timestamptz`]
      : []),
  ].join(' and ')
  // Few days of many: each by itself, so that those between are not read.
  const isByDay = of.read !== undefined && range === undefined && !of.inOrder
  const from = isByDay
    ? `unnest(${value(of.read)}::date[]) d (day) cross join lateral (
         select t.* from transactions t where ${conditions}
            and t.created_at >= d.day::timestamp at time zone 'UTC' and t.created_at < (d.day + 1)::timestamp at time zone 'UTC'
          order by t.created_at desc, t.id desc limit ${value(of.limit)}) t`
    : `(select t.* from transactions t where ${conditions} order by t.created_at desc, t.id desc limit ${value(of.limit)}) t`
  const { rows } = await sqlOf(em).query<ListRow>(
    `select ${COLUMNS} from ${from} ${joinCustomerName('c', 't')} order by t.created_at desc, t.id desc limit ${value(of.limit)}`,
    all,
  )
  return rows
}
