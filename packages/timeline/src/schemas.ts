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

export const SupportReport = z
  .object({
    objects: items(
      'The object and its newest parts',
      z.object({
        kind: text('Table that it is stored in', 'payment_routes'),
        id: id('object', ROUTE),
        fields: z.record(z.string(), z.string().nullable()).meta({
          description: 'Its columns; of what a person or a merchant wrote, the length',
          example: { status: 'active', name: '[8 characters]' },
        }),
      }),
    ),
    timeline: Timeline,
  })
  .meta({ id: 'SupportReport', description: 'What this service knows about an object, without personal data' })
