import type { EventType } from '@payments/platform'
import { z } from 'zod'
import { CngnDeposit, Convert, Payin, Payout, Withdrawal } from '../api/schemas.ts'
import { customer } from '../customers/customer.ts'

const at = '2026-01-31T12:00:00.000Z'
const exampleOf = (number: number) => `01936f2a-7c1e-7000-8000-0000000000${number}`
const wallet = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const hash = `0x${'9c2d0e5a'.repeat(8)}`

const sample = (number: number, more: Record<string, unknown>) => ({
  id: exampleOf(number),
  provider: 'sandbox',
  customerId: exampleOf(20),
  status: 'pending',
  amount: '25000',
  fee: '0',
  failureReason: null,
  providerOutcome: null,
  metadata: {},
  createdAt: at,
  updatedAt: at,
  ...more,
})
const account = { accountNumber: '9012345678', accountName: 'Ada Obi', bankName: 'Access Bank', bankCode: '044' }

const samples = {
  convert: sample(90, {
    amount: '100',
    fee: '0.5',
    fromCurrency: 'USDC',
    toCurrency: 'cNGN',
    convertedAmount: '157234.875',
    rate: '1580.25',
    deposit: {
      networkKey: 'base',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      amount: '100',
      expiresAt: at,
    },
    depositTxHash: null,
    networkKey: 'base',
    destinationAddress: null,
    refundAddress: null,
    refundTxHash: null,
    txHash: null,
  }),
  withdrawal: sample(91, { networkKey: 'base', address: wallet, txHash: null }),
  payout: sample(92, {
    bankAccount: { ...account, accountNumber: '0123456789', bankName: 'Guaranty Trust Bank', bankCode: '058' },
    accountCheck: { status: 'verified', accountName: 'OBI ADA', provider: 'sandbox', checkedAt: at },
    reference: 'payroll-17',
  }),
  payin: sample(93, {
    account: { ...account, amount: '25000', expiresAt: at },
    reference: 'PIN-4K7Q2M9X3TAB',
    relatedPayinId: null,
  }),
  deposit: sample(94, { networkKey: 'base', address: wallet, txHash: hash }),
}
const schemas = { convert: Convert, withdrawal: Withdrawal, payout: Payout, payin: Payin, deposit: CngnDeposit }

type Kind = keyof typeof schemas
const created = (kind: Kind): EventType => ({
  description: `A cNGN ${kind} was created`,
  data: schemas[kind].extend({ previousStatus: z.null() }),
  sample: { ...samples[kind], previousStatus: null },
})
const updated = (kind: Kind): EventType => ({
  description: `The status of a cNGN ${kind} changed`,
  data: schemas[kind].extend({ previousStatus: z.string() }),
  sample: { ...samples[kind], status: 'processing', previousStatus: 'pending' },
})

const customerSample = (status: 'enabled' | 'failed', failureReason: string | null) => ({
  id: exampleOf(20),
  name: 'Ada Obi',
  email: 'ada@example.com',
  phoneNumber: '+2348012345678',
  address: '5 Broad Street, Lagos',
  country: 'NG',
  taxId: '87654321-0001',
  metadata: {},
  cngn: { status, failureReason },
  createdAt: at,
  updatedAt: at,
})

export const events = {
  'cngn.convert.created': created('convert'),
  'cngn.convert.updated': updated('convert'),
  'cngn.withdrawal.created': created('withdrawal'),
  'cngn.withdrawal.updated': updated('withdrawal'),
  'cngn.payout.created': created('payout'),
  'cngn.payout.updated': updated('payout'),
  'cngn.payin.created': created('payin'),
  'cngn.payin.updated': updated('payin'),
  'cngn.deposit.created': created('deposit'),
  'cngn.deposit.updated': updated('deposit'),
  'cngn.customer.enabled': {
    description: 'The identity of a customer was verified: the customer can use cNGN',
    data: customer.schema,
    sample: customerSample('enabled', null),
  },
  'cngn.customer.failed': {
    description: 'The identity of a customer could not be verified for cNGN',
    data: customer.schema,
    sample: customerSample('failed', 'customer_name_bvn_mismatch'),
  },
} satisfies Record<string, EventType>
