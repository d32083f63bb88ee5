import { createHash, generateKeyPairSync, timingSafeEqual } from 'node:crypto'
import { anonymous } from '@payments/kernel'
import { loadSettings } from '@payments/platform'
import { expect, test, vi } from 'vitest'
import { type ApiKeyRecord, actorOf } from './credentials.ts'
import { accountsSettings } from './settings.ts'

vi.mock(import('node:crypto'), async (original) => {
  const real = await original()
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) }
})

const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const key = `svc_test_${'a'.repeat(32)}`
const record: ApiKeyRecord = {
  id: '0199aaaa-0000-7000-8000-000000000000',
  organisation_id: anonymous.organisationId,
  environment: 'test',
  type: 'secret',
  lookup: 'aaaaaaaa',
  digest: createHash('sha256').update(key).digest('hex'),
  scopes: ['api:read'],
  allowed_ips: null,
  ended: false,
  suspended: false,
  live_enabled: false,
}
const request = {
  environment: undefined,
  ip: '127.0.0.1',
  settings: loadSettings(
    { NODE_ENV: 'test', SECRETS_KEY: Buffer.alloc(32).toString('base64'), JWT_PRIVATE_KEY: privateKey },
    [accountsSettings],
  ),
}
const authenticate = (presented: string, row: ApiKeyRecord | undefined) =>
  actorOf({ kind: 'key', key: presented, lookup: 'aaaaaaaa' }, { key: row, session: undefined }, request)

test('a key is compared once, in constant time, whether its lookup part is known, unknown or of an inactive key', () => {
  const compared = vi.mocked(timingSafeEqual)
  expect(authenticate(key, record).kind).toBe('key')
  expect(() => authenticate(`${key.slice(0, -1)}b`, record)).toThrow('Invalid API key')
  expect(() => authenticate(key, { ...record, ended: true })).toThrow('Invalid API key')
  expect(() => authenticate(key, undefined)).toThrow('Invalid API key')
  expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(Array(4).fill([64, 64]))
})
