import { createHash, timingSafeEqual } from 'node:crypto'
import { anonymous } from '@payments/kernel'
import { expect, test, vi } from 'vitest'
import { type ApiKeyRecord, actorOf } from './credentials.ts'

vi.mock(import('node:crypto'), async (original) => {
  const real = await original()
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) }
})

const key = `svc_test_${'a'.repeat(32)}`
const record: ApiKeyRecord = {
  id: '0199aaaa-0000-7000-8000-000000000000',
  organisation_id: anonymous.organisationId,
  environment: 'test',
  type: 'secret',
  lookup: 'aaaaaaaa',
  digest: createHash('sha256').update(key).digest('hex'),
  scopes: ['api:read'],
  ended: false,
  suspended: false,
}
const authenticate = (presented: string, row: ApiKeyRecord | undefined) =>
  actorOf({ kind: 'key', key: presented, lookup: 'aaaaaaaa' }, { key: row, session: undefined }, undefined)

test('a key is compared once, in constant time, whether its lookup part is known, unknown or of an inactive key', () => {
  const compared = vi.mocked(timingSafeEqual)
  expect(authenticate(key, record).kind).toBe('key')
  expect(() => authenticate(`${key.slice(0, -1)}b`, record)).toThrow('Invalid API key')
  expect(() => authenticate(key, { ...record, ended: true })).toThrow('Invalid API key')
  expect(() => authenticate(key, undefined)).toThrow('Invalid API key')
  expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(Array(4).fill([64, 64]))
})
