import { expect, test } from 'vitest'
import { isAddressOf } from './addresses.ts'

test('an address is validated by the rules of its network type, including the checksum', () => {
  const evm = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
  const solana = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
  const tron = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
  expect([isAddressOf('evm', evm), isAddressOf('evm', evm.toLowerCase())]).toEqual([true, true])
  expect([isAddressOf('svm', solana), isAddressOf('tvm', tron)]).toEqual([true, true])
  for (const [type, text] of [
    ['evm', evm.replace('C7', 'c7')],
    ['evm', evm.slice(0, -1)],
    ['evm', solana],
    ['svm', solana.slice(0, -2)],
    ['svm', `${solana.slice(0, -1)}0`],
    ['svm', evm],
    ['tvm', `${tron.slice(0, -1)}9`],
    ['tvm', solana],
    ['tvm', ''],
  ] as const) {
    expect(isAddressOf(type, text), `${type} ${text}`).toBe(false)
  }
})
