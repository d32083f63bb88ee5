import { expect, test } from 'vitest'
import { explorerOf, explorers, transactionUrl } from './explorers.ts'
import { networks } from './networks.ts'

test('each network has an explorer in live, and none in the sandbox', () => {
  expect(Object.keys(explorers)).toEqual(networks.map(({ key }) => key))
  for (const { key } of networks) {
    const { transaction = '', address = '' } = explorerOf('live', key) ?? {}
    for (const url of [transaction, address]) {
      expect(url).toMatch(/^https:\/\/[a-z.]+\/(#\/)?(tx|transaction|address)\/$/)
      expect(URL.canParse(`${url}0x1`)).toBe(true)
    }
    expect(explorerOf('test', key)).toBeUndefined()
  }
})

test('a hash stays in the path of the explorer', () => {
  const explorer = { name: 'Explorer', transaction: 'https://explorer.test/tx/', address: '' }
  expect(transactionUrl(explorer, '../?0x1')).toBe('https://explorer.test/tx/..%2F%3F0x1')
  expect(transactionUrl(undefined, '0x1')).toBeUndefined()
})
