import { expect, test } from 'vitest'
import { isDepositAddress } from './rules.ts'

const [WALLET, OTHER] = ['0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '0x8617E340B3D01FA5F11F306F4090FD50E238070D']

test('what a provider gives as a deposit address is an address of the network, and none to which the order itself sends', () => {
  expect(isDepositAddress('evm', OTHER, [WALLET])).toBe(true)
  expect(isDepositAddress('svm', OTHER, [WALLET])).toBe(false)
  for (const ends of [[OTHER], [WALLET, OTHER], [OTHER.toLowerCase()]])
    expect(isDepositAddress('evm', OTHER, ends)).toBe(false)
})
