import { expect, test } from 'vitest'
import {
  helpful,
  ProviderId,
  ProviderInstant,
  ProviderName,
  ProviderSeconds,
  ProviderText,
  ProviderTime,
  ProviderUnits,
  ProviderUtcTime,
  parseJson,
} from './text.ts'

test.each([
  ['U+0000', '"a\\u0000b"'],
  ['a high surrogate alone', '"a\\ud800b"'],
  ['a low surrogate alone', '"a\\uDFFFb"'],
])('%s in a value or a key becomes U+FFFD', (_name, json) => {
  expect(parseJson(`{"list":[{${json}:${json}}]}`)).toEqual({ list: [{ 'a\ufffdb': 'a\ufffdb' }] })
})

test('a pair of surrogates is a character, and stays', () => {
  expect(parseJson('["\\ud83d\\ude00","😀"]')).toEqual(['😀', '😀'])
})

test.each(['0000-01-01T00:00:00Z', '1999-12-31T23:59:59Z', '9999-01-01T00:00:00Z', '2026-13-01T00:00:00Z', ''])(
  '%s is no time',
  (text) => {
    expect(ProviderTime.safeParse(text).success).toBe(false)
    expect(helpful(ProviderInstant).parse(text)).toBeNull()
    expect(ProviderUtcTime.safeParse(text).success).toBe(false)
  },
)

test('seconds and milliseconds are times, and other numbers are none', () => {
  const at = new Date('2026-01-31T12:00:00.000Z')
  for (const given of [at.getTime(), at.getTime() / 1000, at.toISOString()])
    expect(ProviderInstant.parse(given)).toEqual(at)
  for (const given of [0, -1, 1e18, 1.5]) expect(ProviderInstant.safeParse(given).success).toBe(false)
})

test.each(['2026-01-31T12:00:00.000', '2026-01-31 12:00:00', '2026-01-31 12:00:00Z', '2026-01-31T13:00+01:00'])(
  '%s is a time, in UTC where it has no offset',
  (text) => {
    expect(ProviderUtcTime.parse(text)).toEqual(new Date('2026-01-31T12:00:00.000Z'))
  },
)

test('seconds of a chain are a time of this century or the next', () => {
  expect(ProviderSeconds.parse(1_769_860_800)).toEqual(new Date('2026-01-31T12:00:00.000Z'))
  for (const given of [-62_167_219_200, 0, 1e15, 1.5]) expect(ProviderSeconds.safeParse(given).success).toBe(false)
})

test('a text has its bounds, and so has an amount', () => {
  expect(ProviderText.safeParse('x'.repeat(501)).success).toBe(false)
  expect(ProviderUnits.safeParse('9'.repeat(31)).success).toBe(false)
  expect(ProviderUnits.safeParse('9'.repeat(30)).success).toBe(true)
})

test.each(['', 'two words', 'é', '\u0000', '0'.repeat(201)])('%j is no id', (text) => {
  expect(ProviderId.safeParse(text).success).toBe(false)
})

test('a name is on one line, in any script', () => {
  expect(ProviderName.safeParse('line\nline').success).toBe(false)
  for (const name of ['Ada Öbi', '名前', '\u{1f600}']) expect(ProviderName.parse(name)).toBe(name)
})
