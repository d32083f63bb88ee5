import type { Tenant } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'
import type { TransactionFilters } from './search-schemas.ts'

const DAY = 86_400_000

/** How many transactions of a day fit, newest day first. */
export interface DayCount {
  readonly day: string
  readonly count: number
}

/** TransactionFilters that the sums of days know: kind, status and asset, and whole days. */
const KNOWN = ['kinds', 'statuses', 'assets', 'from', 'to']

const isMidnight = (time: string | undefined): boolean => time === undefined || Date.parse(time) % DAY === 0

/** True if the sums of days have exactly what the filters ask for. */
export const areExact = (filters: TransactionFilters): boolean =>
  Object.keys(filters).every((name) => KNOWN.includes(name)) && isMidnight(filters.from) && isMidnight(filters.to)

/** The days (UTC) on which transactions of the kinds, statuses and assets were created, with their numbers, from the sums that triggers keep. */
export async function daysOf(
  db: SqlExecutor,
  { organisationId, environment }: Tenant,
  { kinds, statuses, assets, from, to }: TransactionFilters,
): Promise<DayCount[]> {
  const { rows } = await db.query<DayCount>(
    `select day::text as day, sum(count)::int as count from transaction_days
      where organisation_id = $1 and environment = $2
        and ($3::text[] is null or kind = any ($3)) and ($4::text[] is null or status = any ($4)) and ($5::text[] is null or asset = any ($5))
        and ($6::timestamptz is null or day >= ($6::timestamptz at time zone 'UTC')::date)
        and ($7::timestamptz is null or day <= ($7::timestamptz at time zone 'UTC')::date)
      group by day having sum(count) > 0 order by day desc`,
    [organisationId, environment, kinds ?? null, statuses ?? null, assets ?? null, from ?? null, to ?? null],
  )
  return rows.filter(({ day }) => to === undefined || Date.parse(day) < Date.parse(to))
}

/**
 * The days that must be read for a page that begins on `newest`: the first few that have enough transactions, counted without the day on
 * which the page before ended.
 */
export function daysToRead(days: readonly DayCount[], needed: number, newest: string | undefined): string[] {
  const read: string[] = []
  let counted = 0
  for (const { day, count } of days) {
    if (newest !== undefined && day > newest) continue
    if (counted >= needed) break
    read.push(day)
    if (day !== newest) counted += count
  }
  return read
}

/** The range of days without gaps that has all of them, as times; undefined where most days of it would be read for nothing. */
export function rangeOf(days: readonly string[]): { readonly from: string; readonly to: string } | undefined {
  const [newest, oldest] = [days[0], days.at(-1)]
  if (newest === undefined || oldest === undefined) return undefined
  const [from, to] = [Date.parse(oldest), Date.parse(newest) + DAY]
  if ((to - from) / DAY > days.length * 3) return undefined
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
