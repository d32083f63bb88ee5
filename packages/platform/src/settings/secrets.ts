import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Encrypts secrets that must be read again, and computes keyed hashes of secrets that are only compared. */
export interface Keyring {
  /** AES-256-GCM with the first key and a fresh 96-bit nonce. `context` is associated data: decryption needs the same. */
  encrypt(plain: string, context: string): string
  /** @throws Error when the ciphertext was altered, or encrypted for another context or with a key that is not configured. */
  decrypt(ciphertext: string, context: string): string
  /** True if the ciphertext was encrypted with the first key. */
  isCurrent(ciphertext: string): boolean
  /** HMAC-SHA256 under the first key, hexadecimal: a lookup value for a guessable secret (a BVN, an email code). */
  fingerprint(plain: string, context: string): string
  /** The same under every key, the first one first: to find what was stored before a rotation. */
  fingerprints(plain: string, context: string): readonly string[]
}

/** A key with the id that ciphertexts carry. */
export interface SecretKey {
  readonly id: string
  readonly key: Buffer
}

/** A secret of the settings without which stored data is lost, such as an encryption key or a seed of deposit addresses. */
export interface LastingSecret {
  /** Name of the setting. */
  readonly setting: string
  readonly secret: string | Buffer
}

/** Where a domain stores encrypted text. */
export interface EncryptedColumn {
  readonly name: string
  /** SQL: at most `$2` rows (`id`, `value`) whose value does not begin with `$1`. */
  readonly select: string
  /** SQL: replaces the value `$2` of the row `$1` by `$3`, unless it has changed meanwhile. */
  readonly update: string
  /** The associated data of a row's value. */
  context(id: string): string
}

/**
 * The keys of the setting `SECRETS_KEY`: `id:base64` or only `base64`, comma-separated. The first one encrypts. A key without an
 * id gets one from its digest, so that it keeps it when another key is put before it.
 * @throws Error that says which part is wrong.
 */
export function secretKeys(text: string): SecretKey[] {
  const keys = text.split(',').map((part): SecretKey => {
    const [id, base64] = part.includes(':') ? (part.trim().split(':', 2) as [string, string]) : ['', part.trim()]
    const key = Buffer.from(base64, 'base64')
    if (key.length !== 32) throw new Error('must be 32 bytes in base64, or several such keys with ids (id:key,id:key)')
    if (part.includes(':') && !/^[A-Za-z0-9_-]{1,32}$/.test(id))
      throw new Error('an id must have 1 to 32 letters, digits, _ or -')
    return { id: id || `k${createHash('sha256').update(key).digest('hex').slice(0, 8)}`, key }
  })
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('each key needs an id of its own')
  return keys
}

/** The secrets of a setting that others sign with: one, or during a rotation the new one and the old one, separated by a comma. */
export const acceptedSecrets = (text: string): string[] =>
  text.split(',').flatMap((part) => (part.trim() ? [part.trim()] : []))

/** A keyring with the keys of the setting `SECRETS_KEY`, see {@link secretKeys}. */
export function keyring(keys: readonly SecretKey[]): Keyring {
  const [first] = keys
  if (!first) throw new Error('A keyring needs a key')
  const hash = (key: Buffer, plain: string, context: string) =>
    createHmac('sha256', key).update(`${context}\0${plain}`).digest('hex')
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v2.${first.id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    decrypt(ciphertext, context) {
      const [version, ...rest] = ciphertext.split('.')
      if (version === 'v1') return firstThatDecrypts(keys, rest[0] ?? '', context)
      if (version !== 'v2') throw new Error('Unknown secret format')
      const found = keys.find(({ id }) => id === rest[0])
      if (!found) throw new Error(`SECRETS_KEY has no key with the id "${rest[0]}"`)
      return decryptWith(found.key, rest[1] ?? '', context)
    },
    isCurrent: (ciphertext) => ciphertext.startsWith(`v2.${first.id}.`),
    fingerprint: (plain, context) => hash(first.key, plain, context),
    fingerprints: (plain, context) => keys.map(({ key }) => hash(key, plain, context)),
  }
}

function decryptWith(key: Buffer, text: string, context: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
}

/** A ciphertext of the first format does not name its key. The authentication tag tells which one fits. */
function firstThatDecrypts(keys: readonly SecretKey[], text: string, context: string): string {
  let failure: unknown
  for (const { key } of keys) {
    try {
      return decryptWith(key, text, context)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** SHA-256, hexadecimal: for high-entropy secrets, which need no salt. */
export const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Constant-time comparison of two texts of equal length. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits from the CSPRNG, without modulo bias. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}
