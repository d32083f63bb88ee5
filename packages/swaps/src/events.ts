import { type EventType, sampleOf } from '@payments/platform'
import { z } from 'zod'
import { Swap } from './schemas.ts'

/** What a swap has not whose deposit was not returned. */
const nothing = { refundTxHash: null, failureReason: null, customerId: null, metadata: {} }

export const events = {
  'swap.created': {
    description: 'A swap was created',
    data: Swap.extend({ previousStatus: z.null() }),
    sample: () =>
      sampleOf(Swap, {
        ...nothing,
        depositedAmount: '0',
        receivedAmount: null,
        fees: null,
        depositTxHash: null,
        swapTxHash: null,
        previousStatus: null,
      }),
  },
  'swap.updated': {
    description: 'The status of a swap changed',
    data: Swap.extend({ previousStatus: z.string() }),
    sample: () => sampleOf(Swap, { ...nothing, status: 'completed', previousStatus: 'swapping' }),
  },
} satisfies Record<string, EventType>
