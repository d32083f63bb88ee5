import { catalogueOf, type Domain, jsonSchemaOf } from '@payments/platform'
import { z } from 'zod'
import type { EventTypes } from '../schemas.ts'

type EventTypeRow = z.infer<typeof EventTypes>['eventTypes'][number]

/** The whole payload of one event type (specification, Payload). */
export const payloadOf = (type: string, data: z.ZodType) =>
  z.object({ id: z.uuid(), type: z.literal(type), created: z.iso.datetime(), data })

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
