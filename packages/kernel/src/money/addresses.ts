import { type Address, isOffCurveAddress } from '@solana/addresses'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import { checksum, validate as isEvmAddress } from 'ox/Address'
import { fromBytes } from 'ox/Hex'
import type { NetworkType } from './networks.ts'
import { knownAs } from './no-wallets.ts'

/** How an address of each type is written, for messages to merchants. */
const FORM: Record<NetworkType, string> = {
  evm: 'Must be an EVM address: 0x and 40 hexadecimal digits',
  svm: 'Must be a Solana address: 32 bytes in base58',
  tvm: 'Must be a Tron address: T and 33 base58 characters',
}

const OFF_CURVE =
  'Must be a wallet: this Solana address has no private key, it is a token account or another account of a program. Set allowOffCurve to true if that program is to receive, such as a multisig'

/** Solana's incinerator account, which burns what it receives. */
const INCINERATOR = '1nc1nerator11111111111111111111111111111111'
/** The name by which many contracts mean a chain's own currency; no key controls it. */
const NATIVE = 'e'.repeat(40)
/** Below this are the zero address, the precompiled contracts and `0x…dEaD`. */
const RESERVED = 0x10000n

/** What is accepted as an address of a wallet. `allowOffCurve`: Solana addresses that no private key belongs to. */
export interface AddressRules {
  readonly allowOffCurve?: boolean | null | undefined
}

/** A checked address in its canonical spelling, or what is wrong with it. */
export type ParsedAddress = { readonly address: string } | { readonly error: string }

/**
 * Checks an address of a network type. EVM: 20 bytes in one case or with a valid EIP-55 checksum, which is its canonical
 * spelling. Solana: base58 of 32 bytes. Tron: base58check of 21 bytes that begin with 0x41. Addresses that no key
 * controls are refused, because what is sent there is lost: burn addresses, contracts and mints of tokens, programs. So are addresses of
 * Solana that belong to a program, unless `allowOffCurve` is true: most of them are token accounts, some are vaults of a multisig.
 */
export function parseAddress(
  type: NetworkType,
  text: string,
  { allowOffCurve = false }: AddressRules = {},
): ParsedAddress {
  const address = canonicalAddress(type, text)
  if (address === undefined) return { error: hasWrongChecksum(type, text) ? checksumError(type) : FORM[type] }
  if (isBurnAddress(type, address)) return { error: 'Must not be a burn address: what is sent there is lost' }
  const known = knownAs(type, address)
  if (known) return { error: `Must be a wallet: this is ${known}, and what is sent there is lost` }
  if (!allowOffCurve && isOffCurve(type, address)) return { error: OFF_CURVE }
  return { address }
}

/**
 * True for a Solana address that is no point of the curve, so that no private key belongs to it: a token account, or another account of a
 * program. `address` in its canonical spelling.
 */
export const isOffCurve = (type: NetworkType, address: string): boolean =>
  type === 'svm' && isOffCurveAddress(address as Address)

/** True for a valid address of this network type, burn addresses included. */
export function isAddressOf(type: NetworkType, text: string): boolean {
  switch (type) {
    case 'evm':
      return isEvmAddress(text)
    case 'svm':
      return text.length <= 44 && bs58.decodeUnsafe(text)?.length === 32
    case 'tvm': {
      const bytes = text.length === 34 ? bs58check.decodeUnsafe(text) : undefined
      return bytes?.length === 21 && bytes[0] === 0x41
    }
  }
}

/** The canonical spelling of an address (EVM: EIP-55), so that addresses can be compared; undefined if it is invalid. */
export function canonicalAddress(type: NetworkType, text: string): string | undefined {
  if (!isAddressOf(type, text)) return undefined
  return type === 'evm' ? checksum(text as `0x${string}`) : text
}

const checksumError = (type: NetworkType) => `Checksum of the ${type === 'evm' ? 'EVM' : 'Tron'} address is wrong`

function hasWrongChecksum(type: NetworkType, text: string): boolean {
  if (type === 'evm') return /^0x[0-9a-f]{40}$/i.test(text)
  return type === 'tvm' && text.length === 34 && bs58.decodeUnsafe(text)?.[0] === 0x41
}

/** True for an address without a key: zero, reserved, or known to burn. */
function isBurnAddress(type: NetworkType, address: string): boolean {
  if (type === 'svm') return address === INCINERATOR || bs58.decode(address).every((byte) => byte === 0)
  const hex =
    type === 'evm' ? address.slice(2).toLowerCase() : fromBytes(bs58check.decode(address).subarray(1)).slice(2)
  return BigInt(`0x${hex}`) < RESERVED || hex === NATIVE
}
