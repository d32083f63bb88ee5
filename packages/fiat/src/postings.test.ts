import type { Draft } from '@payments/ledger'
import { expect, test } from 'vitest'
import { journalOf } from './entities/journal.ts'

const order = {
  id: '01936f2a-7c1e-7000-8000-000000000060',
  provider: 'paycrest',
  sourceCurrency: 'USDC',
  destinationCurrency: 'NGN',
  fee: 10n,
  convertedAmount: 150_000n,
  receivedAmount: 1000n,
}
const journal = journalOf('offramp', order)
const entry = ({ step, postings }: Draft) => [
  step,
  ...postings.map(({ account: { purpose, asset, party }, amount }) => [purpose, asset, party, amount]),
]
const external = ['external', 'USDC', undefined]
const withProvider = ['clearing', 'USDC', 'paycrest']
const onTheWay = ['clearing', 'NGN', 'paycrest']

test('each entry belongs to its order, of its direction', () => {
  for (const direction of ['offramp', 'onramp'] as const) {
    const { received, refunded, ...others } = journalOf(direction, order)
    for (const { source } of [received(), refunded(5n, true), ...Object.values(others)])
      expect(source).toEqual({ type: direction, id: order.id })
  }
})

test('money in parts is received in entries of their own, each of what came since the one before', () => {
  expect(entry(journal.received())).toEqual(['received', [...external, -1000n], [...withProvider, 1000n]])
  expect(entry(journal.received(400n))).toEqual(['received.to_1000', [...external, -600n], [...withProvider, 600n]])
})

test('a conversion takes the fee before the exchange, and is undone by its reversal', () => {
  expect(entry(journal.converted)).toEqual([
    'converted',
    [...withProvider, -990n],
    ['exchange', 'USDC', 'paycrest', 990n],
    [...withProvider, -10n],
    ['fees', 'USDC', undefined, 10n],
    ['exchange', 'NGN', 'paycrest', -150_000n],
    [...onTheWay, 150_000n],
  ])
  const sum = [...journal.converted.postings, ...journal.unconverted.postings].reduce(
    (all, { amount }) => all + amount,
    0n,
  )
  expect([journal.unconverted.reverses, sum]).toEqual(['converted', 0n])
  expect(journalOf('offramp', { ...order, fee: 0n }).converted.postings).toHaveLength(4)
})

test('a delivery goes from the provider to the destination, and a returned one from there to suspense', () => {
  const delivered = ['destination', 'NGN', undefined]
  expect(entry(journal.delivered)).toEqual(['delivered', [...onTheWay, -150_000n], [...delivered, 150_000n]])
  expect(entry(journal.returned)).toEqual([
    'returned',
    [...delivered, -150_000n],
    ['suspense', 'NGN', undefined, 150_000n],
  ])
})

test('what the provider holds, or cannot send back, is in suspense', () => {
  const suspense = [
    [...withProvider, -1000n],
    ['suspense', 'USDC', undefined, 1000n],
  ]
  expect(entry(journal.held)).toEqual(['held', ...suspense])
  expect(entry(journal.stranded)).toEqual(['stranded', ...suspense])
})

test('a refund comes from where the money is, and what the provider kept is a fee', () => {
  expect(entry(journal.refunded(970n, false))).toEqual([
    'refunded',
    [...withProvider, -970n],
    [...external, 970n],
    [...withProvider, -30n],
    ['fees', 'USDC', undefined, 30n],
  ])
  expect(entry(journal.refunded(1000n, true))).toEqual([
    'refunded',
    ['suspense', 'USDC', undefined, -1000n],
    [...external, 1000n],
  ])
})

test('an order that received nothing posts nothing of it', () => {
  const nothing = journalOf('onramp', { ...order, receivedAmount: null, fee: 0n })
  expect([nothing.received().postings, nothing.held.postings, nothing.refunded(0n, true).postings]).toEqual([
    [],
    [],
    [],
  ])
})
