import { z } from 'zod'
import { invalid } from '../errors.ts'

/** Levels of objects and arrays that an input may have; the input itself is the first. */
const LEVELS = 32
/** Fields that an object of an input may have: no schema has nearly as many, and checking a body of nothing else costs more than all the rest. */
const FIELDS = 1000

interface Problem {
  /** From the innermost key outwards. */
  readonly path: string[]
  readonly message: string
}

/**
 * Checks an input as parsed from JSON, before its schema: at most 32 levels, at most 1,000 fields in an object, and no text, keys included, that PostgreSQL
 * cannot store (U+0000) or that UTF-8 cannot encode (a lone surrogate). One pass; recursion ends at the last level.
 * @param escapes false if the JSON text has no escape of such a character; valid UTF-8 cannot contain one otherwise
 * @throws ServiceError 422 with the path of the first field that breaks a rule.
 */
export function checkInput(input: unknown, escapes = true): void {
  const problem = problemOf(input, 1, escapes)
  if (!problem) return
  const field = problem.path.reverse().join('.')
  throw invalid({ [field.toWellFormed().replaceAll('\0', '\uFFFD') || 'body']: problem.message })
}

function problemOf(value: unknown, level: number, texts: boolean): Problem | undefined {
  if (typeof value === 'string') {
    const message = texts ? textProblem(value) : undefined
    return message === undefined ? undefined : { path: [], message }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (level > LEVELS) return { path: [], message: `Must have at most ${LEVELS} levels of objects and arrays` }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = value[index]
      if (typeof item === 'string' ? !texts || isPlain(item) : typeof item !== 'object') continue
      const problem = problemOf(item, level + 1, texts)
      if (problem) return within(String(index), problem)
    }
    return undefined
  }
  const keys = Object.keys(value)
  if (keys.length > FIELDS) return { path: [], message: `Must have at most ${FIELDS.toLocaleString('en')} fields` }
  for (const key of keys) {
    const message = texts ? textProblem(key) : undefined
    if (message !== undefined) return { path: [key], message: message.replace('Must', 'Name must') }
    const problem = problemOf((value as Record<string, unknown>)[key], level + 1, texts)
    if (problem) return within(key, problem)
  }
  return undefined
}

function within(key: string, problem: Problem): Problem {
  problem.path.push(key)
  return problem
}

/** True for a short text without suspicious characters. Calling two methods for each short text costs more than `JSON.parse` does. */
function isPlain(text: string): boolean {
  if (text.length > 16) return false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0 || (unit & 0xf800) === 0xd800) return false
  }
  return true
}

function textProblem(text: string): string | undefined {
  if (isPlain(text)) return undefined
  if (text.includes('\0')) return 'Must not contain NUL characters'
  return text.isWellFormed() ? undefined : 'Must not contain unpaired surrogates'
}

/** Regions that have two letters in CLDR but no country code of their own in ISO 3166-1. */
const NO_COUNTRY = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'XK', 'ZZ'])
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** True for a country code that ISO 3166-1 assigns today (alpha-2, upper case). The list is that of the runtime's CLDR. */
export const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) &&
  !NO_COUNTRY.has(code) &&
  regionNames.of(code) !== undefined &&
  // CLDR also names codes of countries that no longer exist, and says which code replaced each.
  new Intl.Locale(`und-${code}`).region === code

const COUNTRY = 'Must be a country code of two letters (ISO 3166-1), such as "NG"'

/** A country as ISO 3166-1 alpha-2, taken in any letter case. */
export const countryCode = () =>
  z
    .string()
    .length(2, COUNTRY)
    .transform((given) => given.toUpperCase())
    .refine(isCountry, COUNTRY)

/** Control characters, line separators, and characters that change the direction of the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** A character that is seen by itself: no space, mark, filler or joiner. */
const VISIBLE = /[^\s\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u
const EMPTY = 'Must be at least 1 character'

/**
 * A name or title of one line, trimmed: it appears in emails, receipts and lists, where a line break or a reordered text could
 * be taken for something else.
 */
export const nameText = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, EMPTY)
    .max(longest, `Must be at most ${longest} characters`)
    .refine((text) => VISIBLE.test(text), EMPTY)
    .refine((text) => !UNPRINTABLE.test(text), 'Must not contain control or bidirectional characters')
