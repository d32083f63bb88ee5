/**
 * The next value of an `updatedAt` that must rise strictly: now, or one millisecond after the last value if the clock has
 * not advanced (or was set back). The caller holds the row's lock, so webhook receivers can order snapshots by this value.
 */
export function risingAfter(last: Date, now: Date = new Date()): Date {
  return now > last ? now : new Date(last.getTime() + 1)
}

const DAY_MS = 86_400_000
const DAYS_KEPT = 1000
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const threeDigits = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
/** The text of a day up to its time, by days since 1970. */
const days = new Map<number, string>()

/**
 * The same text as `Date.prototype.toISOString`, in UTC with milliseconds, in an eighth of its time: a list writes a thousand of them, which took
 * longer than to read its rows.
 * @throws RangeError for an invalid date
 */
export function isoTime(date: Date): string {
  const time = date.getTime()
  const day = Math.floor(time / DAY_MS)
  let text = days.get(day)
  if (text === undefined) {
    if (days.size === DAYS_KEPT) days.clear()
    text = date.toISOString().slice(0, -'00:00:00.000Z'.length)
    days.set(day, text)
  }
  const rest = time - day * DAY_MS
  const seconds = Math.floor(rest / 1000)
  const minutes = Math.floor(seconds / 60)
  return `${text}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${threeDigits[rest % 1000]}Z`
}
