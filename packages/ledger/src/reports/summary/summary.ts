import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { receiptsOf } from '../../model/kinds.ts'
import { addAmounts } from '../amounts.ts'
import { daysIn } from '../days.ts'
import { before, type Period } from '../period.ts'
import type { Daily, Summary } from '../schemas.ts'
import { feesOf, shownFees, shownFeesOfDays } from './fees.ts'
import { joinedLines, linesOf } from './lines.ts'
import { settlementsOf } from './settlements.ts'

/** The transactions of a period with one kind, asset and status. */
interface Row {
  /** In the later of the two periods that are compared. */
  readonly isLater: boolean
  readonly kind: z.output<typeof Daily>['days'][number]['kind']
  readonly asset: string
  readonly status: string
  readonly count: number
  readonly amount: string
}

type Totals = z.output<typeof Summary>['totals'][number]
type Numbers = Pick<Totals, 'count' | 'succeededCount' | 'failedCount' | 'successRate'>

/** The sums of a period and of the one before it. In UTC it reads what the list's triggers keep, never the list. */
async function sums({ actor, em }: QueryContext, period: Period, previous: Period, zone: string): Promise<Row[]> {
  const days = daysIn(zone, 'transaction_days', { from: previous.from, to: period.to }, 6)
  const { rows } = await sqlOf(em).query<Omit<Row, 'count'> & { count: string }>(
    `select day >= $5 as "isLater", kind, asset, status, sum(count) as count, trim_scale(sum(amount))::text as amount
       from ${days.from} where organisation_id = $1 and environment = $2 and day between $3 and $4
      group by 1, 2, 3, 4 having sum(count) <> 0 order by 2, 3, 4`,
    [actor.organisationId, actor.environment, previous.from, period.to, period.from, ...days.values],
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

type Outcome = 'succeeded' | 'failed'

/** The statuses with an outcome. A status has the same one whatever the kind is. */
const statusesOf = ({ runtime }: QueryContext, outcome: Outcome): string[] => [
  ...new Set(Object.values(receiptsOf(runtime)).flatMap(({ outcomes }) => outcomes[outcome])),
]

/** What the domains say of a status. */
function outcomeOf(context: QueryContext): (row: Row) => Outcome | undefined {
  const [succeeded, failed] = [new Set(statusesOf(context, 'succeeded')), new Set(statusesOf(context, 'failed'))]
  return ({ status }) => (succeeded.has(status) ? 'succeeded' : failed.has(status) ? 'failed' : undefined)
}

const numbers = (count: number, succeededCount: number, failedCount: number): Numbers => {
  const ended = succeededCount + failedCount
  return { count, succeededCount, failedCount, successRate: ended === 0 ? null : `${succeededCount}/${ended}` }
}

const numbersOf = (rows: readonly Row[], outcome: ReturnType<typeof outcomeOf>): Numbers => {
  const number = (of: readonly Row[]) => of.reduce((sum, row) => sum + row.count, 0)
  return numbers(
    number(rows),
    number(rows.filter((row) => outcome(row) === 'succeeded')),
    number(rows.filter((row) => outcome(row) === 'failed')),
  )
}

/** The totals of rows by kind and asset, in the order of the rows. */
const totalsOf = (rows: readonly Row[], outcome: ReturnType<typeof outcomeOf>): Totals[] =>
  [...Map.groupBy(rows, ({ kind, asset }) => `${kind} ${asset}`).values()].flatMap((of) => {
    const [first] = of
    if (!first) return []
    const { kind, asset } = first
    const amount = addAmounts(of.map((row) => row.amount))
    const succeededAmount = addAmounts(of.filter((row) => outcome(row) === 'succeeded').map((row) => row.amount))
    return [{ kind, asset, ...numbersOf(of, outcome), amount, succeededAmount }]
  })

/**
 * The totals of a period, and of the period before it. The numbers of both are read in one snapshot, and so are the fees of both. All
 * statements are sent at once, because those of a year take the database longer than anything else here.
 */
export async function summary(context: QueryContext, period: Period, zone: string): Promise<z.output<typeof Summary>> {
  const previous = before(period)
  const [rows, settled, settledBefore, fees] = await Promise.all([
    sums(context, period, previous, zone),
    settlementsOf(context, period, zone),
    settlementsOf(context, previous, zone),
    feesOf(context, { from: previous.from, to: period.to }, zone),
  ])
  const outcome = outcomeOf(context)
  const part = ({ from, to }: Period, settlements: typeof settled) => {
    const own = rows.filter(({ isLater }) => isLater === (from === period.from))
    return {
      from,
      to,
      ...numbersOf(own, outcome),
      ...settlements,
      totals: totalsOf(own, outcome),
      items: own.map(({ isLater, ...item }) => item),
      fees: shownFees(fees.filter(({ date }) => date >= from && date <= to)),
    }
  }
  return { timeZone: zone, ...part(period, settled), previous: part(previous, settledBefore) }
}

/** The columns of a total of a day. */
const TOTALS = ['kind', 'asset', 'count', 'succeeded', 'failed', 'amount', 'succeeded_amount'] as const

/**
 * The totals of each day of a period, added up by the database: a year of all kinds and assets has thousands of lines, made of several
 * rows each. Month by month, because the planner then reads them in the order of their index: added up in this order, a line needs no place
 * in a table of all lines, which took more than the adding.
 */
export async function daily(context: QueryContext, period: Period, zone: string): Promise<z.output<typeof Daily>> {
  const { actor, em } = context
  const source = daysIn(zone, 'transaction_days', period, 7)
  // Days that are made of the rows themselves have no index, so they are made once: the longest period has 366.
  const step = zone === 'UTC' ? '1 month' : '400 days'
  const days = sqlOf(em).query<{ date: string; lines: string }>(
    `select day::text as date, ${joinedLines(TOTALS)} as lines
       from generate_series(date_trunc('month', $3::timestamp), $4::timestamp, '${step}') month
      cross join lateral (
        select day, kind, asset, sum(count) as count, trim_scale(sum(amount)) as amount,
               coalesce(sum(count) filter (where status = any ($5)), 0) as succeeded,
               coalesce(sum(count) filter (where status = any ($6)), 0) as failed,
               trim_scale(coalesce(sum(amount) filter (where status = any ($5)), 0)) as succeeded_amount
          from ${source.from}
         where organisation_id = $1 and environment = $2 and day between $3::date and $4::date
           and day >= month::date and day < (month + interval '${step}')::date
         group by transaction_days.day, kind, asset having sum(count) <> 0
         order by transaction_days.day, kind, asset) totals
      group by totals.day order by totals.day`,
    [
      ...[actor.organisationId, actor.environment, period.from, period.to],
      ...[statusesOf(context, 'succeeded'), statusesOf(context, 'failed')],
      ...source.values,
    ],
  )
  const [{ rows }, fees] = await Promise.all([days, feesOf(context, period, zone)])
  const shown = rows.flatMap(({ date, lines }) =>
    linesOf(lines, TOTALS).map(([kind, asset, count, succeeded, failed, amount, succeededAmount]) => ({
      ...{ date, kind: kind as Row['kind'], asset, ...numbers(Number(count), Number(succeeded), Number(failed)) },
      ...{ amount, succeededAmount },
    })),
  )
  return { timeZone: zone, ...period, days: shown, fees: shownFeesOfDays(fees) }
}
