import { expect, test } from 'vitest'
import { providerId, providerText, providerTime } from './values.ts'

test.each(['', '\u0000', 'a\u0000b', 'line\nline', '\ud800', 'x'.repeat(501)])('text %j is not stored', (text) => {
  expect(providerText.safeParse(text).success).toBe(false)
})

test.each(['Ada Öbi', '名前', '\u{1f600}'])('text %j is kept as it is', (text) => {
  expect(providerText.parse(text)).toBe(text)
})

test.each(['', 'two words', 'é', '\u0000', '0'.repeat(201)])('%j is no id', (text) => {
  expect(providerId.safeParse(text).success).toBe(false)
})

test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '1999-12-31T23:59:59.999Z', '2026-11-28', 'soon'])(
  'the time %s is not readable',
  (text) => {
    expect(providerTime.safeParse(text).success).toBe(false)
  },
)

test('a time is read with its offset', () => {
  expect(providerTime.parse('2026-11-28T01:00:00+01:00')).toEqual(new Date('2026-11-28T00:00:00Z'))
})
