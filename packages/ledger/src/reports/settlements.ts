import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { type Period, spansOf } from './period.ts'
import type { Summary } from './schemas.ts'

/** How many transactions of one kind took so long. */
interface Row {
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
 * How long the transactions that were created in a period took until they first succeeded: from the months that are whole, and the days
 * around them. These are lists of dates, because the planner knows how many rows they have, and reads many of them by their place in the
 * table.
 */
export async function settlementsOf({ actor, em }: QueryContext, period: Period): Promise<Settlements> {
  const { months, days } = spansOf(period)
  const { rows } = await sqlOf(em).query<Row>(
    `select kind, seconds, sum(count)::text as count
       from settlement_days
      where organisation_id = $1 and environment = $2
        and (span = 'month' and starts = any ($3::date[]) or span = 'day' and starts = any ($4::date[]))
      group by 1, 2 having sum(count) <> 0 order by 2, 1`,
    [actor.organisationId, actor.environment, months, days],
  )
  const kinds = [...Map.groupBy(rows, ({ kind }) => kind)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return {
    medianSecondsToSettle: medianOf(rows).median,
    settlements: kinds.map(([kind, of]) => {
      const { count, median } = medianOf(of)
      return { kind, count, medianSecondsToSettle: median ?? 0 }
    }),
  }
}
