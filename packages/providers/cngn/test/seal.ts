import { webcrypto } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import { getKeys } from 'micro-key-producer/ssh.js'

// The other side of the encryption, by other libraries than the adapter's: libsodium and WebCrypto; keys by micro-key-producer.

await sodium.ready

/** A new Ed25519 key in the OpenSSH format, as merchants make it, and its public half. */
export function newKey(): { pem: string; seed: Uint8Array; publicKey: Uint8Array } {
  const seed = sodium.randombytes_buf(32)
  const { privateKey } = getKeys(seed, 'merchant@example.com')
  return { pem: privateKey, seed, publicKey: sodium.crypto_sign_seed_keypair(seed).publicKey }
}

/** Seals an answer for a merchant's Ed25519 key: nonce, crypto_box, ephemeral public key, in base64. */
export function seal(value: unknown, publicKey: Uint8Array): string {
  const ephemeral = sodium.crypto_box_keypair()
  const nonce = sodium.randombytes_buf(sodium.crypto_box_NONCEBYTES)
  const to = sodium.crypto_sign_ed25519_pk_to_curve25519(publicKey)
  const box = sodium.crypto_box_easy(JSON.stringify(value), nonce, to, ephemeral.privateKey)
  return Buffer.concat([nonce, box, ephemeral.publicKey]).toString('base64')
}

/** Reads an encrypted request. */
export async function unseal(
  { content, iv }: { content: string; iv: string },
  encryptionKey: string,
): Promise<unknown> {
  const digest = await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode(encryptionKey))
  const key = await webcrypto.subtle.importKey('raw', digest, 'AES-CBC', false, ['decrypt'])
  const plain = await webcrypto.subtle.decrypt(
    { name: 'AES-CBC', iv: Buffer.from(iv, 'base64') },
    key,
    Buffer.from(content, 'base64'),
  )
  return JSON.parse(Buffer.from(plain).toString('utf8'))
}

/** The X25519 secret of an Ed25519 seed, by libsodium. */
export const x25519BySodium = (seed: Uint8Array): Uint8Array =>
  sodium.crypto_sign_ed25519_sk_to_curve25519(sodium.crypto_sign_seed_keypair(seed).privateKey)
