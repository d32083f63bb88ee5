import { expect, test } from 'vitest'
import { isAddressOf, parseAddress } from './addresses.ts'

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

test('an address that no key controls is refused on every kind of chain', () => {
  for (const [type, text] of [
    ['evm', `0x${'0'.repeat(40)}`],
    ['evm', '0x000000000000000000000000000000000000dEaD'],
    ['evm', `0x${'0'.repeat(39)}1`],
    ['evm', `0x${'e'.repeat(40)}`],
    ['svm', '1'.repeat(32)],
    ['svm', '1nc1nerator11111111111111111111111111111111'],
    ['tvm', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ] as const)
    expect(parseAddress(type, text), text).toEqual({ error: 'Must not be a burn address: what is sent there is lost' })
  expect(parseAddress('evm', `0x${'0'.repeat(35)}10000`)).toHaveProperty('address')
})

test('an address is returned in its canonical spelling, and an error says what would be right', () => {
  const evm = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
  expect(parseAddress('evm', evm.toLowerCase())).toEqual({ address: evm })
  expect(parseAddress('evm', evm.replace('C7', 'c7'))).toEqual({ error: 'Checksum of the EVM address is wrong' })
  expect(parseAddress('evm', '0x12')).toEqual({ error: 'Must be an EVM address: 0x and 40 hexadecimal digits' })
  expect(parseAddress('svm', evm)).toEqual({ error: 'Must be a Solana address: 32 bytes in base58' })
  expect(parseAddress('tvm', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9')).toEqual({
    error: 'Checksum of the Tron address is wrong',
  })
  expect(parseAddress('tvm', evm)).toEqual({ error: 'Must be a Tron address: T and 33 base58 characters' })
})
