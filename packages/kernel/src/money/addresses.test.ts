import { generateKeyPairSync } from 'node:crypto'
import { address, getProgramDerivedAddress } from '@solana/addresses'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { canonicalAddress, isAddressOf, parseAddress } from './addresses.ts'
import { networks } from './networks.ts'
import { cngnContracts, tokenContracts } from './tokens.ts'

test('an address is validated by the rules of its network type, including the checksum', () => {
  const evm = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
  const solana = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'
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

test('a contract or mint of a token is no wallet, in any spelling, and the message says of which token it is', () => {
  const known = [...Object.entries(tokenContracts), ...Object.entries(cngnContracts)].flatMap(([key, tokens]) => {
    const type = networks.find((network) => network.key === key)?.type ?? 'evm'
    return Object.entries(tokens).map(([symbol, address]) => ({ type, symbol, address }))
  })
  expect(known.length).toBeGreaterThan(20)
  for (const { type, symbol, address } of known) {
    expect(canonicalAddress(type, address)).toBe(address)
    const error = `Must be a wallet: this is the ${type === 'svm' ? 'mint' : 'contract'} of ${symbol}, and what is sent there is lost`
    expect(parseAddress(type, address)).toEqual({ error })
    if (type === 'evm') expect(parseAddress(type, address.toLowerCase())).toEqual({ error })
  }
  expect(parseAddress('svm', 'So11111111111111111111111111111111111111112')).toEqual({
    error: 'Must be a wallet: this is the mint of wrapped SOL, and what is sent there is lost',
  })
})

test('a program, a sysvar or another account of Solana itself is no wallet, and the message says what it is', () => {
  const refusal = (what: string) => ({ error: `Must be a wallet: this is ${what}, and what is sent there is lost` })
  for (const [address, what] of [
    ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'the Token program'],
    ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'the Token-2022 program'],
    ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'the Associated Token Account program'],
    ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'the Memo program'],
    ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'the Memo program'],
    ['JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4', 'the Jupiter program'],
  ] as const) {
    expect(isAddressOf('svm', address), address).toBe(true)
    expect(parseAddress('svm', address)).toEqual(refusal(what))
  }
  for (const address of [
    'ComputeBudget111111111111111111111111111111',
    'AddressLookupTab1e1111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'SysvarRecentB1ockHashes11111111111111111111',
    'Sysvar1nstructions1111111111111111111111111',
  ]) {
    expect(isAddressOf('svm', address), address).toBe(true)
    expect(parseAddress('svm', address), address).toEqual(refusal('a program or an account of Solana itself'))
  }
  expect(parseAddress('svm', '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA')).toHaveProperty('address')
})

test('a Solana address without a private key is refused unless it is allowed; one with a key never is', async () => {
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
  for (let seed = 0; seed < 50; seed++) {
    const [derived] = await getProgramDerivedAddress({ programAddress, seeds: [Uint8Array.of(seed)] })
    expect(parseAddress('svm', derived), derived).toEqual({
      error:
        'Must be a wallet: this Solana address has no private key, it is a token account or another account of a program. Set allowOffCurve to true if that program is to receive, such as a multisig',
    })
    expect(parseAddress('svm', derived, { allowOffCurve: true })).toEqual({ address: derived })
    const { publicKey } = generateKeyPairSync('ed25519')
    const key = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    expect(parseAddress('svm', key), key).toEqual({ address: key })
  }
  // What is known to lose money stays refused.
  expect(parseAddress('svm', '1nc1nerator11111111111111111111111111111111', { allowOffCurve: true })).toHaveProperty(
    'error',
  )
  expect(parseAddress('evm', '0x71C7656EC7ab88b098defB751B7401B5f6d8976F')).toHaveProperty('address')
})
