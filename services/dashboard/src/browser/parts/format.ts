import { exactAmount, networkOf } from '@payments/kernel'

const SHOWN = {
  ...({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const),
  timeZoneName: 'short',
} as const
const times = new Intl.DateTimeFormat('en-GB', SHOWN)

/** An amount with what it is of, such as `12.5 USDC`: the only form in which a screen shows one. */
export type Money = `${string} ${string}`

/** A text that the API documents as an amount with its currency. */
export const asMoney = (text: string): Money => text as Money

/** `1234.5 USDC` as `1,234.5 USDC`, every digit of it. */
export const exact = (amount: Money): string => exactAmount(amount)

/** A line about a posting, such as `converted: -39506.25 NGN on exchange`, with its amount as {@link exact} shows it. */
export const exactPosting = (summary: string): string =>
  summary.replace(/(?<![\w.])\d+(\.\d+)? \w+(?= on )/, (amount) => exact(asMoney(amount)))

/** A time in the zone of the reader, with the name of the zone. */
export const shownTime = (at: string): string => times.format(new Date(at))

/** The day of a time in a zone. */
export const shownDate = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }).format(new Date(at))

export const DAY_MS = 86_400_000

/** The day on which a time falls in a zone, such as `2026-12-31`. */
export const dayIn = (timeZone: string, time: Date): string =>
  new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).format(time)

/** True for the last millisecond of a day in a zone, which is how a date is stored. */
export const endsDay = (at: string, timeZone: string): boolean =>
  at.endsWith('.999Z') && dayIn(timeZone, new Date(at)) !== dayIn(timeZone, new Date(Date.parse(at) + 1))

const seconds = new Intl.DateTimeFormat('en-GB', { ...SHOWN, second: '2-digit' })

/** A time to the second, for what happens close together. */
export const shownSecond = (at: string): string => seconds.format(new Date(at))

/** A name of the service in words: `payment_route` and `paymentRoute` as `Payment route`, and `cngn_payin` as `cNGN payin`. A sentence stays one. */
export const words = (name: string): string => {
  const text = /\s/.test(name)
    ? name
    : name.replace(/[_-]/g, ' ').replace(/(?<=[a-z\d])[A-Z](?![A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\bcngn\b/i, 'cNGN').replace(/\bapi\b/i, 'API')
}

/** How long a wait of so many seconds is: minutes, and below 90 seconds these. */
export function shownWait(seconds: number): string {
  const [count, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The name of a network, such as `Arbitrum One`. */
export const networkName = (key: string): string => networkOf(key)?.name ?? words(key)

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const

/** How long ago a time was, in its largest unit: `3 h`, `2 d`; less than a minute is `1 min`. */
export function shownAge(at: string, now = Date.now()): string {
  const age = Math.max(60_000, now - Date.parse(at))
  const [length, unit] = UNITS.find(([each]) => age >= each) ?? UNITS[2]
  return `${Math.floor(age / length).toLocaleString('en')} ${unit}`
}
