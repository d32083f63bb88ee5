import { expect, test } from 'vitest'
import { isId, newId } from './ids.ts'
import { assetOf, networkOf, networks } from './money/networks.ts'
import { risingAfter } from './time/clock.ts'

test('networks and assets are found by their exact key and symbol', () => {
  for (const network of networks) expect(networkOf(network.key)).toBe(network)
  expect([networkOf('atlantis'), networkOf('Base'), assetOf('usdc'), assetOf('DOGE')]).toEqual(Array(4).fill(undefined))
  expect(assetOf('USDC')).toEqual({ symbol: 'USDC', decimals: 6 })
  for (const { currencies } of networks) for (const symbol of currencies) expect(assetOf(symbol)?.symbol).toBe(symbol)
})

test('new ids are UUIDs that rise with time, and no other text is an id', () => {
  const ids = Array.from({ length: 50 }, newId)
  expect(ids).toEqual(ids.toSorted())
  expect(ids.every(isId)).toBe(true)
  for (const text of ['', 'x', `${newId()}0`, newId().replace('-', '')]) expect(isId(text)).toBe(false)
})

test('a time rises after the one before it, also when the clock stands still or goes back', () => {
  const future = new Date(Date.now() + 60_000)
  expect(risingAfter(future).getTime()).toBe(future.getTime() + 1)
  const past = new Date(Date.now() - 60_000)
  expect(risingAfter(past).getTime()).toBeGreaterThan(past.getTime() + 50_000)
})
