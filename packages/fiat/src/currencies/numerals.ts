import { z } from 'zod'

// ES2026; TypeScript's library does not list them yet.
const json = JSON as typeof JSON & { rawJSON(text: string): object; isRawJSON(value: unknown): boolean }

/** A number of a reply that is written from decimal text, digit for digit: no float in between. */
export const Numeral = z
  .custom<object>((value) => json.isRawJSON(value))
  .meta({ override: { type: 'number' }, example: 12.5 })

/** Decimal text as the numeral that it is. */
export const numeral = (decimal: string): object => json.rawJSON(decimal)
