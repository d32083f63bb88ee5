import { expect, test } from 'vitest'
import type { SessionRow } from '../entity.ts'
import type { PaymentChange } from '../payments/arrivals.ts'
import type { StoredPayment } from '../terms/rows.ts'
import { noticeOf } from './notices.ts'

const at = new Date('2026-01-31T12:00:00.000Z')
const until = new Date('2026-01-31T12:15:00.000Z')
const session = (more: Partial<SessionRow> = {}) =>
  ({
    ...{ title: 'Consulting', invoiceNumber: 7, currency: 'USDC', destinationCurrency: 'USDC', status: 'processing' },
    ...{ amount: 25_000_000n, targetAmount: 25_000_000n, receivedAmount: 0n, deliveredAmount: 0n, fees: 0n },
    ...{ paidOver: false, paidTwice: false, paidLate: false, refundTo: null, networkKey: 'ethereum', payments: [] },
    ...{ paymentPolicy: { mismatch: 'keep', tolerancePercent: 0.5, graceMinutes: 60 }, bankAccounts: [] },
    ...{ depositAddress: '0x1', expiresAt: until, endsAt: until, createdAt: at, updatedAt: at },
    ...more,
  }) as unknown as SessionRow
const payment = (more: Partial<StoredPayment> = {}): StoredPayment => ({
  ...{ id: '1', networkKey: 'ethereum', currency: 'USDC', amount: '25000000', amountUsd: null, returned: '0' },
  ...{ delivered: '25000000', deliveredUsd: null, fees: '0', status: 'completed', txHash: null, failureReason: null },
  ...{ receivedAt: at.toISOString(), requested: true, counts: true, inTime: true, late: false },
  ...more,
})
const whole = { status: 'paid', receivedAmount: 25_000_000n }
const pending = payment({ status: 'pending', delivered: null })
const failed = payment({ status: 'failed', delivered: null, failureReason: 'delivery_failed' })

/** The notification about a payment that is the last of its session. */
function told(before: Partial<SessionRow>, after: Partial<SessionRow>, change: PaymentChange) {
  const is = session({ payments: [change.after], ...after })
  return noticeOf(
    {
      collection: { status: 'open', endsAt: null },
      session: is,
      merchant: { name: 'Ada Ltd', suspended: false },
    },
    { before: session(before), after: is, changes: [change] },
    at,
  )
}

const rows: readonly (readonly [string, Partial<SessionRow>, Partial<SessionRow>, PaymentChange])[] = [
  ['Paid: Consulting (INV-000007)', {}, whole, { before: pending, after: payment() }],
  [
    'Paid twice: Consulting (INV-000007)',
    {},
    { ...whole, paidTwice: true, paidOver: true },
    { before: pending, after: payment() },
  ],
  [
    'Overpaid by 7 USDC: Consulting (INV-000007)',
    whole,
    { ...whole, receivedAmount: 32_000_000n, paidOver: true },
    { before: undefined, after: payment({ amount: '7000000' }) },
  ],
  [
    '7 USDT for Consulting (INV-000007) that was not asked for',
    whole,
    whole,
    { before: undefined, after: payment({ currency: 'USDT', amount: '7000000', requested: false, counts: false }) },
  ],
  [
    'An unknown amount of 0x6B17 for Consulting (INV-000007) that was not asked for',
    {},
    { status: 'underpaid' },
    { before: pending, after: payment({ currency: '0x6B17', amount: '0', requested: false, counts: false }) },
  ],
  ['25 USDC for Consulting (INV-000007) is on hold', {}, { status: 'failed' }, { before: pending, after: failed }],
  [
    '25 USDC for Consulting (INV-000007) was not confirmed',
    {},
    { status: 'failed' },
    { before: pending, after: { ...failed, failureReason: 'deposit_not_confirmed' } },
  ],
  [
    '25 USDC for Consulting (INV-000007) was sent back',
    {},
    { status: 'returned' },
    {
      before: pending,
      after: payment({ status: 'refunded', delivered: null, refundTo: { address: '0x1', owner: 'payer' } }),
    },
  ],
  [
    '25 USDC for Consulting (INV-000007) is on its way back',
    {},
    { status: 'returned' },
    {
      before: pending,
      after: payment({ status: 'refunded', delivered: null, refundTo: { address: '0x1', owner: 'service' } }),
    },
  ],
  [
    'Less arrived than promised: Consulting (INV-000007)',
    {},
    {},
    { before: pending, after: payment({ delivered: '1000000', short: true }) },
  ],
  [
    '25 USDC for Consulting (INV-000007) arrived too late',
    { status: 'expired' },
    { status: 'expired' },
    { before: undefined, after: payment({ counts: false }) },
  ],
  [
    'Payment corrected: Consulting (INV-000007)',
    whole,
    { status: 'failed' },
    { before: payment(), after: { ...failed, settled: true, failureReason: 'deposit_not_confirmed' } },
  ],
  [
    'Payment corrected: Consulting (INV-000007)',
    whole,
    whole,
    { before: payment(), after: payment({ amount: '24900000', settled: true }) },
  ],
]

test.each(rows)('%s is chosen by what changed, and names the amount', (title, before, after, change) => {
  const notice = told(before, after, change)
  expect(notice?.title.replaceAll('\u00a0', ' ')).toBe(title)
  expect(notice?.body).toMatch(/\d (USDC|USDT)|[Aa]n unknown amount of/)
  expect(notice?.body).not.toMatch(/payment of 0 |of USD[CT]\b(?! )|undefined|NaN/)
})

test('what changes nothing that a merchant has to know is not told', () => {
  const none = (status: string, change: PaymentChange) => told({ status }, { status }, change)
  expect(none('processing', { before: undefined, after: pending })).toBeUndefined()
  // An excess that went back changes no amount.
  expect(none('paid', { before: payment(), after: payment({ returned: '100' }) })).toBeUndefined()
})
