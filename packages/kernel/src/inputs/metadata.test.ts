import { expect, test } from 'vitest'
import { fieldsOf, ServiceError } from '../errors.ts'
import { Metadata, MetadataPatch, mergeMetadata } from './metadata.ts'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
const VALUE = 'Must be a string of at most 500 characters'
const PATCH = `${VALUE}, or null to remove the key`
const KEY = 'A key has 1 to 40 characters'

test('metadata at its limits is accepted and returned as it is, whatever a key is called', () => {
  const own = JSON.parse('{"__proto__":"a","constructor":"b"}')
  for (const map of [
    {},
    many(50),
    { ['k'.repeat(40)]: 'v'.repeat(500) },
    { ['😀'.repeat(40)]: '😀'.repeat(500) },
    { k: '' },
    own,
  ])
    expect(JSON.stringify(Metadata.parse(map))).toBe(JSON.stringify(map))
  expect(MetadataPatch.parse({ gone: null, set: 'x' })).toEqual({ gone: null, set: 'x' })
})

test.each<[unknown, Record<string, string>, Record<string, string>]>([
  [many(51), { body: 'Must have at most 50 keys' }, { body: 'Must have at most 50 keys' }],
  [{ '': 'v' }, { body: KEY }, { body: KEY }],
  [{ ['k'.repeat(41)]: 'v' }, { ['k'.repeat(41)]: KEY }, { ['k'.repeat(41)]: KEY }],
  [
    { a: 1, b: 'v'.repeat(501) },
    { a: VALUE, b: VALUE },
    { a: PATCH, b: PATCH },
  ],
  [null, { body: 'Must be an object' }, { body: 'Must be an object' }],
  [[], { body: 'Must be an object' }, { body: 'Must be an object' }],
  ['text', { body: 'Must be an object' }, { body: 'Must be an object' }],
])('%j is refused, with the key that is wrong', (given, whole, patch) => {
  const of = (schema: typeof Metadata | typeof MetadataPatch) => {
    const { error } = schema.safeParse(given)
    return error && fieldsOf(error)
  }
  expect([of(Metadata), of(MetadataPatch)]).toEqual([whole, patch])
})

test('null is a value of a patch only', () => {
  expect(Metadata.safeParse({ a: null }).success).toBe(false)
  expect(MetadataPatch.safeParse({ a: null }).success).toBe(true)
})

test('a patch sets and removes keys and keeps the others, up to the limit of keys', () => {
  expect(mergeMetadata({ a: '1', b: '2' }, { b: null, c: '3', d: null })).toEqual({ a: '1', c: '3' })
  expect(mergeMetadata({ a: '1' })).toEqual({ a: '1' })
  expect(Object.keys(mergeMetadata(many(49), { one: 'more' }))).toHaveLength(50)
  expect(() => mergeMetadata(many(50), { one: 'more' })).toThrow(ServiceError)
  expect(() => mergeMetadata(many(50), { one: 'more' })).toThrow(
    expect.objectContaining({ fields: { metadata: 'Must have at most 50 keys' } }),
  )
})
