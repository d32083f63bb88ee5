import { expect, test } from 'vitest'
import { fieldsOf, type ServiceError } from '../errors.ts'
import { checkInput, isCountry, nameText } from './text.ts'

const fieldsFor = (input: unknown): Record<string, string> | undefined => {
  try {
    checkInput(input)
  } catch (error) {
    return (error as ServiceError).fields
  }
  return undefined
}
const nested = (levels: number): unknown => JSON.parse(`${'[1,{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`)

test('an input of 32 levels passes, and one level more is refused with the field', () => {
  expect(fieldsFor({ metadata: nested(30) })).toBeUndefined()
  const refused = fieldsFor({ name: 'Ada', metadata: nested(32) }) ?? {}
  expect(Object.keys(refused)).toEqual([expect.stringMatching(/^metadata\.1\.a/)])
  expect(Object.values(refused)).toEqual(['Must have at most 32 levels of objects and arrays'])
  expect(fieldsFor(nested(90_000))).toBeDefined()
})

test('an object of 1,000 fields passes, and one field more is refused with the object', () => {
  const object = (fields: number) => Object.fromEntries(Array.from({ length: fields }, (_, index) => [`k${index}`, 0]))
  expect(fieldsFor({ metadata: object(1000) })).toBeUndefined()
  expect(fieldsFor({ metadata: object(1001) })).toEqual({ metadata: 'Must have at most 1,000 fields' })
  expect(fieldsFor(object(1001))).toEqual({ body: 'Must have at most 1,000 fields' })
})

test('NUL characters and unpaired surrogates are refused in every value and key, with the path of the field', () => {
  expect(fieldsFor({ a: [{ b: 'x\0' }] })).toEqual({ 'a.0.b': 'Must not contain NUL characters' })
  expect(fieldsFor({ a: { b: '\ud800' } })).toEqual({ 'a.b': 'Must not contain unpaired surrogates' })
  expect(fieldsFor({ a: { 'b\udc00': 1 } })).toEqual({ 'a.b\uFFFD': 'Name must not contain unpaired surrogates' })
  expect(fieldsFor({ 'b\0': 1 })).toEqual({ 'b\uFFFD': 'Name must not contain NUL characters' })
  expect(fieldsFor({ a: ['😀', 'é', null, 1, true] })).toBeUndefined()
})

test('names are one line of printable text in its own direction', () => {
  for (const text of ['a\nb', 'a\u0085', 'a\u2028b', 'a\u202eb', '\u2066a', 'a\u061cb', 'a\u007f'])
    expect(nameText(20).safeParse(text).success, JSON.stringify(text)).toBe(false)
  for (const text of ['Ada Obi', 'أحمد', '株式会社', "O'Neill–Ọlá 😀"])
    expect(nameText(20).parse(` ${text} `)).toBe(text)
})

test('a name of invisible characters alone is empty', () => {
  for (const text of ['\u3164', '\u115f', '\u200d', '\u0301', '\u2800', ' \u200b\ufe0f '])
    expect(fieldsOf(nameText(20).safeParse(text).error as never), JSON.stringify(text)).toEqual({
      body: 'Must be at least 1 character',
    })
})

test('unknown fields are named whatever they are called', () => {
  const parsed = nameText(5).safeParse(1)
  expect(Object.values(fieldsOf(parsed.error as never))).toHaveLength(1)
  for (const key of ['__proto__', 'constructor', 'toString']) {
    const fields = fieldsOf({ issues: [{ code: 'unrecognized_keys', keys: [key], path: [] }] } as never)
    expect(Object.entries(fields)).toEqual([[key, 'Unrecognized field']])
  }
})

test('an error names a hundred fields at most, so that no reply is longer than its request', () => {
  const keys = Array.from({ length: 8000 }, (_, index) => `k${index}`)
  const unknown = { code: 'unrecognized_keys', keys, path: [] }
  const wrong = keys.map((key) => ({ code: 'custom', path: ['items', key], message: 'Must be a text' }))
  for (const issues of [[unknown], wrong, [unknown, ...wrong]])
    expect(Object.keys(fieldsOf({ issues } as never))).toHaveLength(100)
})

test('the countries are the 249 of ISO 3166-1, and no region, former country or private code', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const countries = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)
  expect(countries).toHaveLength(249)
  for (const code of ['NG', 'DE', 'GB', 'SS', 'TW']) expect(countries).toContain(code)
  for (const code of ['EU', 'UK', 'DD', 'XK', 'ng', 'NGA']) expect(countries).not.toContain(code)
})
