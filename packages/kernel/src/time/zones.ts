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

/** Names that changed, and what the IANA database calls these zones now; Unicode keeps the first name of a zone for ever. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

const present = (name: string): string => RENAMED[name] ?? name

/** Zones of a fixed offset, which the runtime knows and does not list. The database writes the sign of POSIX: `Etc/GMT-1` is ahead of UTC. */
const FIXED = Array.from({ length: 26 }, (_, index) => `Etc/GMT${index < 12 ? `+${index + 1}` : 11 - index}`)

/** Every time zone once, under the name that the IANA database gives it. */
export const timeZones: readonly [string, ...string[]] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').map(present),
  ...FIXED,
]

/** The name in {@link timeZones} of the zone that has a name; undefined where none has it. */
export const listedZone = (name: string): string | undefined =>
  isTimeZone(name) ? present(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone) : undefined

/** A time in a zone with the zone's name, as emails have it: `Sun, 1 Feb 2026, 00:15 GMT+1`. */
export const shownIn = (timeZone: string, time: Date): string =>
  new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone, timeZoneName: 'short' },
  }).format(time)

/** The day, such as `2026-12-31`, on which a time falls in a zone. */
export const dayIn = (timeZone: string, time: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString()

/** When a day begins in a zone: the first instant of it, also where the clock leaves out midnight. */
export const startOfDay = (timeZone: string, day: string): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds)

/** The last millisecond of a day in a zone. */
export const endOfDay = (timeZone: string, day: string): Date =>
  new Date(Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds - 1)
