import { createCipheriv, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyring, randomText, secretKeys } from './secrets.ts'

const newKey = () => randomBytes(32).toString('base64')
const ringOf = (text: string) => keyring(secretKeys(text))
const ring = ringOf(newKey())

test('an encrypted secret can be decrypted only with the same key and context, and only if it was not altered', () => {
  const ciphertext = ring.encrypt('whsec_x', 'a')
  expect(ciphertext).not.toContain('whsec')
  expect(ring.decrypt(ciphertext, 'a')).toBe('whsec_x')
  expect(() => ring.decrypt(ciphertext, 'b')).toThrow()
  expect(() => ring.decrypt(`${ciphertext.slice(0, -2)}AA`, 'a')).toThrow()
  expect(() => ringOf(newKey()).decrypt(ciphertext, 'a')).toThrow()
  expect(ring.encrypt('whsec_x', 'a')).not.toBe(ciphertext)
})

test('the first key encrypts, every key decrypts and finds fingerprints, and a key that is missing is named', () => {
  const [one, two] = [newKey(), newKey()]
  const before = ringOf(`one:${one}`)
  const rotated = ringOf(`two:${two},one:${one}`)
  const ciphertext = before.encrypt('whsec_x', 'a')
  expect(rotated.decrypt(ciphertext, 'a')).toBe('whsec_x')
  expect([before.isCurrent(ciphertext), rotated.isCurrent(ciphertext)]).toEqual([true, false])
  expect(rotated.isCurrent(rotated.encrypt('whsec_x', 'a'))).toBe(true)
  expect(rotated.fingerprints('123456', 'a')).toContain(before.fingerprint('123456', 'a'))
  expect(() => ringOf(`two:${two}`).decrypt(ciphertext, 'a')).toThrow('SECRETS_KEY has no key with the id "one"')
})

test('a key without an id keeps its derived id when another is put before it', () => {
  const [one, two] = [newKey(), newKey()]
  const ciphertext = ringOf(one).encrypt('whsec_x', 'a')
  expect(ringOf(`${two},${one}`).decrypt(ciphertext, 'a')).toBe('whsec_x')
})

test('a ciphertext of the first format, which names no key, is decrypted with whichever key fits', () => {
  const [key, other] = [randomBytes(32), newKey()]
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('a'))
  const body = Buffer.concat([cipher.update('whsec_x', 'utf8'), cipher.final()])
  const first = `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
  const both = ringOf(`${other},${key.toString('base64')}`)
  expect(both.decrypt(first, 'a')).toBe('whsec_x')
  expect(both.isCurrent(first)).toBe(false)
  expect(() => ringOf(other).decrypt(first, 'a')).toThrow()
})

test('keys of another length, ids twice and malformed ids are refused', () => {
  for (const text of ['c2hvcnQ=', `a:${newKey()},a:${newKey()}`, `a b:${newKey()}`, `:${newKey()}`, `${newKey()},`])
    expect(() => secretKeys(text), text).toThrow()
})

test('random text uses every letter and digit about equally often', () => {
  const counts = new Map<string, number>()
  for (const char of randomText(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1)
  expect(counts.size).toBe(62)
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
})
