import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { receiptsOf } from '../transactions/kinds.ts'
import { addAmounts } from './amounts.ts'
import { feesOf, shownFees, shownFeesOfDays } from './fees.ts'
import { before, type Period } from './period.ts'
import type { Daily, Summary } from './schemas.ts'
import { settlementsOf } from './settlements.ts'

/** The transactions of a day, or of several, with one kind, asset and status. */
interface Row {
  readonly date: string
  readonly kind: z.output<typeof Daily>['days'][number]['kind']
  readonly asset: string
  readonly status: string
  readonly count: number
  readonly amount: string
}

type Totals = z.output<typeof Summary>['totals'][number]
type Numbers = Pick<Totals, 'count' | 'succeededCount' | 'failedCount' | 'successRate'>

/**
 * The sums of a period by `date`, an expression over `day` whose first parameter is `$5`. It reads what the list's triggers keep, never
 * the list.
 */
async function sums(
  { actor, em }: QueryContext,
  { from, to }: Period,
  date: string,
  values: readonly string[] = [],
): Promise<Row[]> {
  const { rows } = await sqlOf(em).query<Omit<Row, 'count'> & { count: string }>(
    `select (${date})::text as date, kind, asset, status, sum(count) as count, trim_scale(sum(amount))::text as amount
       from transaction_days where organisation_id = $1 and environment = $2 and day between $3 and $4
      group by 1, 2, 3, 4 having sum(count) <> 0 order by 1, 2, 3, 4`,
    [actor.organisationId, actor.environment, from, to, ...values],
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** What the domain of a transaction's kind says of its status. */
function outcomeOf(context: QueryContext) {
  const receipts = receiptsOf(context.runtime)
  return ({ kind, status }: Row): 'succeeded' | 'failed' | undefined => {
    const { succeeded = [], failed = [] } = receipts[kind]?.outcomes ?? {}
    return succeeded.includes(status) ? 'succeeded' : failed.includes(status) ? 'failed' : undefined
  }
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

/** The totals of a period, and of the period before it. The numbers of both are read in one snapshot, and so are the fees and the times of both. */
export async function summary(context: QueryContext, period: Period): Promise<z.output<typeof Summary>> {
  const previous = before(period)
  const rows = await sums(
    context,
    { from: previous.from, to: period.to },
    'case when day < $5::date then $6::date else $5::date end',
    [period.from, previous.from],
  )
  const outcome = outcomeOf(context)
  const [settled, settledBefore] = await settlementsOf(context, [period, previous])
  const fees = await feesOf(context, { from: previous.from, to: period.to })
  const part = ({ from, to }: Period, settlements: typeof settled) => {
    const own = rows.filter(({ date }) => date === from)
    return {
      from,
      to,
      ...numbersOf(own, outcome),
      ...settlements,
      totals: totalsOf(own, outcome),
      items: own.map(({ date, ...item }) => item),
      fees: shownFees(fees.filter(({ date }) => date >= from && date <= to)),
    }
  }
  return { timeZone: 'UTC', ...part(period, settled), previous: part(previous, settledBefore) }
}

/** The kinds and statuses with an outcome, as the statement below compares them. */
const statusesOf = (context: QueryContext, outcome: 'succeeded' | 'failed'): string[] =>
  Object.entries(receiptsOf(context.runtime)).flatMap(([kind, { outcomes }]) =>
    outcomes[outcome].map((status) => `${kind} ${status}`),
  )

interface DayRow extends Pick<Totals, 'kind' | 'asset' | 'amount' | 'succeededAmount'> {
  readonly date: string
  readonly count: string
  readonly succeeded: string | null
  readonly failed: string | null
}

/**
 * The totals of each day of a period, added up by the database: a year of all kinds and assets has thousands of lines, made of several
 * rows each.
 */
export async function daily(context: QueryContext, period: Period): Promise<z.output<typeof Daily>> {
  const { actor, em } = context
  const { rows } = await sqlOf(em).query<DayRow>(
    `select day::text as date, kind, asset, sum(count) as count, trim_scale(sum(amount))::text as amount,
            sum(count) filter (where outcome = 1) as succeeded, sum(count) filter (where outcome = 2) as failed,
            trim_scale(coalesce(sum(amount) filter (where outcome = 1), 0))::text as "succeededAmount"
       from (
         select day, kind, asset, count, amount,
                case when kind || ' ' || status = any ($5) then 1 when kind || ' ' || status = any ($6) then 2 end as outcome
           from transaction_days where organisation_id = $1 and environment = $2 and day between $3 and $4) d
      group by day, kind, asset having sum(count) <> 0 order by d.day, kind, asset`,
    [
      ...[actor.organisationId, actor.environment, period.from, period.to],
      ...[statusesOf(context, 'succeeded'), statusesOf(context, 'failed')],
    ],
  )
  const days = rows.map(({ count, succeeded, failed, ...row }) => ({
    ...row,
    ...numbers(Number(count), Number(succeeded), Number(failed)),
  }))
  return { timeZone: 'UTC', ...period, days, fees: shownFeesOfDays(await feesOf(context, period)) }
}
