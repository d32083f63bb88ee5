import { isAddressOf, networks } from '@payments/kernel'
import { expect, test } from 'vitest'
import { relayAsset } from './assets.ts'

test('every currency of every network has a token address of that kind of chain', () => {
  for (const { key, type, currencies } of networks) {
    for (const currency of currencies) {
      const asset = relayAsset({ networkKey: key, currency })
      expect(asset && isAddressOf(type, asset.address), `${currency} on ${key}`).toBe(true)
    }
  }
})

test('a currency that a network does not have is undefined', () => {
  expect(relayAsset({ networkKey: 'tron', currency: 'ETH' })).toBeUndefined()
  expect(relayAsset({ networkKey: 'toString', currency: 'USDC' })).toBeUndefined()
})
