import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { Deposit, PaymentRoute } from './schemas.ts'

const previousStatus = z.string().nullable()

const at = '2026-01-31T12:00:00.000Z'
const route = {
  id: '01936f2a-7c1e-7000-8000-000000000010',
  name: 'Treasury top-up',
  status: 'active',
  customerId: null,
  originChainKey: 'ethereum',
  originCurrency: 'USDC',
  destinationChainKey: 'base',
  destinationCurrency: 'USDC',
  destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  depositAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  metadata: {},
  createdAt: at,
  updatedAt: at,
}
const deposit = {
  id: '01936f2a-7c1e-7000-8000-000000000011',
  paymentRouteId: route.id,
  customerId: null,
  relayRequestId: '0x2f6e1c',
  status: 'completed',
  origin: { network: 'ethereum', symbol: 'USDC', amount: '12.5', amountUsd: '12.5' },
  destination: {
    network: 'base',
    symbol: 'USDC',
    address: route.destinationAddress,
    amount: '12.4',
    amountUsd: '12.4',
  },
  depositTxHash: '0x9c2d0e',
  failureReason: null,
  relayUpdatedAt: at,
  createdAt: at,
  updatedAt: at,
}

export const events = {
  'payment_route.created': {
    description: 'A payment route was created',
    data: PaymentRoute.extend({ previousStatus: z.null() }),
    sample: { ...route, previousStatus: null },
  },
  'payment_route.updated': {
    description: 'The status of a payment route changed',
    data: PaymentRoute.extend({ previousStatus }),
    sample: { ...route, status: 'deleted', previousStatus: 'active' },
  },
  'payment_route.deposit.updated': {
    description: 'A deposit to a payment route was received, or its status changed',
    data: Deposit.extend({ previousStatus }),
    sample: { ...deposit, previousStatus: 'pending' },
  },
} satisfies Record<string, EventType>
