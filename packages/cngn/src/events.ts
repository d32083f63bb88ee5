import { type EventType, sampleOf } from '@payments/platform'
import { z } from 'zod'
import { customer } from './kinds/customer.ts'
import { CngnDeposit, Convert, Payin, Payout, Withdrawal } from './schemas.ts'

/** What an object has not that did not fail. */
const nothing = { failureReason: null, providerOutcome: null, metadata: {} }
const account = {
  accountNumber: '0123456789',
  accountName: 'Ada Obi',
  bankName: 'Guaranty Trust Bank',
  bankCode: '058',
}
const convert = { fee: '0.5', depositTxHash: null, destinationAddress: null, refundAddress: null, refundTxHash: null }
/** What the samples have instead of the examples of their schemas. */
const facts = {
  convert: { ...nothing, ...convert, txHash: null },
  withdrawal: { ...nothing, txHash: null },
  payout: { ...nothing, bankAccount: account },
  payin: { ...nothing, reference: 'PIN-0004K7Q2M9X3TAB', relatedPayinId: null },
  deposit: nothing,
}
const schemas = { convert: Convert, withdrawal: Withdrawal, payout: Payout, payin: Payin, deposit: CngnDeposit }

type Kind = keyof typeof schemas
const created = (kind: Kind): EventType => ({
  description: `A cNGN ${kind} was created`,
  data: schemas[kind].extend({ previousStatus: z.null() }),
  sample: () => sampleOf(schemas[kind], { ...facts[kind], previousStatus: null }),
})
const updated = (kind: Kind): EventType => ({
  description: `The status of a cNGN ${kind} changed`,
  data: schemas[kind].extend({ previousStatus: z.string() }),
  sample: () => sampleOf(schemas[kind], { ...facts[kind], status: 'processing', previousStatus: 'pending' }),
})

const customerSample = (status: 'enabled' | 'failed', failureReason: string | null) => () =>
  sampleOf(customer.schema, { metadata: {}, cngn: { status, failureReason } })

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
