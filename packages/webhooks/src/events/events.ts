import { exampleId } from '@payments/kernel'
import { type EventType, sampleOf } from '@payments/platform'
import { Endpoint } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

export const events = {
  [TEST_EVENT]: {
    description: 'A requested test event, sent to one endpoint only',
    data: Endpoint,
    sample: () => sampleOf(Endpoint, { id: exampleId(2), description: null, events: null }),
  },
} satisfies Record<string, EventType>
