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
  expect(sentenceOf(status('paid', 'processing'), '1,250 USDC')).toBe('Paid in full · 1,250 USDC')
  expect(sentenceOf(status('awaiting_payment'), '1,250 USDC')).toBe('Waiting for the payer')
  expect(sentenceOf(status('some_new_state'), undefined)).toBe('Some new state')
  expect(sentenceOf(status('paid', 'paid'), undefined)).toBeUndefined()
  for (const kind of ['posting', 'request', 'event', 'provider_call'])
    expect(sentenceOf({ kind, summary: 'x', details: {} }, undefined)).toBeUndefined()
})

test('a delivery that failed says so, and one that arrived is no news', () => {
  expect(sentenceOf(attempt(503), undefined)).toBe(
    'Webhook collection.updated was not delivered: your server answered 503 (attempt 2)',
  )
  expect(sentenceOf(attempt(null, 'timeout'), undefined)).toContain('not delivered: timeout')
  expect(sentenceOf(attempt(204), undefined)).toBeUndefined()
})

test('a transaction says what was sold, and in which direction its money went', () => {
  const of = (kind: string, receipt = {}) => purposeOf({ kind, destination: 'Access Bank •••6789', receipt })
  expect(of('collection', { title: 'Consulting', number: 'INV-000007' })).toBe('Consulting (INV-000007)')
  expect(of('collection', { title: 'Consulting', number: '' })).toBe('Consulting')
  expect(of('offramp')).toBe('Offramp to Access Bank •••6789')
  expect(of('swap')).toBe('Swap')
  expect(['collection', 'offramp', 'swap'].map(directionOf)).toEqual(['in', 'out', 'exchange'])
})
