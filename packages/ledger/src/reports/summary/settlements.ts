import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { daysIn } from '../days.ts'
import { type Period, spansOf } from '../period.ts'
import type { Summary } from '../schemas.ts'
import { joinedLines, linesOf } from './lines.ts'

type Kind = z.output<typeof Summary>['settlements'][number]['kind']
const TIME = ['seconds', 'count'] as const
/** How many transactions took so long. */
interface Time {
  readonly seconds: number
  readonly count: number
}

type Settlements = Pick<z.output<typeof Summary>, 'medianSecondsToSettle' | 'settlements'>

/** The lower median of times in the order of their seconds; null of none. */
function medianOf(times: readonly Time[]): { readonly count: number; readonly median: number | null } {
  const count = times.reduce((sum, time) => sum + time.count, 0)
  let left = Math.ceil(count / 2)
  const middle = times.find((time) => {
    left -= time.count
    return left <= 0
  })
  return { count, median: count > 0 ? (middle?.seconds ?? null) : null }
}

/**
 * How long the transactions that were created in a period took until they first succeeded: from the months that are whole, and the days
 * around them. These are lists of dates, because the planner knows how many rows they have, and reads many of them by their place in the
 * table.
 */
export async function settlementsOf({ actor, em }: QueryContext, period: Period, zone: string): Promise<Settlements> {
  const { months, days } = spansOf(period)
  const source = daysIn(zone, 'settlement_days', period, 5)
  const { rows } = await sqlOf(em).query<{ kind: Kind; times: string }>(
    `select kind, ${joinedLines(TIME)} as times
       from (select kind, seconds, sum(count) as count
               from ${source.from}
              where organisation_id = $1 and environment = $2
                and (span = 'month' and starts = any ($3::date[]) or span = 'day' and starts = any ($4::date[]))
              group by 1, 2 having sum(count) <> 0 order by 1, 2) t
      group by kind order by kind`,
    [actor.organisationId, actor.environment, months, days, ...source.values],
  )
  const kinds = rows.map(({ kind, times }) => ({
    kind,
    times: linesOf(times, TIME).map(([seconds, count]): Time => ({ seconds: Number(seconds), count: Number(count) })),
  }))
  const all = kinds.flatMap(({ times }) => times).toSorted((one, other) => one.seconds - other.seconds)
  return {
    medianSecondsToSettle: medianOf(all).median,
    settlements: kinds.map(({ kind, times }) => {
      const { count, median } = medianOf(times)
      return { kind, count, medianSecondsToSettle: median ?? 0 }
    }),
  }
}
