import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyring, randomText } from './secrets.ts'

const ring = keyring(randomBytes(32))

test('a sealed secret opens in its own context alone, and not after a change', () => {
  const box = ring.encrypt('whsec_x', 'a')
  expect(box).not.toContain('whsec')
  expect(ring.decrypt(box, 'a')).toBe('whsec_x')
  expect(() => ring.decrypt(box, 'b')).toThrow()
  expect(() => ring.decrypt(`${box.slice(0, -2)}AA`, 'a')).toThrow()
  expect(() => keyring(randomBytes(32)).decrypt(box, 'a')).toThrow()
  expect(ring.encrypt('whsec_x', 'a')).not.toBe(box)
})

test('random text uses every email and digit about equally often', () => {
  const counts = new Map<string, number>()
  for (const char of randomText(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1)
  expect(counts.size).toBe(62)
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
})
