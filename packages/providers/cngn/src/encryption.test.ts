import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newKey, seal, unseal, x25519BySodium } from '../test/seal.ts'
import { encrypted, opened } from './encryption.ts'
import { KeyError, seedOf, x25519Of } from './keys.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('what libsodium seals for an Ed25519 key is opened, whatever it contains', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const { pem, publicKey } = newKey()
      const value = JSON.parse(json)
      expect(opened(seal(value, publicKey), x25519Of(seedOf(pem)))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 25 },
  )
})

test('the X25519 secret of a key is the one that libsodium derives', () => {
  for (let times = 0; times < 20; times++) {
    const { pem, seed } = newKey()
    expect(hex(seedOf(pem))).toBe(hex(seed))
    expect(hex(x25519Of(seedOf(pem)))).toBe(hex(x25519BySodium(seed)))
  }
})

test('WebCrypto reads what is encrypted, and no two encryptions of a request are equal', async () => {
  const body = { amount: 100.5, accountNumber: '0123456789' }
  const [one, other] = [encrypted(body, 'key'), encrypted(body, 'key')]
  expect(await unseal(one, 'key')).toEqual(body)
  expect(one.content).not.toBe(other.content)
  await expect(unseal(one, 'another key')).rejects.toThrow()
})

test('an answer for another key, an altered one and one that is cut off are refused', () => {
  const { pem, publicKey } = newKey()
  const secret = x25519Of(seedOf(pem))
  const sealed = seal({ ok: true }, publicKey)
  expect(() => opened(sealed, x25519Of(seedOf(newKey().pem)))).toThrow('not for this key')
  const bytes = Buffer.from(sealed, 'base64')
  bytes[30] = (bytes[30] ?? 0) ^ 1
  expect(() => opened(bytes.toString('base64'), secret)).toThrow('not for this key')
  expect(() => opened(sealed.slice(0, 40), secret)).toThrow('cut off')
})

describe('a private key', () => {
  test('may have escaped or Windows line breaks and spaces around it', () => {
    const { pem, seed } = newKey()
    for (const text of [pem.replaceAll('\n', '\\n'), pem.replaceAll('\n', '\r\n'), `\n ${pem} \n`])
      expect(hex(seedOf(text))).toBe(hex(seed))
  })

  test.each<[string, (pem: string) => string]>([
    [
      'is the public key: the private key is needed',
      () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI merchant@example.com',
    ],
    ['must be an OpenSSH private key (-----BEGIN OPENSSH PRIVATE KEY-----)', () => 'key'],
    ['is not in the OpenSSH format', (pem) => pem.replace(/\n[A-Za-z]/, '\nx')],
    ['is cut off', (pem) => pem.replace(/\n[^\n]+\n(-----END)/, '\n$1')],
    [
      'must not have a passphrase',
      (pem) => replaced(pem, (bytes) => bytes.toString('latin1').replace('\0\0\0\x04none', '\0\0\0\x04aes2')),
    ],
  ])('that %s is refused with these words', (message, change) => {
    const attempt = () => seedOf(change(newKey().pem))
    expect(attempt).toThrow(KeyError)
    expect(attempt).toThrow(message)
  })
})

/** A key file with other bytes. */
function replaced(pem: string, change: (bytes: Buffer) => string): string {
  const [first = '', ...rest] = pem.trim().split('\n')
  const bytes = Buffer.from(rest.slice(0, -1).join(''), 'base64')
  return [first, Buffer.from(change(bytes), 'latin1').toString('base64'), rest.at(-1)].join('\n')
}
