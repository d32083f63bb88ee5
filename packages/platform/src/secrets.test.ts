import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyring, randomText } from './secrets.ts'

const ring = keyring(randomBytes(32))

test('an encrypted secret can be decrypted only with the same key and context, and only if it was not altered', () => {
  const ciphertext = ring.encrypt('whsec_x', 'a')
  expect(ciphertext).not.toContain('whsec')
  expect(ring.decrypt(ciphertext, 'a')).toBe('whsec_x')
  expect(() => ring.decrypt(ciphertext, 'b')).toThrow()
  expect(() => ring.decrypt(`${ciphertext.slice(0, -2)}AA`, 'a')).toThrow()
  expect(() => keyring(randomBytes(32)).decrypt(ciphertext, 'a')).toThrow()
  expect(ring.encrypt('whsec_x', 'a')).not.toBe(ciphertext)
})

test('random text uses every letter and digit about equally often', () => {
  const counts = new Map<string, number>()
  for (const char of randomText(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1)
  expect(counts.size).toBe(62)
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
})
