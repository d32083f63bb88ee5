import { z } from 'zod'

/** Control characters, line separators, and the characters that reorder text that stands beside them (bidirectional). */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * A name that others will see: of 1 to `max` characters, without control and bidirectional characters, because such a name
 * could forge the lines of an email or the order of a list.
 */
export const nameText = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'Must be at least 1 character')
    .max(max, `Must be at most ${max} characters`)
    .refine((text) => text.isWellFormed() && !UNSAFE.test(text), 'Must not contain control characters')
