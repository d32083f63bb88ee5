import { expect, test } from 'vitest'
import type { SessionRow } from '../entity.ts'
import type { Arrival } from '../terms/rows.ts'
import { merge } from './arrivals.ts'

const now = new Date('2026-01-31T12:00:00.000Z')
const ends = new Date('2026-01-31T12:15:00.000Z')
const session = (more: Partial<SessionRow> = {}) =>
  ({
    ...{ status: 'awaiting_payment', currency: 'USDC', destinationCurrency: 'USDC', networkKey: 'ethereum' },
    ...{ amount: 25_000_000n, targetAmount: 25_000_000n, guaranteedAmount: null, payments: [], bankAccounts: [] },
    ...{ endsAt: ends, paymentPolicy: { mismatch: 'keep', tolerancePercent: 0.5, graceMinutes: 60 } },
    ...more,
  }) as unknown as SessionRow
const arrival = (more: Partial<Arrival>): Arrival => ({
  ...{ id: '1', method: 'onchain', provider: null, networkKey: 'ethereum', currency: 'USDC', requested: true },
  ...{ sent: 25_000_000n, sentUsd: null, returned: 0n, returnFailed: false, credited: 25_000_000n },
  ...{ delivered: 25_000_000n, deliveredUsd: null, status: 'completed', txHash: null, failureReason: null },
  ...{ refundTo: null, settled: false, receivedAt: now },
  ...more,
})
const kept = (row: SessionRow, of: Arrival) => merge(row, [of], 3).payments[0]

/** An account for 15,000 NGN, which count for all of a session, at a rate at which its order brings 23.5 of 25 USDC. */
const transfer = session({
  bankAccounts: [
    {
      ...{
        id: '1',
        bankName: '',
        accountNumber: '',
        accountName: '',
        amount: '1500000',
        currency: 'NGN',
        reference: '',
      },
      ...{ expiresAt: ends.toISOString(), worth: '25000000', promised: '23500000' },
    },
  ],
})
const naira = { method: 'bank_transfer', networkKey: null, currency: 'NGN', sent: 1_500_000n } as const

test.each([
  ['what its quote guarantees', session({ guaranteedAmount: 24_000_000n }), { delivered: 24_000_000n }, false],
  ['less than its quote guarantees', session({ guaranteedAmount: 24_000_000n }), { delivered: 23_999_999n }, true],
  ['what the tolerance allows', session(), { delivered: 24_250_000n }, false],
  ['less than the tolerance allows', session(), { delivered: 24_249_999n }, true],
  [
    'as much of a part as the whole may cost',
    session(),
    { sent: 4_000_000n, credited: 4_000_000n, delivered: 3_250_000n },
    false,
  ],
  [
    'what the order of a bank account promised, below the rate of the session',
    transfer,
    { ...naira, delivered: 23_500_000n },
    false,
  ],
  ['far less than the order of a bank account promised', transfer, { ...naira, delivered: 11_000_000n }, true],
  [
    'the asked amount of an excess that is sent back',
    session({ paymentPolicy: { mismatch: 'return', tolerancePercent: 0, graceMinutes: 60 } }),
    { sent: 40_000_000n, credited: 25_001_000n, returned: 14_999_000n, delivered: 24_900_000n },
    false,
  ],
])('of a payment that delivered %s', (_name, row, more, short) => {
  const payment = kept(row, arrival(more))
  expect(payment?.short ?? false).toBe(short)
  // What is missing of a promise is no fee, and the payment counts by what was delivered.
  if (short) expect(payment).toMatchObject({ fees: '0', credited: `${(BigInt(more.delivered) * 25n) / 25n}` })
})

test('what is short once and then turns out to be whole counts for what was sent', () => {
  const row = session({ guaranteedAmount: 24_000_000n })
  const short = kept(row, arrival({ delivered: 1_000_000n }))
  if (!short) throw new Error('No payment')
  const corrected = kept({ ...row, payments: [short] }, arrival({ delivered: 24_500_000n, settled: true }))
  expect(corrected).toMatchObject({ delivered: '24500000', fees: '500000', settled: true })
  expect(corrected).not.toHaveProperty('credited')
  expect(corrected).not.toHaveProperty('short')
})
