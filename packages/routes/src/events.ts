import { type EventType, sampleOf } from '@payments/platform'
import { z } from 'zod'
import { Deposit, PaymentRoute } from './schemas.ts'

const previousStatus = z.string().nullable()
const correction = z
  .literal(true)
  .optional()
  .meta({ description: 'Present where an operator has corrected what had been recorded' })

/** Of an organisation's own account. */
const own = { customerId: null, metadata: {} }

export const events = {
  'payment_route.created': {
    description: 'A payment route was created',
    data: PaymentRoute.extend({ previousStatus: z.null() }),
    sample: () => sampleOf(PaymentRoute, { ...own, previousStatus: null }),
  },
  'payment_route.updated': {
    description: 'The status of a payment route changed',
    data: PaymentRoute.extend({ previousStatus }),
    sample: () => sampleOf(PaymentRoute, { ...own, status: 'deleted', previousStatus: 'active' }),
  },
  'payment_route.deposit.updated': {
    description: 'A deposit to a payment route was received, or its status changed',
    data: Deposit.extend({ previousStatus, correction }),
    sample: () =>
      sampleOf(Deposit, {
        customerId: null,
        status: 'completed',
        destination: {
          ...{ network: 'base', symbol: 'USDC', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
          ...{ amount: '12.4', amountUsd: '12.4' },
        },
        failureReason: null,
        refundedAmount: null,
        previousStatus: 'pending',
      }),
  },
} satisfies Record<string, EventType>
