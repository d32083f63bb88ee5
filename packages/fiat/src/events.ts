import { exampleId } from '@payments/kernel'
import { type EventType, sampleOf } from '@payments/platform'
import { z } from 'zod'
import { Offramp, Onramp } from './schemas.ts'

const previousStatus = z.string()
const id = exampleId(30)
/** What an order has not that failed nothing and is nobody's. */
const nothing = { failureReason: null, refund: null, metadata: {}, customerId: null }
const offramp = {
  ...nothing,
  ...{ id, offrampId: `ofr_${id.replaceAll('-', '')}`, quoteId: null, reference: 'payroll-2026-01-17' },
  providerOutcome: null,
}
const received = { ...offramp, depositTxHash: '0x9c2d0e' }
const settled = { ...received, status: 'settled', estimatedSettlement: null } as const
const onramp = {
  ...nothing,
  ...{ id, receivedAmount: null, txHash: null, refundBankAccount: null, reference: null },
  paymentAccount: {
    ...{ accountNumber: '9012345678', accountName: 'Sandbox Payments', bankName: 'Access Bank' },
    ...{ reference: 'SBX-000000000030', amount: '50000', expiresAt: '2026-01-31T12:00:00.000Z' },
  },
}

const updated = Offramp.extend({ previousStatus })

export const events = {
  'offramp.created': {
    description: 'An offramp was created',
    data: Offramp.extend({ previousStatus: z.null() }),
    sample: () => sampleOf(Offramp, { ...offramp, depositedAmount: null, depositTxHash: null, previousStatus: null }),
  },
  'offramp.updated': {
    description: 'The status of an offramp changed, or the status of the refund of a failed one',
    data: updated,
    sample: () => sampleOf(Offramp, { ...received, status: 'processing', previousStatus: 'pending' }),
  },
  'offramp.settled': {
    description: 'An offramp was converted and its bank transfer initiated; sent beside `offramp.updated`',
    data: updated,
    sample: () => sampleOf(Offramp, { ...settled, previousStatus: 'processing' }),
    optIn: true,
  },
  'offramp.delivered': {
    description: 'The destination bank confirmed an offramp; sent beside `offramp.updated`',
    data: updated,
    sample: () => sampleOf(Offramp, { ...settled, status: 'delivered', previousStatus: 'settled' }),
    optIn: true,
  },
  'onramp.created': {
    description: 'An onramp was created',
    data: Onramp.extend({ previousStatus: z.null() }),
    sample: () => sampleOf(Onramp, { ...onramp, previousStatus: null }),
  },
  'onramp.updated': {
    description: 'The status of an onramp changed, or the status of the refund of a failed one',
    data: Onramp.extend({ previousStatus }),
    sample: () => sampleOf(Onramp, { ...onramp, status: 'processing', previousStatus: 'awaiting_payment' }),
  },
} satisfies Record<string, EventType>
