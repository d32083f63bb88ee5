import { expect, test } from 'vitest'
import { creditedOf, journalDraft } from './terms/journal.ts'
import type { StoredPayment } from './terms/rows.ts'

const session = { provider: 'relay', id: '01936f2a-7c1e-7000-8000-000000000080', destinationCurrency: 'USDC' }
const payment: StoredPayment = {
  id: '01936f2a-7c1e-7000-8000-000000000081',
  networkKey: 'base',
  currency: 'USDC',
  amount: '1000',
  amountUsd: null,
  returned: '0',
  delivered: '990',
  deliveredUsd: null,
  fees: '7',
  status: 'completed',
  txHash: null,
  failureReason: null,
  receivedAt: '2026-01-31T12:00:00.000Z',
  requested: true,
  counts: true,
  inTime: true,
  late: false,
}
const draft = (given: Partial<StoredPayment>) => journalDraft(session, { ...payment, ...given })
const postings = (given: Partial<StoredPayment>) =>
  draft(given)?.postings.map(({ account: { purpose, asset, party }, amount }) => [purpose, asset, party, amount])

test('a payment is posted once: its entry has the session as source, and the payment’s id in its step', () => {
  expect(draft({})).toMatchObject({
    source: { type: 'collection', id: session.id },
    step: 'deposit.01936f2a7c1e70008000000000000081',
  })
})

test('what was sent, less what was sent back, arrives at the destination, and the rest is fees', () => {
  expect(postings({ returned: '5' })).toEqual([
    ['external', 'USDC', undefined, -995n],
    ['destination', 'USDC', undefined, 990n],
    ['fees', 'USDC', undefined, 5n],
  ])
  expect(postings({ amount: '990' })).toEqual([
    ['external', 'USDC', undefined, -990n],
    ['destination', 'USDC', undefined, 990n],
  ])
})

test('a payment in another asset goes through the exchange of the provider, and each asset sums to zero', () => {
  expect(postings({ currency: 'ETH', returned: '5' })).toEqual([
    ['external', 'ETH', undefined, -995n],
    ['exchange', 'ETH', 'relay', 995n],
    ['exchange', 'USDC', 'relay', -997n],
    ['destination', 'USDC', undefined, 990n],
    ['fees', 'USDC', undefined, 7n],
  ])
})

test('a payment that failed, or that was delivered with an unknown amount, is in suspense', () => {
  const suspense = [
    ['external', 'USDC', undefined, -1000n],
    ['suspense', 'USDC', undefined, 1000n],
  ]
  expect(postings({ status: 'failed' })).toEqual(suspense)
  expect(postings({ delivered: null })).toEqual(suspense)
})

test('a payment under way, one that was sent back, and one of which nothing stayed, post nothing', () => {
  for (const status of ['pending', 'refunded'] as const) expect(draft({ status })).toBeUndefined()
  expect(draft({ status: 'failed', returned: '1000' })).toBeUndefined()
})

test('a refund to this service is in suspense, with what came back of it, until it is settled; one to others posts nothing', () => {
  const refundTo = { address: '0xbBc46633Ad69c683f8cFEAa13b7172f6FE8eb01e', owner: 'service' } as const
  const held = (came: bigint) => [
    ['external', 'USDC', undefined, -came],
    ['suspense', 'USDC', undefined, came],
  ]
  expect(postings({ status: 'refunded', refundTo })).toEqual(held(1000n))
  expect(postings({ status: 'refunded', refundTo, returned: '900' })).toEqual(held(900n))
  expect(draft({ status: 'refunded', refundTo, settled: true })).toBeUndefined()
  expect(draft({ status: 'refunded', refundTo: { ...refundTo, owner: 'payer' } })).toBeUndefined()
  expect(draft({ status: 'refunded' })).toBeUndefined()
  expect(postings({ refundTo })).toEqual(postings({}))
})

test('what a provider still owes of a delivery is in suspense, and no fee', () => {
  expect(postings({ short: true })).toEqual([
    ['external', 'USDC', undefined, -1000n],
    ['destination', 'USDC', undefined, 990n],
    ['suspense', 'USDC', undefined, 10n],
  ])
})

test('a payment counts for what was not sent back; a refund for all that came, an unasked one for nothing, and what an operator credited for that', () => {
  const credited = (given: Partial<StoredPayment>) => creditedOf({ ...payment, ...given })
  expect(credited({ returned: '400' })).toBe(600n)
  expect(credited({ returned: '400', status: 'refunded' })).toBe(1000n)
  expect(credited({ requested: false })).toBe(0n)
  expect(credited({ credited: '7' })).toBe(7n)
  expect(credited({ credited: '7', requested: false })).toBe(7n)
})
