import { directionOf } from '@payments/kernel'
import { expect, test } from 'vitest'
import { purposeOf } from './direction.ts'
import { sentenceOf } from './sentences.ts'

const status = (is: string, was: string | null = null) => ({
  kind: 'status',
  summary: `${was} → ${is}`,
  details: { status: is, previousStatus: was },
})
const attempt = (responseStatus: number | null, error: string | null = null) => ({
  kind: 'delivery_attempt',
  summary: '',
  details: { responseStatus, error, eventType: 'collection.updated', attempt: 2 },
})

test('a merchant reads sentences, with the amount where money has arrived, and nothing of what only developers need', () => {
  expect(sentenceOf(status('paid', 'processing'), { amount: '1,250 USDC' })).toBe('Paid in full · 1,250 USDC')
  expect(sentenceOf(status('awaiting_payment'), { amount: '1,250 USDC' })).toBe('Waiting for the payer')
  expect(sentenceOf(status('some_new_state'), {})).toBe('Some new state')
  expect(sentenceOf(status('paid', 'paid'), {})).toBeUndefined()
  for (const kind of ['posting', 'request', 'event', 'provider_call'])
    expect(sentenceOf({ kind, summary: 'x', details: {} }, {})).toBeUndefined()
})

test('a status is said as it is for the kind of transaction, and only money that is on hold is said to be', () => {
  const said = (of: string, is: string) => sentenceOf(status(is), { of, amount: '20 USDC' })
  expect(said('collection', 'processing')).toBe('Payment received, being confirmed')
  expect(said('cngn_payout', 'processing')).toBe('Being sent')
  expect(said('cngn_payout', 'pending')).toBe('Waiting to be sent')
  expect(said('offramp', 'pending')).toBe('Waiting for the deposit')
  expect(said('offramp', 'settled')).toBe('Bank transfer sent · 20 USDC')
  expect(said('payment_route', 'refunded')).toBe('Refunded')
  expect(said('onramp', 'failed')).toBe('Failed')
  expect(said('payment_route', 'failed')).toBe('Failed: the money is on hold')
})

test('a delivery that failed says so, and one that arrived is no news', () => {
  expect(sentenceOf(attempt(503), {})).toBe(
    'Webhook collection.updated was not delivered: your server answered 503 (attempt 2)',
  )
  expect(sentenceOf(attempt(null, 'timeout'), {})).toContain('not delivered: timeout')
  expect(sentenceOf(attempt(204), {})).toBeUndefined()
})

test('a transaction says what was sold, and in which direction its money went', () => {
  const of = (kind: string, receipt = {}) => purposeOf({ kind, destination: 'Access Bank •••6789', receipt })
  expect(of('collection', { title: 'Consulting', number: 'INV-000007' })).toBe('Consulting (INV-000007)')
  expect(of('collection', { title: 'Consulting', number: '' })).toBe('Consulting')
  expect(of('offramp')).toBe('Offramp to Access Bank •••6789')
  expect(of('swap')).toBe('Swap')
  expect(['collection', 'offramp', 'swap'].map(directionOf)).toEqual(['in', 'out', 'exchange'])
})
