import { createHash } from 'node:crypto'

const MAGIC = 'openssh-key-v1\0'
const TYPE = 'ssh-ed25519'

/** The key is not an OpenSSH private key of type Ed25519 without a passphrase; the message says why, and contains nothing of it. */
export class KeyError extends Error {
  override name = 'KeyError'
}

/** Reads the length-prefixed parts of the OpenSSH format. */
function reader(bytes: Buffer) {
  let at = 0
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new KeyError('is cut off')
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = () => take(4).readUInt32BE()
  return { take, number, part: () => take(number()) }
}

/**
 * The seed of an Ed25519 key in the OpenSSH format. Line breaks may be written as `\n`, as in environment variables, or be CRLF.
 * @throws KeyError
 */
export function seedOf(pem: string): Buffer {
  const text = pem.replaceAll('\\n', '\n').trim()
  if (/^ssh-/.test(text)) throw new KeyError('is the public key: the private key is needed')
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END OPENSSH PRIVATE KEY-----/.exec(text)?.[1]
  if (!body) throw new KeyError('must be an OpenSSH private key (-----BEGIN OPENSSH PRIVATE KEY-----)')
  const { take, number, part } = reader(Buffer.from(body.replace(/\s/g, ''), 'base64'))
  if (take(MAGIC.length).toString('latin1') !== MAGIC) throw new KeyError('is not in the OpenSSH format')
  const cipher = part().toString('latin1')
  part()
  part()
  if (number() !== 1) throw new KeyError('must contain one key')
  part()
  if (cipher !== 'none') throw new KeyError('must not have a passphrase')
  const inner = reader(part())
  inner.take(8)
  if (inner.part().toString('latin1') !== TYPE) throw new KeyError('must be of type Ed25519')
  inner.part()
  const secret = inner.part()
  if (secret.length !== 64) throw new KeyError('is cut off')
  return secret.subarray(0, 32)
}

/** The X25519 secret key that belongs to an Ed25519 seed: the first half of its SHA-512, clamped (RFC 7748, section 5). */
export function x25519Of(seed: Buffer): Uint8Array {
  const secret = createHash('sha512').update(seed).digest().subarray(0, 32)
  secret[0] = (secret[0] ?? 0) & 248
  secret[31] = ((secret[31] ?? 0) & 127) | 64
  return new Uint8Array(secret)
}
