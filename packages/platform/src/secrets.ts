import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Encrypts secrets that must be read again, and computes keyed hashes of secrets that are only compared. */
export interface Keyring {
  /** AES-256-GCM with a fresh 96-bit nonce. `context` is associated data: the ciphertext can be decrypted only with it. */
  encrypt(plain: string, context: string): string
  /** @throws Error when the ciphertext was altered, or encrypted for another context or with another key. */
  decrypt(ciphertext: string, context: string): string
  /** HMAC-SHA256, hexadecimal: a lookup value for a guessable secret (a BVN, an email code). */
  fingerprint(plain: string, context: string): string
}

/** A keyring with one 32-byte key (the setting `SECRETS_KEY`, base64). */
export function keyring(key: Buffer): Keyring {
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    decrypt(ciphertext, context) {
      if (!ciphertext.startsWith('v1.')) throw new Error('Unknown secret format')
      const bytes = Buffer.from(ciphertext.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    fingerprint: (plain, context) => createHmac('sha256', key).update(`${context}\0${plain}`).digest('hex'),
  }
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
