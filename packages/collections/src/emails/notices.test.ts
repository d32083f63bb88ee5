import { expect, test } from 'vitest'
import type { PaymentChange } from '../payments/arrivals.ts'
import type { SessionColumns, StoredPayment } from '../terms/rows.ts'
import { noticeOf } from './notices.ts'

const at = new Date('2026-01-31T12:00:00.000Z')
const session = (more: Partial<SessionColumns> = {}) =>
  ({
    ...{ title: 'Consulting', invoiceNumber: 7, currency: 'USDC', destinationCurrency: 'USDC', status: 'processing' },
    ...{ amount: 25_000_000n, receivedAmount: 0n, paidOver: false, paidTwice: false },
    ...more,
  }) as SessionColumns
const payment = (more: Partial<StoredPayment> = {}): StoredPayment => ({
  ...{ id: '1', networkKey: 'ethereum', currency: 'USDC', amount: '25000000', amountUsd: null, returned: '0' },
  ...{ delivered: '25000000', deliveredUsd: null, fees: '0', status: 'completed', txHash: null, failureReason: null },
  ...{ receivedAt: at.toISOString(), requested: true, counts: true, inTime: true, late: false },
  ...more,
})
const whole = { status: 'paid', receivedAmount: 25_000_000n }
const pending = payment({ status: 'pending', delivered: null })
const failed = payment({ status: 'failed', delivered: null, failureReason: 'delivery_failed' })

const told: readonly (readonly [string, Partial<SessionColumns>, Partial<SessionColumns>, PaymentChange])[] = [
  ['Payment received', {}, whole, { before: pending, after: payment() }],
  ['Paid twice', {}, { ...whole, paidTwice: true, paidOver: true }, { before: pending, after: payment() }],
  [
    'Overpayment received',
    whole,
    { ...whole, paidOver: true },
    { before: undefined, after: payment({ amount: '7000000' }) },
  ],
  [
    'Payment in another currency',
    whole,
    whole,
    { before: undefined, after: payment({ currency: 'USDT', amount: '7000000', requested: false }) },
  ],
  [
    'Payment in another currency',
    {},
    { status: 'underpaid' },
    { before: pending, after: payment({ currency: '0x6B17', amount: '0', requested: false }) },
  ],
  ['Payment neither delivered nor returned', {}, { status: 'failed' }, { before: pending, after: failed }],
  [
    'Payment not confirmed',
    {},
    { status: 'failed' },
    { before: pending, after: { ...failed, failureReason: 'deposit_not_confirmed' } },
  ],
  [
    'Payment not confirmed',
    {},
    { status: 'failed' },
    { before: pending, after: { ...failed, amount: '0', settled: true, failureReason: 'deposit_not_confirmed' } },
  ],
  [
    'Payment returned',
    {},
    { status: 'returned' },
    {
      before: pending,
      after: payment({ status: 'refunded', delivered: null, refundTo: { address: '0x1', owner: 'payer' } }),
    },
  ],
  ['Less delivered than promised', {}, {}, { before: pending, after: payment({ delivered: '1000000', short: true }) }],
  [
    'Payment after the end of a session',
    { status: 'expired' },
    { status: 'expired' },
    { before: undefined, after: payment() },
  ],
  [
    'Payment corrected',
    whole,
    { status: 'failed' },
    { before: payment(), after: { ...failed, amount: '0', settled: true, failureReason: 'deposit_not_confirmed' } },
  ],
  ['Payment corrected', whole, whole, { before: payment(), after: payment({ amount: '24900000', settled: true }) }],
]

test.each(told)('%s is chosen by what changed, and names the amount', (title, before, after, change) => {
  const notice = noticeOf({ before: session(before), after: session(after), changes: [change] })
  expect(notice?.title).toBe(title)
  expect(notice?.body).toMatch(/\d (USDC|USDT)|an unknown amount of/)
  expect(notice?.body).not.toMatch(/payment of 0 |of USD[CT]\b(?! )/)
})

test('what changes nothing that a merchant has to know is not told', () => {
  const none = (status: string, change: PaymentChange) =>
    noticeOf({ before: session({ status }), after: session({ status }), changes: [change] })
  expect(none('processing', { before: undefined, after: pending })).toBeUndefined()
  // An excess that went back changes no amount.
  expect(none('paid', { before: payment(), after: payment({ returned: '100' }) })).toBeUndefined()
})
