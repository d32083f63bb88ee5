import { networkOf } from '@payments/kernel'
import type { AvailableNetwork } from '@payments/routes'
import { expect, test } from 'vitest'
import { optionsOf, withEstimates } from './options.ts'
import { fiatValue } from './prices.ts'

const networks = ['ethereum', 'base', 'solana', 'tron'].map((key): AvailableNetwork => {
  const network = networkOf(key) as NonNullable<ReturnType<typeof networkOf>>
  return { ...network, origins: network.currencies, destinations: network.currencies }
})
const collection = { currency: 'USDT', destinationChainKey: 'solana', acceptedNetworks: null, acceptedCurrencies: null }
const shown = (more: Partial<Record<keyof typeof collection, unknown>> = {}) =>
  optionsOf(networks, { ...collection, ...more } as typeof collection).map(
    ({ networkKey, currency }) => `${currency} ${networkKey}`,
  )

test('payers see the merchant’s own currency first, and the networks that cost least on the way to the merchant', () => {
  expect(shown().slice(0, 6)).toEqual([
    'USDT solana',
    'USDT ethereum',
    'USDT tron',
    'USDC solana',
    'USDC base',
    'USDC ethereum',
  ])
  expect(shown({ currency: 'USDC', destinationChainKey: 'base' }).slice(0, 3)).toEqual([
    'USDC base',
    'USDC solana',
    'USDC ethereum',
  ])
})

test('a merchant orders and restricts networks and currencies', () => {
  expect(shown({ acceptedNetworks: ['tron', 'ethereum'] }).slice(0, 3)).toEqual([
    'USDT tron',
    'USDT ethereum',
    'USDC ethereum',
  ])
  expect(shown({ acceptedCurrencies: ['EURC', 'USDT'], acceptedNetworks: ['ethereum', 'solana'] })).toEqual([
    'EURC ethereum',
    'EURC solana',
    'USDT ethereum',
    'USDT solana',
  ])
})

test('what a choice costs and takes is that of both networks, once where they are the same', () => {
  const [own, other] = withEstimates(
    [
      { networkKey: 'base', currency: 'USDC' },
      { networkKey: 'ethereum', currency: 'USDC' },
    ],
    'base',
  )
  expect([own?.estimatedFee, own?.estimatedSeconds, other?.estimatedFee, other?.estimatedSeconds]).toEqual([
    ...['0.01', 10],
    ...['0.61', 70],
  ])
})

test('the value of an amount is to the cent, in what its currency stands for', () => {
  expect(fiatValue(25_000_000n, 'USDC')).toEqual({ amount: '25.00', currency: 'USD' })
  expect(fiatValue(1_234_995_000n, 'USDT')).toEqual({ amount: '1235.00', currency: 'USD' })
  expect(fiatValue(4_999n, 'EURC')).toEqual({ amount: '0.00', currency: 'EUR' })
  expect(fiatValue(5_000n, 'EURC')).toEqual({ amount: '0.01', currency: 'EUR' })
  for (const [units, symbol] of [
    [0n, 'USDC'],
    [-1n, 'USDC'],
    [1n, 'ETH'],
    [1n, 'WIN'],
  ] as const)
    expect(fiatValue(units, symbol)).toBeNull()
})
