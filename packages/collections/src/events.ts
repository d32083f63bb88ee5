import { type EventType, sampleOf } from '@payments/platform'
import { z } from 'zod'
import { Collection, collectionFacts, Session, sessionFacts } from './schemas.ts'

const correction = z
  .literal(true)
  .optional()
  .meta({ description: 'Present where an operator has corrected what had been recorded' })
const Data = (previousStatus: z.ZodType) =>
  z.union([Collection.extend({ previousStatus, correction }), Session.extend({ previousStatus, correction })])

export const events = {
  'collection.created': {
    description:
      'A payment link, invoice or checkout was created, or a checkout session was started (`type`: `session`)',
    data: Data(z.null().meta({ description: 'Null: it was created' })),
    sample: () => sampleOf(Collection, { ...collectionFacts, previousStatus: null }),
  },
  'collection.updated': {
    description:
      'The status of a payment link, invoice, checkout or checkout session changed, or a session that had ended received money',
    data: Data(
      z.string().meta({
        description: 'The status before; the same one where a session that had ended received money',
        example: 'processing',
      }),
    ),
    sample: () => sampleOf(Session, { ...sessionFacts, previousStatus: 'processing' }),
  },
} satisfies Record<string, EventType>
