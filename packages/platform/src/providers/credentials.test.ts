import { expect, test } from 'vitest'
import { credentialsFingerprint, hasOtherCredentials } from './credentials.ts'

test('a fingerprint is the same for the same secrets of a provider, and for no others', () => {
  const one = credentialsFingerprint('paycrest', 'key')
  expect(credentialsFingerprint('paycrest', 'key')).toBe(one)
  for (const other of [
    credentialsFingerprint('paycrest', 'other'),
    credentialsFingerprint('cngn', 'key'),
    credentialsFingerprint('paycrest', 'key', ''),
    credentialsFingerprint('paycrest', 'k', 'ey'),
  ])
    expect(other).not.toBe(one)
  expect(one).toMatch(/^[0-9a-f]{16}$/)
})

test.each([
  ['one', 'two', true],
  ['one', 'one', false],
  ['one', null, false],
  [undefined, 'one', false],
])('a provider with the credentials %s has other ones than an object of %s: %s', (own, created, other) => {
  const provider = { name: 'x', ...(own === undefined ? {} : { credentials: own }) }
  expect(hasOtherCredentials(provider, { credentials: created })).toBe(other)
})
