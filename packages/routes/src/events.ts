import type { EventType } from '@payments/kernel'
import { z } from 'zod'
import { Deposit, PaymentRoute } from './schemas.ts'

const previousStatus = z.string().nullable()

export const events = {
  'payment_route.created': {
    says: 'A payment route was created',
    data: PaymentRoute.extend({ previousStatus: z.null() }),
  },
  'payment_route.updated': {
    says: 'The status of a payment route changed',
    data: PaymentRoute.extend({ previousStatus }),
  },
  'payment_route.deposit.updated': {
    says: 'A deposit to a payment route was seen, or its status changed',
    data: Deposit.extend({ previousStatus }),
  },
} satisfies Record<string, EventType>
