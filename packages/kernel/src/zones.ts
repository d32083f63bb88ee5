/** What is said of the name of a time zone that is none. */
export const UNKNOWN_ZONE = 'Must be a time zone of the IANA database, such as Africa/Lagos'

/** True for the name of a time zone of the IANA database. An offset such as `+01:00` is none. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** The day, such as `2026-12-31`, on which a time falls in a zone. */
export const dayIn = (timeZone: string, time: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString()

/** When a day begins in a zone: the first instant of it, also where the clock leaves out midnight. */
export const startOfDay = (timeZone: string, day: string): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds)

/** The last millisecond of a day in a zone. */
export const endOfDay = (timeZone: string, day: string): Date =>
  new Date(Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds - 1)
