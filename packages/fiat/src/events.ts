import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { Offramp, Onramp } from './schemas.ts'

const previousStatus = z.string()
const at = '2026-01-31T12:00:00.000Z'
const id = '01936f2a-7c1e-7000-8000-000000000030'

const offramp = {
  id,
  provider: 'sandbox',
  offrampId: 'ofr_01936f2a7c1e70008000000000000030',
  status: 'pending',
  amount: '25',
  sourceCurrency: 'USDC',
  destinationCurrency: 'NGN',
  networkKey: 'base',
  rate: '1580.25',
  fee: '0.125',
  convertedAmount: '39506.25',
  quoteId: null,
  bankAccount: {
    accountNumber: '0123456789',
    bankCode: '058',
    bankName: 'Guaranty Trust Bank',
    accountName: 'Ada Obi',
    bankCountry: 'NG',
  },
  accountCheck: { status: 'verified', accountName: 'OBI ADA', provider: 'sandbox', checkedAt: at },
  deposit: {
    networkKey: 'base',
    currency: 'USDC',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    amount: '25.125',
    expiresAt: at,
  },
  depositedAmount: null,
  depositTxHash: null,
  refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  reference: 'payroll-2026-01-17',
  failureReason: null,
  estimatedSettlement: at,
  refund: null,
  providerOutcome: null,
  metadata: {},
  customerId: null,
  createdAt: at,
  updatedAt: at,
}
const received = { ...offramp, depositedAmount: '25.125', depositTxHash: '0x9c2d0e' }
const settled = { ...received, status: 'settled', estimatedSettlement: null }

const onramp = {
  id,
  provider: 'sandbox',
  status: 'awaiting_payment',
  amount: '50000',
  sourceCurrency: 'NGN',
  destinationCurrency: 'USDC',
  networkKey: 'base',
  destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  rate: '1580.25',
  fee: '250',
  convertedAmount: '31.48236',
  receivedAmount: null,
  paymentAccount: {
    accountNumber: '9012345678',
    accountName: 'Sandbox Payments',
    bankName: 'Access Bank',
    reference: 'SBX-000000000030',
    amount: '50000',
    expiresAt: at,
  },
  txHash: null,
  refundBankAccount: null,
  reference: null,
  failureReason: null,
  refund: null,
  metadata: {},
  customerId: null,
  createdAt: at,
  updatedAt: at,
}

const updated = Offramp.extend({ previousStatus })

export const events = {
  'offramp.created': {
    description: 'An offramp was created',
    data: Offramp.extend({ previousStatus: z.null() }),
    sample: { ...offramp, previousStatus: null },
  },
  'offramp.updated': {
    description: 'The status of an offramp changed, or the status of the refund of a failed one',
    data: updated,
    sample: { ...received, status: 'processing', previousStatus: 'pending' },
  },
  'offramp.settled': {
    description: 'An offramp was converted and its bank transfer initiated; sent beside `offramp.updated`',
    data: updated,
    sample: { ...settled, previousStatus: 'processing' },
    optIn: true,
  },
  'offramp.delivered': {
    description: 'The destination bank confirmed an offramp; sent beside `offramp.updated`',
    data: updated,
    sample: { ...settled, status: 'delivered', previousStatus: 'settled' },
    optIn: true,
  },
  'onramp.created': {
    description: 'An onramp was created',
    data: Onramp.extend({ previousStatus: z.null() }),
    sample: { ...onramp, previousStatus: null },
  },
  'onramp.updated': {
    description: 'The status of an onramp changed, or the status of the refund of a failed one',
    data: Onramp.extend({ previousStatus }),
    sample: { ...onramp, status: 'processing', previousStatus: 'awaiting_payment' },
  },
} satisfies Record<string, EventType>
