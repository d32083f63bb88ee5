import { id, items, pathId, text, time, total } from '@payments/kernel'
import { timelineKinds } from '@payments/platform'
import { z } from 'zod'

const ROUTE = 10

export const ResourceId = z.strictObject({ id: pathId('object', ROUTE) })

export const Timeline = z
  .object({
    entries: items(
      'The newest 200 entries',
      z.object({
        kind: z.enum(timelineKinds).meta({ description: 'What kind of entry it is', example: 'status' }),
        at: time('When it happened'),
        id: id('request, event, journal entry or delivery behind it', 42),
        resourceId: id('object that it happened to: this one, or one of its parts', ROUTE),
        summary: text('One line', 'active → deleted'),
        details: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
          .meta({ description: 'Further facts, by kind', example: { status: 'deleted', previousStatus: 'active' } }),
      }),
    ),
    total,
  })
  .meta({ id: 'Timeline', description: 'What happened to an object' })
