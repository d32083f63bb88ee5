import { z } from 'zod'

const LONGEST = 500

/** What PostgreSQL stores and UTF-8 encodes, on one line: neither U+0000 nor other control characters, nor half of a surrogate pair. */
const isStorable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** Text of a provider that is stored or shown: at least one character, at most 500. Other text is not readable. */
export const providerText = z.string().min(1).max(LONGEST).refine(isStorable, 'must be text that can be stored')

/** A hash, an id or a reference of a provider: visible ASCII characters. */
export const providerId = z.string().regex(/^[\x21-\x7e]{1,200}$/)

const [EARLIEST, LATEST] = [Date.UTC(2000, 0), Date.UTC(2200, 0)]

/** A time of a provider, ISO 8601 with an offset, of this or the next century: others are mistakes, which not every database type stores. */
export const providerTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at.getTime() >= EARLIEST && at.getTime() < LATEST, 'must be a time of this century or the next')
