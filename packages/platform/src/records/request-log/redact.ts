import { isId } from '@payments/kernel'
import type { Shape } from './shapes.ts'

/** In place of a secret, of personal data, and of what the schema does not know. */
export const REDACTED = '[redacted]'
/** In place of what is beyond the bound. */
export const TRUNCATED = '[truncated]'

/** Characters of a body that are kept, about. */
const BODY = 4096
const TEXT = 500
const ITEMS = 20
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
/** A name of a field that a caller made up is kept where it cannot be a value. */
const NAME = /^[A-Za-z_]{1,40}$/

const json = JSON as typeof JSON & { isRawJSON(value: unknown): boolean }

/** Redacts the parts of one request and its reply. */
export interface Redaction {
  /**
   * An object of which only what its schema describes is left, cut at about 4,000 characters; never what it was given. Of an `unchecked` one,
   * which may have anything in any field, texts are left that are ids, times or one of the field's choices.
   */
  object(shape: Shape, value: object, unchecked?: boolean): object
  /** A text of this service without the values that were redacted before. */
  text(text: string): string
  /** Values that no text may repeat, such as those of a query. */
  hide(value: unknown): void
}

export function redaction(): Redaction {
  const hidden = new Set<string>()
  let left = BODY
  let strict = false

  function hide(value: unknown, levels = 4): void {
    if (typeof value === 'string' && value.length > 2 && value.length <= TEXT && hidden.size < 200) hidden.add(value)
    else if (typeof value === 'object' && value !== null && levels > 0)
      for (const each of Object.values(value)) hide(each, levels - 1)
  }

  function redacted(shape: Shape | undefined, value: unknown): unknown {
    if (value === null || value === undefined) return null
    if (left <= 0) return TRUNCATED
    if (!shape || shape.hidden || !describes(shape, value, strict)) {
      hide(value)
      left -= REDACTED.length
      return REDACTED
    }
    if (Array.isArray(value)) {
      const items = value.slice(0, ITEMS).map((item) => redacted(shape.items, item))
      return value.length > ITEMS ? [...items, TRUNCATED] : items
    }
    if (typeof value === 'object' && !json.isRawJSON(value)) return properties(shape, value)
    if (typeof value !== 'string') {
      left -= 8
      return value
    }
    const text = cut(value)
    left -= text.length
    return text
  }

  function properties(shape: Shape, value: object): object {
    const kept: [string, unknown][] = []
    for (const [name, each] of Object.entries(value)) {
      if (left <= 0) {
        kept.push([TRUNCATED, TRUNCATED])
        break
      }
      const known = shape.properties.get(name)
      const shown = known || NAME.test(name) ? name : REDACTED
      left -= shown.length + 4
      kept.push([shown, redacted(known ?? shape.values, each)])
    }
    return Object.fromEntries(kept)
  }

  return {
    object(shape, value, unchecked = false) {
      left = BODY
      strict = unchecked
      return properties(shape, value)
    },
    text: (text) => [...hidden].reduce((all, value) => all.replaceAll(value, REDACTED), cut(text)),
    hide,
  }
}

function describes({ properties, items, values, scalars, choices }: Shape, value: unknown, strict: boolean): boolean {
  if (choices.includes(value)) return true
  if (typeof value === 'string' && strict && !(isId(value) || TIME.test(value))) return false
  if (Array.isArray(value)) return items !== undefined
  // A number in the digits of its decimal text: see the reply of an offramp.
  if (typeof value === 'object') return json.isRawJSON(value) || properties.size > 0 || values !== undefined
  return scalars.includes(typeof value)
}

/** What PostgreSQL can store, and no more of it than a reader needs. */
function cut(text: string): string {
  const short = text.length > TEXT ? `${text.slice(0, TEXT)}…` : text
  return short.toWellFormed().replaceAll('\0', '\uFFFD')
}
