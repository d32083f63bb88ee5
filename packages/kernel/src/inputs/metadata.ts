import { z } from 'zod'
import { invalid } from '../errors.ts'
import { SENSITIVE } from './sensitive.ts'

const MAX_KEYS = 50
const MAX_KEY = 40
const MAX_VALUE = 500
const TOO_MANY = `Must have at most ${MAX_KEYS} keys`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const charactersOf = (text: string): number => [...text].length

const VALUE = `Must be a string of at most ${MAX_VALUE} characters`
const REMOVABLE_VALUE = `${VALUE}, or null to remove the key`

/** One message for each wrong key of a map of text, by its path. */
function issuesOf(
  map: Record<string, unknown>,
  { removable }: { removable: boolean },
): [path: string[], text: string][] {
  const keys = Object.keys(map)
  const issues: [string[], string][] = keys.length > MAX_KEYS ? [[[], TOO_MANY]] : []
  for (const key of keys) {
    const value = map[key]
    if (key === '' || charactersOf(key) > MAX_KEY) issues.push([[key], `A key has 1 to ${MAX_KEY} characters`])
    else if ((typeof value === 'string' && charactersOf(value) <= MAX_VALUE) || (removable && value === null)) continue
    else issues.push([[key], removable ? REMOVABLE_VALUE : VALUE])
  }
  return issues
}

// A record of zod would lose a key that is called __proto__.
const mapOf = <V>(removable: boolean) =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (!isObject(value)) return context.addIssue({ code: 'custom', message: 'Must be an object' })
      for (const [path, message] of issuesOf(value, { removable })) context.addIssue({ code: 'custom', path, message })
    })
    .meta({
      id: removable ? 'MetadataPatch' : 'Metadata',
      description: `Key-value pairs of yours, returned unchanged: at most ${MAX_KEYS} keys of ${MAX_KEY} characters with text of at most ${MAX_VALUE} characters${removable ? '. They are merged into the present ones; null removes a key' : ''}`,
      example: { orderNumber: '1042' },
      // Free text of the merchant: erased with the customer whose it is.
      [SENSITIVE]: 'personal',
      override: {
        type: 'object',
        maxProperties: MAX_KEYS,
        additionalProperties: { type: removable ? ['string', 'null'] : 'string', maxLength: MAX_VALUE },
      },
    }) as unknown as z.ZodType<Record<string, V>>

/** Key-value pairs of the merchant, returned unchanged whatever a key is called. */
export const Metadata = mapOf<string>(false)
export type Metadata = z.infer<typeof Metadata>

/** A change of metadata: given keys are set, null removes a key, other keys stay. */
export const MetadataPatch = mapOf<string | null>(true)

/**
 * Merges a change into metadata.
 * @throws validation_failed 422 when the result has too many keys
 */
export function mergeMetadata(current: Metadata, patch: z.infer<typeof MetadataPatch> = {}): Metadata {
  const merged = new Map([...Object.entries(current), ...Object.entries(patch)])
  const kept = [...merged].filter((entry): entry is [string, string] => entry[1] !== null)
  if (kept.length > MAX_KEYS) throw invalid({ metadata: TOO_MANY })
  return Object.fromEntries(kept)
}
