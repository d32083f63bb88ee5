import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Environment } from '@payments/kernel'
import { platformSettings, type Settings } from '@payments/platform'
import bs58 from 'bs58'
import { swapsSettings } from '../provider/settings.ts'

/** Solana's coin type is 501 (SLIP-0044). Account 0 is the live environment, so that a test key can never hold live money. */
const ACCOUNT: Readonly<Record<Environment, number>> = { live: 0, test: 1 }

/** The account of the fee payer, which signs every live transaction besides the swap's own key. */
const FEE_PAYER_PATH = "m/44'/501'/2'/0'"

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
export const addressAt = (seed: Uint8Array, environment: Environment, index: number): string =>
  signerAt(seed, pathOf(environment, index)).address

/**
 * Signs for one address. The implementation keeps the key: nothing of it is in this interface, so that a key management
 * service can take the place of keys in memory.
 */
export interface Signer {
  /** Base58. */
  readonly address: string
  /** The ed25519 signature of a message, 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>
}

/** The signers of an environment's swaps. */
export interface SwapSigners {
  /** Pays the network's fees and rents. */
  readonly feePayer: Signer
  /** The key of the deposit address with this index. */
  deposit(index: number): Signer
}

function signerAt(seed: Uint8Array, path: string): Signer {
  const key = keyAt(seed, path)
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { address: bs58.encode(Buffer.from(x, 'base64url')), sign: async (message) => sign(null, message, key) }
}

/** What SLIP-0010 signs a master seed with for this curve. */
const CURVE = 'ed25519 seed'
const HARDENED = 0x8000_0000
const KEY_BYTES = 32
/** A private key of ed25519 in PKCS #8, up to its bytes (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The private key of a path: of each HMAC-SHA-512 the left half is a key, and the right half the chain code that its children are derived
 * with (SLIP-0010, private parent key to private child key). The key itself stays in OpenSSL.
 */
function keyAt(seed: Uint8Array, path: string): KeyObject {
  let node = createHmac('sha512', CURVE).update(seed).digest()
  for (const [, index] of path.matchAll(/\/(\d+)'/g)) {
    const data = Buffer.alloc(1 + KEY_BYTES + 4)
    node.copy(data, 1, 0, KEY_BYTES)
    data.writeUInt32BE(HARDENED + Number(index), 1 + KEY_BYTES)
    node = createHmac('sha512', node.subarray(KEY_BYTES)).update(data).digest()
  }
  return createPrivateKey({
    key: Buffer.concat([PKCS8, node.subarray(0, KEY_BYTES)]),
    format: 'der',
    type: 'pkcs8',
  })
}

/** Signers whose keys are derived from `SWAP_SEED` in this process; undefined in one that works without keys. */
export function signersOf(settings: Settings, environment: Environment): SwapSigners | undefined {
  const seed = seedOf(settings)
  return seed && signersFrom(seed, environment)
}

/** Signers whose keys are derived from a master seed. */
export const signersFrom = (seed: Uint8Array, environment: Environment): SwapSigners => ({
  feePayer: signerAt(seed, FEE_PAYER_PATH),
  deposit: (index) => signerAt(seed, pathOf(environment, index)),
})
