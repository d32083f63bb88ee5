import bs58 from 'bs58'
import bs58check from 'bs58check'
import { checksum, validate as isEvmAddress } from 'ox/Address'
import type { NetworkType } from './networks.ts'

/**
 * True for a valid address of this network type. EVM: 20 bytes in one case or with a valid EIP-55 checksum. Solana: base58
 * of 32 bytes. Tron: base58check of 21 bytes that begin with 0x41.
 */
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

/** Name of an address of each network type, for messages to merchants. */
export const addressKind = {
  evm: 'an EVM address',
  svm: 'a Solana address',
  tvm: 'a Tron address',
} as const satisfies Record<NetworkType, string>
