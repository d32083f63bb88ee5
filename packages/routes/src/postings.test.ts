import { expect, test } from 'vitest'
import { type DepositMoney, journalDrafts } from './journal.ts'

const deposit: DepositMoney = {
  id: '01936f2a-7c1e-7000-8000-000000000010',
  status: 'pending',
  originAmount: 1000n,
  originCurrency: 'USDC',
  destinationCurrency: 'USDC',
}
const entries = (given: Partial<DepositMoney>) =>
  journalDrafts({ ...deposit, ...given }).map(({ source, step, reverses, postings }) => {
    expect(source).toEqual({ type: 'payment_route', id: deposit.id })
    return [
      step,
      reverses,
      ...postings.map(({ account: { purpose, asset, party }, amount }) => [purpose, asset, party, amount]),
    ]
  })
const received = ['received', undefined, ['external', 'USDC', undefined, -1000n], ['clearing', 'USDC', 'relay', 1000n]]

test('a pending deposit is in the provider’s account', () => {
  expect(entries({})).toEqual([received])
})

test('a delivery leaves the provider’s account; a difference in the same asset is fees', () => {
  expect(entries({ status: 'completed', destinationAmount: 990n })).toEqual([
    received,
    [
      'delivered',
      undefined,
      ['clearing', 'USDC', 'relay', -990n],
      ['destination', 'USDC', undefined, 990n],
      ['clearing', 'USDC', 'relay', -10n],
      ['fees', 'USDC', undefined, 10n],
    ],
  ])
  expect(entries({ status: 'completed', destinationAmount: 1000n })[1]).toHaveLength(4)
})

test('a delivery in another asset goes through the exchange of the provider, and each asset sums to zero', () => {
  expect(entries({ status: 'completed', destinationAmount: 5n, destinationCurrency: 'ETH' })[1]).toEqual([
    'delivered',
    undefined,
    ['clearing', 'USDC', 'relay', -1000n],
    ['exchange', 'USDC', 'relay', 1000n],
    ['exchange', 'ETH', 'relay', -5n],
    ['destination', 'ETH', undefined, 5n],
  ])
})

test('a delivery of unknown amount, and a deposit that failed, are in suspense', () => {
  const suspense = [undefined, ['clearing', 'USDC', 'relay', -1000n], ['suspense', 'USDC', undefined, 1000n]]
  for (const destinationAmount of [undefined, null, 0n])
    expect(entries({ status: 'completed', destinationAmount, destinationCurrency: 'ETH' })[1]).toEqual([
      'delivered',
      ...suspense,
    ])
  expect(entries({ status: 'failed' })).toEqual([received, ['stranded', ...suspense]])
})

test('a returned deposit reverses its receipt', () => {
  expect(entries({ status: 'refunded' })).toEqual([
    received,
    ['received.reversal', 'received', ['external', 'USDC', undefined, 1000n], ['clearing', 'USDC', 'relay', -1000n]],
  ])
})

test('a deposit of zero posts nothing, whatever becomes of it', () => {
  for (const status of ['pending', 'completed', 'refunded', 'failed'])
    expect(entries({ status, originAmount: 0n })).toEqual([])
})
