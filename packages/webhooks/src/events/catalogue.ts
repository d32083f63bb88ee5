import { refuseMistakes } from '@payments/kernel'
import { catalogueOf, type Domain, jsonSchemaOf } from '@payments/platform'
import { z } from 'zod'
import type { EventTypes } from '../schemas.ts'

type EventTypeRow = z.infer<typeof EventTypes>['eventTypes'][number]

/** The whole payload of one event type (specification, Payload). */
export const payloadOf = (type: string, data: z.ZodType) =>
  z.object({ id: z.uuid(), type: z.literal(type), created: z.iso.datetime(), data })

/** @param also types beside those of the catalogue @throws validation_failed 422 on the field of each type that no event has */
export function checkTypes(
  domains: readonly Domain[],
  types: readonly string[] | null | undefined,
  fieldOf: (index: number) => string,
  also: readonly string[] = [],
): void {
  const catalogue = catalogueOf(domains)
  const unknown = (types ?? []).flatMap((type, index) =>
    Object.hasOwn(catalogue, type) || also.includes(type) ? [] : [[fieldOf(index), `Unknown event type ${type}`]],
  )
  refuseMistakes(Object.fromEntries(unknown))
}

const cache = new WeakMap<readonly Domain[], readonly EventTypeRow[]>()

/** The public catalogue: every event type with the JSON schema of its payload and a sample. */
export function eventTypes(domains: readonly Domain[]): readonly EventTypeRow[] {
  const known = cache.get(domains)
  if (known) return known
  const rows = Object.entries(catalogueOf(domains))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, row]) => ({
      type,
      description: row.description,
      optIn: row.optIn ?? false,
      schema: jsonSchemaOf(payloadOf(type, row.data)),
      sample: {
        ...{ id: '01936f2a-7c1e-7000-8000-000000000001', type, created: '2026-01-31T12:00:00.000Z' },
        data: row.sample(),
      },
    }))
  cache.set(domains, rows)
  return rows
}
