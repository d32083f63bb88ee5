import { invalid } from '@payments/kernel'

const DAY = 86_400_000
/** Days of a period, at most: a leap year. */
const LONGEST = 366
const DEFAULT = 30

/** A range of days of a time zone, the first and the last included. */
export interface Period {
  readonly from: string
  readonly to: string
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
/** The day so many days later, or earlier. */
const plusDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY)

/**
 * The period that is asked for: without its end until today, without its beginning 30 days.
 * @throws validation_failed 422 for a period that ends before it begins, or is too long
 */
export function periodOf({ from, to }: Partial<Period>, today = dayOf(Date.now())): Period {
  const last = to ?? today
  const first = from ?? plusDays(last, 1 - DEFAULT)
  if (first > last) throw invalid({ from: `Must be on or before ${last}` })
  if (first < plusDays(last, 1 - LONGEST)) throw invalid({ from: `Must be at most ${LONGEST - 1} days before ${last}` })
  return { from: first, to: last }
}

/** The period of the same length that ends the day before. */
export const before = ({ from, to }: Period): Period => ({
  from: plusDays(from, -(Date.parse(to) - Date.parse(from)) / DAY - 1),
  to: plusDays(from, -1),
})

/** The days of a month, such as `2026-01`; by default of the current one. */
export function monthOf(month?: string, today = dayOf(Date.now())): Period {
  const from = `${month ?? today.slice(0, 7)}-01`
  const next = new Date(from)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return { from, to: plusDays(dayOf(next.getTime()), -1) }
}

/** The first days of the months that are whole in a period, and its other days. */
export function spansOf({ from, to }: Period): {
  readonly months: readonly string[]
  readonly days: readonly string[]
} {
  const [months, days]: [string[], string[]] = [[], []]
  const last = Date.parse(to)
  for (let time = Date.parse(from); time <= last; ) {
    const date = new Date(time)
    const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    const isWhole = date.getUTCDate() === 1 && nextMonth - DAY <= last
    ;(isWhole ? months : days).push(dayOf(time))
    time = isWhole ? nextMonth : time + DAY
  }
  return { months, days }
}
