import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import type { Period } from './period.ts'
import type { Summary } from './schemas.ts'

/** How many transactions of one kind took so long. */
interface Row {
  readonly part: number
  readonly kind: z.output<typeof Summary>['settlements'][number]['kind']
  readonly seconds: number
  readonly count: string
}

type Settlements = Pick<z.output<typeof Summary>, 'medianSecondsToSettle' | 'settlements'>

/** The lower median of rows in the order of their seconds; null of none. */
function medianOf(rows: readonly Row[]): { readonly count: number; readonly median: number | null } {
  const count = rows.reduce((sum, row) => sum + Number(row.count), 0)
  let left = Math.ceil(count / 2)
  const middle = rows.find((row) => {
    left -= Number(row.count)
    return left <= 0
  })
  return { count, median: count > 0 ? (middle?.seconds ?? null) : null }
}

/**
 * How long the transactions that were created in each of two periods took until they first succeeded, read in one snapshot: from the
 * months that are whole, and the days around them.
 */
export async function settlementsOf(
  { actor, em }: QueryContext,
  periods: readonly [Period, Period],
): Promise<readonly [Settlements, Settlements]> {
  const { rows } = await sqlOf(em).query<Row>(
    `select p.part::int as part, s.kind, s.seconds, sum(s.count)::text as count
       from (
         select *, case when months < rest then months - 1 else last end as head
           from (
             select part, first, last, date_trunc('month', first + interval '1 month - 1 day')::date as months,
                    date_trunc('month', last + 1)::date as rest
               from unnest($3::date[], $4::date[]) with ordinality as p (first, last, part)) p) p
       cross join lateral (
         select kind, seconds, count from settlement_days
          where organisation_id = $1 and environment = $2 and span = 'month' and starts >= p.months and starts < p.rest
         union all
         select kind, seconds, count from settlement_days
          where organisation_id = $1 and environment = $2 and span = 'day' and starts between p.first and p.head
         union all
         select kind, seconds, count from settlement_days
          where organisation_id = $1 and environment = $2 and span = 'day' and p.months < p.rest and starts between p.rest and p.last) s
      group by 1, 2, 3 having sum(s.count) <> 0 order by 1, 3, 2`,
    [actor.organisationId, actor.environment, periods.map(({ from }) => from), periods.map(({ to }) => to)],
  )
  const settlements = (number: number): Settlements => {
    const own = rows.filter(({ part }) => part === number)
    const kinds = [...Map.groupBy(own, ({ kind }) => kind)].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return {
      medianSecondsToSettle: medianOf(own).median,
      settlements: kinds.map(([kind, of]) => {
        const { count, median } = medianOf(of)
        return { kind, count, medianSecondsToSettle: median ?? 0 }
      }),
    }
  }
  return [settlements(1), settlements(2)]
}
