import type { EventType } from '@payments/platform'
import { Endpoint } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

export const events = {
  [TEST_EVENT]: {
    description: 'A requested test event, sent to one endpoint only',
    data: Endpoint,
    sample: {
      id: '01936f2a-7c1e-7000-8000-000000000002',
      url: 'https://merchant.example/webhooks',
      description: null,
      events: null,
      status: 'enabled',
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
    },
  },
} satisfies Record<string, EventType>
