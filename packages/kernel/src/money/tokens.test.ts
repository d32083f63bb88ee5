import { expect, test } from 'vitest'
import { isAddressOf } from './addresses.ts'
import { type Network, networks } from './networks.ts'
import { evmChainIds, tokenContracts } from './tokens.ts'

const own = ['ETH', 'SOL']

test('each token of each network has one contract, at a valid address of the network; a chain’s own currency has none', () => {
  const all: readonly Network[] = networks
  expect(Object.keys(tokenContracts).sort()).toEqual(all.map(({ key }) => key).sort())
  for (const { key, type, currencies } of all) {
    const contracts = tokenContracts[key] ?? {}
    expect([key, ...Object.keys(contracts).sort()]).toEqual([
      key,
      ...currencies.filter((symbol) => !own.includes(symbol)).sort(),
    ])
    for (const address of Object.values(contracts))
      expect([address, isAddressOf(type, address)]).toEqual([address, true])
  }
  const addresses = Object.values(tokenContracts).flatMap((contracts) => Object.values(contracts))
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('each EVM network has a chain id of its own', () => {
  expect(Object.keys(evmChainIds).sort()).toEqual(
    networks
      .filter(({ type }) => type === 'evm')
      .map(({ key }) => key as string)
      .sort(),
  )
  expect(new Set(Object.values(evmChainIds)).size).toBe(Object.keys(evmChainIds).length)
})
