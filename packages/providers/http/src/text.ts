import { z } from 'zod'

// Strings, times and amounts of providers: one set of schemas for all adapters.

/** A surrogate without its pair stands for no character. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')
/** An escape of such a character: none is valid in JSON without its pair. */
const IS_ODD = /\\u0000|\\u[dD][89a-fA-F]/

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [clean(key), cleaned(each)]))
}

/**
 * JSON of a provider. What no database can store (U+0000, half a surrogate pair) becomes U+FFFD, in every field and key, so that one odd
 * text hides nothing else.
 * @throws SyntaxError for what is no JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return IS_ODD.test(text) || !text.isWellFormed() ? cleaned(value) : value
}

/** More characters than any id, hash or reason has; an index takes so many. */
const LONGEST = 500

/** A text that is not empty. */
export const ProviderText = z.string().min(1).max(LONGEST)

/** A name that people read, on one line. */
export const ProviderName = ProviderText.refine((text) => !/\p{Cc}/u.test(text), 'Must be on one line')

/** A hash, an id or a reference: visible ASCII characters. */
export const ProviderId = z.string().regex(/^[\x21-\x7e]{1,200}$/)

const EARLIEST = Date.UTC(2000, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)
const inRange = (at: Date): boolean => at.getTime() >= EARLIEST && at.getTime() < LATEST

/** A time as text with its offset, in this century or the next: a database has no year 0. */
export const ProviderTime = z.iso
  .datetime({ offset: true })
  .transform((at) => new Date(at))
  .refine(inRange, 'No time of a payment')

/** The same for providers whose times may have no offset, or a space in the place of the T: they are in UTC then, wherever this process runs. */
export const ProviderUtcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/)
  .transform((at) => new Date(`${at.replace(' ', 'T')}${/(Z|[+-]\d\d:?\d\d)$/i.test(at) ? '' : 'Z'}`))
  .refine(inRange, 'No time of a payment')

/** Seconds since 1970, as chains count. */
export const ProviderSeconds = z
  .number()
  .int()
  .transform((seconds) => new Date(seconds * 1000))
  .refine(inRange, 'No time of a payment')

/** The same as text or as seconds or milliseconds since 1970. */
export const ProviderInstant = z.union([
  ProviderTime,
  z
    .number()
    .int()
    .positive()
    .transform((at) => new Date(at > 1e11 ? at : at * 1000))
    .refine(inRange, 'No time of a payment'),
])

/** A whole number of smallest units, as text: of no token are there more. */
export const ProviderUnits = z.string().regex(/^\d{1,30}$/)

/** What may be absent or null. A value of another shape is an error. */
export const absent = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)

/** What is useful and not needed: an unreadable value counts as an absent one. */
export const helpful = <T extends z.ZodType>(type: T) =>
  type
    .nullish()
    .catch(null)
    .transform((value) => value ?? null)
