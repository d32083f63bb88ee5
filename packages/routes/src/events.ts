import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { Deposit, depositSample, PaymentRoute, routeSample } from './schemas.ts'

const previousStatus = z.string().nullable()
const correction = z
  .literal(true)
  .optional()
  .meta({ description: 'Present where an operator has corrected what had been recorded' })

export const events = {
  'payment_route.created': {
    description: 'A payment route was created',
    data: PaymentRoute.extend({ previousStatus: z.null() }),
    sample: { ...routeSample, previousStatus: null },
  },
  'payment_route.updated': {
    description: 'The status of a payment route changed',
    data: PaymentRoute.extend({ previousStatus }),
    sample: { ...routeSample, status: 'deleted', previousStatus: 'active' },
  },
  'payment_route.deposit.updated': {
    description: 'A deposit to a payment route was received, or its status changed',
    data: Deposit.extend({ previousStatus, correction }),
    sample: { ...depositSample, previousStatus: 'pending' },
  },
} satisfies Record<string, EventType>
