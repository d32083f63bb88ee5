import type { Environment } from '@payments/kernel'
import { platformSettings, type Settings } from '@payments/platform'
import bs58 from 'bs58'
import { HDKey } from 'micro-key-producer/slip10.js'
import { swapsSettings } from './settings.ts'

/** Solana's coin type is 501 (SLIP-0044). Account 0 is the live environment, so that a test key can never hold live money. */
const ACCOUNT: Readonly<Record<Environment, number>> = { live: 0, test: 1 }

/** The derivation path of a swap's key (SLIP-0010, ed25519: every step is hardened). */
export const pathOf = (environment: Environment, index: number): string =>
  `m/44'/501'/${ACCOUNT[environment]}'/${index}'`

/** The master seed of the setting SWAP_SEED. */
export const seedBytes = (setting: string): Buffer => Buffer.from(setting, 'base64')

/** The seed of a process that works with keys; undefined in one that only answers requests, also when it is set there. */
export function seedOf(settings: Settings): Buffer | undefined {
  const { SWAP_SEED } = swapsSettings.from(settings)
  return SWAP_SEED && platformSettings.from(settings).PROCESS_ROLE !== 'gateway' ? seedBytes(SWAP_SEED) : undefined
}

/**
 * Derives the deposit address of an index: the public key in base58. The same seed and index give the same address, so an
 * address can be found again when the database is lost.
 */
export function addressAt(seed: Uint8Array, environment: Environment, index: number): string {
  return bs58.encode(HDKey.fromMasterSeed(seed).derive(pathOf(environment, index)).publicKeyRaw)
}
