import { knownZone } from '@payments/accounts'
import { endOfDay, invalid, startOfDay, UNKNOWN_ZONE, zoneOf } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { charges, movements, settlements, transactions } from '../schema/days.ts'
import type { Period } from './period.ts'

/**
 * The time zone of a report: the one that is asked for, or that of the organisation.
 * @throws validation_failed 422 for one that the database does not know
 */
export async function reportZone(context: QueryContext, timeZone: string | undefined): Promise<string> {
  const own = zoneOf(context.actor)
  if (timeZone === undefined || timeZone === own || timeZone === 'UTC') return timeZone ?? own
  const known = await knownZone(context, timeZone)
  if (known === undefined) throw invalid({ timeZone: UNKNOWN_ZONE })
  return known
}

/** Rows by day, to be read in a statement whose `$1` and `$2` are the tenant. */
export interface DayRows {
  /** A table, or a subselect with its alias. */
  readonly from: string
  /** Of the placeholders in `from`. */
  readonly values: readonly unknown[]
}

/** SQL of postings whose entries have the condition. The tenant's entries of a time are found by their own index. */
const postingsWhere = (condition: string): string =>
  `(select p.* from ledger_entries e
      join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
     where e.organisation_id::text = $1::uuid::text and e.environment = $2 and ${condition})`

/** What a day of each table is made of. */
const sources = {
  transaction_days: (times: string, zone: string) =>
    transactions(
      `(select * from transactions where organisation_id = $1 and environment = $2 and ${times}) t`,
      '',
      zone,
    ),
  settlement_days: (times: string, zone: string) =>
    settlements(
      `(select * from transactions where organisation_id = $1 and environment = $2 and ${times}) t`,
      '',
      zone,
    ),
  fee_days: (times: string, zone: string) => charges(postingsWhere(times), zone),
}

/**
 * The days of a period in a time zone: the sums that triggers keep where the days are those of UTC, else the same made of the rows of
 * the period. `place` is the number of the first free placeholder.
 */
export function daysIn(zone: string, table: keyof typeof sources, period: Period, place: number): DayRows {
  if (zone === 'UTC') return { from: table, values: [] }
  const [name, from, to] = [`$${place}::text`, `$${place + 1}::timestamptz`, `$${place + 2}::timestamptz`]
  const times = `created_at between ${from} and ${to}`
  return {
    from: `(${sources[table](times, name)}) ${table}`,
    values: [zone, startOfDay(zone, period.from), endOfDay(zone, period.to)],
  }
}

/**
 * What moved until the end of a period, by day of a time zone. What moved before the day (UTC) on which the period begins is of days (UTC)
 * that are before it in any zone, so its sums serve.
 */
export function balanceDaysIn(zone: string, period: Period, place: number): DayRows {
  if (zone === 'UTC') return { from: 'balance_days', values: [] }
  const starts = startOfDay(zone, period.from)
  const whole = starts.toISOString().slice(0, 10)
  const [name, day, to] = [`$${place}::text`, `$${place + 1}::date`, `$${place + 2}::timestamptz`]
  const columns = 'organisation_id, environment, scope, asset, day, kind, received, paid, fees'
  const rest = movements(
    postingsWhere(`e.created_at >= ${day}::timestamp at time zone 'UTC' and e.created_at <= ${to}`),
    name,
  )
  return {
    from: `(select ${columns} from balance_days where organisation_id = $1 and environment = $2 and scope = $3 and day < ${day}
            union all select ${columns} from (${rest}) rest) balance_days`,
    values: [zone, whole, endOfDay(zone, period.to)],
  }
}
