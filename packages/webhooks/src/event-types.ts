import { id, text } from '@payments/kernel'
import type { EventType } from '@payments/platform'
import { z } from 'zod'

// The event types of interface version 1.0.0 (specification, Events) of domains that are not built yet. A domain that emits
// a type describes it in its own table, which replaces the row here; rows go as the domains arrive.

const Snapshot = z.looseObject({ id: id('resource', 3), status: text('State of the resource', 'pending') })
const Created = Snapshot.extend({ previousStatus: z.null() })
const Updated = Snapshot.extend({ previousStatus: z.string().nullable() })

const ID = '01936f2a-7c1e-7000-8000-000000000003'

/** Resources of the catalogue: the name of each, and an example of a status change. */
const families: Readonly<Record<string, { readonly what: string; readonly from: string; readonly to: string }>> = {
  payment_route: { what: 'payment route', from: 'active', to: 'paused' },
}

const updated = (description: string, from: string, to: string): EventType => ({
  description,
  data: Updated,
  sample: { id: ID, status: to, previousStatus: from },
})

/** Every event type of interface version 1.0.0 except `webhook.test`. */
export const plannedEventTypes: Readonly<Record<string, EventType>> = {
  ...Object.fromEntries(
    Object.entries(families).flatMap(([family, { what, from, to }]) => [
      [
        `${family}.created`,
        { description: `Created: ${what}`, data: Created, sample: { id: ID, status: from, previousStatus: null } },
      ],
      [`${family}.updated`, updated(`Status changed: ${what}`, from, to)],
    ]),
  ),
  'payment_route.deposit.updated': updated(
    'A deposit to a payment route was received, or its status changed',
    'pending',
    'completed',
  ),
}
