import type { EventType } from '@payments/kernel'
import { z } from 'zod'

// The event types of interface version 1.0.0 (specification, Events), with what it promises of all of them. A domain that emits
// a type describes it more closely in its own table, which takes the place of the row here.

const Snapshot = z.looseObject({ id: z.uuid(), status: z.string() })
const Created = Snapshot.extend({ previousStatus: z.null() })
const Updated = Snapshot.extend({ previousStatus: z.string().nullable() })

const ID = '01936f2a-7c1e-7000-8000-000000000003'

/** Resources of the catalogue: what each is called, and a move that it makes. */
const families: Readonly<Record<string, { readonly what: string; readonly from: string; readonly to: string }>> = {
  swap: { what: 'swap', from: 'awaiting_deposit', to: 'swapping' },
  payment_route: { what: 'payment route', from: 'active', to: 'paused' },
  collection: { what: 'payment link, invoice or checkout', from: 'open', to: 'paid' },
  offramp: { what: 'offramp', from: 'pending', to: 'processing' },
  onramp: { what: 'onramp', from: 'awaiting_payment', to: 'processing' },
  'cngn.convert': { what: 'cNGN conversion', from: 'pending', to: 'processing' },
  'cngn.withdrawal': { what: 'cNGN withdrawal', from: 'pending', to: 'processing' },
  'cngn.payout': { what: 'cNGN payout', from: 'pending', to: 'processing' },
  'cngn.payin': { what: 'cNGN payin', from: 'pending', to: 'processing' },
  'cngn.deposit': { what: 'cNGN deposit', from: 'pending', to: 'processing' },
}

const updated = (says: string, from: string, to: string, optIn = false): EventType => ({
  says,
  data: Updated,
  sample: { id: ID, status: to, previousStatus: from },
  ...(optIn ? { optIn } : {}),
})

/** Every type that interface version 1.0.0 names, save `webhook.test`. */
export const announced: Readonly<Record<string, EventType>> = {
  ...Object.fromEntries(
    Object.entries(families).flatMap(([family, { what, from, to }]) => [
      [
        `${family}.created`,
        { says: `Created: ${what}`, data: Created, sample: { id: ID, status: from, previousStatus: null } },
      ],
      [`${family}.updated`, updated(`Status changed: ${what}`, from, to)],
    ]),
  ),
  'payment_route.deposit.updated': updated(
    'A deposit to a payment route was seen, or its status changed',
    'pending',
    'completed',
  ),
  'offramp.settled': updated('An offramp was converted and its bank transfer initiated', 'processing', 'settled', true),
  'offramp.delivered': updated('The destination bank confirmed an offramp', 'settled', 'delivered', true),
  'cngn.customer.enabled': updated('The identity of a customer was verified for cNGN', 'pending', 'enabled'),
  'cngn.customer.failed': updated('The identity of a customer could not be verified for cNGN', 'pending', 'failed'),
}
