import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { parseJson } from '@payments/provider-http'
import nacl from 'tweetnacl'

const NONCE = 24
const PUBLIC_KEY = 32

/** A request as the cNGN API reads it: AES-256-CBC under the SHA-256 of the encryption key, with a fresh IV. */
export function encrypted(body: object, encryptionKey: string): { content: string; iv: string } {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(encryptionKey).digest(), iv)
  const content = Buffer.concat([cipher.update(JSON.stringify(body), 'utf8'), cipher.final()])
  return { content: content.toString('base64'), iv: iv.toString('base64') }
}

/**
 * What the API sealed for our key: nonce, ciphertext and the ephemeral public key, in base64 (crypto_box of NaCl).
 * @throws Error when it was sealed for another key or altered
 */
export function opened(data: string, secret: Uint8Array): unknown {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length < NONCE + PUBLIC_KEY + nacl.box.overheadLength) throw new Error('The sealed answer is cut off')
  const plain = nacl.box.open(
    new Uint8Array(bytes.subarray(NONCE, -PUBLIC_KEY)),
    new Uint8Array(bytes.subarray(0, NONCE)),
    new Uint8Array(bytes.subarray(-PUBLIC_KEY)),
    secret,
  )
  if (!plain)
    throw new Error('The sealed answer is not for this key: compare CNGN_PRIVATE_KEY with the key in the dashboard')
  return parseJson(Buffer.from(plain).toString('utf8'))
}
