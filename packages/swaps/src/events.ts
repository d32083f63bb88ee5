import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { Swap, swapSample } from './schemas.ts'

export const events = {
  'swap.created': {
    description: 'A swap was created',
    data: Swap.extend({ previousStatus: z.null() }),
    sample: {
      ...swapSample,
      status: 'awaiting_deposit',
      depositedAmount: '0',
      receivedAmount: null,
      fees: null,
      depositTxHash: null,
      swapTxHash: null,
      previousStatus: null,
    },
  },
  'swap.updated': {
    description: 'The status of a swap changed',
    data: Swap.extend({ previousStatus: z.string() }),
    sample: { ...swapSample, previousStatus: 'swapping' },
  },
} satisfies Record<string, EventType>
