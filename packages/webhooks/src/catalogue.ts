import type { EventType } from '@payments/kernel'
import { z } from 'zod'
import type { EventTypes } from './schemas.ts'

type Listed = z.infer<typeof EventTypes>['eventTypes'][number]

/** The whole payload of one event type (specification, Payload). */
export const payloadOf = (type: string, data: z.ZodType) =>
  z.object({ id: z.uuid(), type: z.literal(type), created: z.iso.datetime(), data })

const made = new WeakMap<object, readonly Listed[]>()

/** The catalogue as merchants read it: every type with the JSON schema of its payload and a sample. Made once. */
export function listed(catalogue: Readonly<Record<string, EventType>>): readonly Listed[] {
  const known = made.get(catalogue)
  if (known) return known
  const list = Object.entries(catalogue)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, row]) => ({
      type,
      description: row.says,
      optIn: row.optIn ?? false,
      schema: z.toJSONSchema(payloadOf(type, row.data), { io: 'output', reused: 'inline' }) as Record<string, unknown>,
      sample: row.sample
        ? { id: '01936f2a-7c1e-7000-8000-000000000001', type, created: '2026-01-31T12:00:00.000Z', data: row.sample }
        : null,
    }))
  made.set(catalogue, list)
  return list
}
