import { generateKeyPairSync, timingSafeEqual } from 'node:crypto'
import { anonymous } from '@payments/kernel'
import { digest, loadSettings } from '@payments/platform'
import { beforeEach, expect, test, vi } from 'vitest'
import { type ApiKeyRecord, actorOf, type InternalTokenRecord } from './authentication/credentials.ts'
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
  digest: digest(key),
  scopes: ['api:read'],
  allowed_ips: null,
  ended: false,
  suspended: false,
  moved: false,
  live_enabled: false,
  time_zone: 'UTC',
}
const request = {
  environment: undefined,
  ip: '127.0.0.1',
  settings: loadSettings(
    {
      NODE_ENV: 'test',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      JWT_PRIVATE_KEY: privateKey,
      OPERATOR_EMAILS: 'operator@example.com',
    },
    [accountsSettings],
  ),
}
const authenticate = (presented: string, row: ApiKeyRecord | undefined) =>
  actorOf(
    { kind: 'key', key: presented, lookup: 'aaaaaaaa' },
    { key: row, session: undefined, token: undefined },
    request,
  )

beforeEach(() => void vi.mocked(timingSafeEqual).mockClear())

test('a key is compared once, in constant time, whether its lookup part is known, unknown or of an inactive key', () => {
  const compared = vi.mocked(timingSafeEqual)
  expect(authenticate(key, record).kind).toBe('key')
  expect(() => authenticate(`${key.slice(0, -1)}b`, record)).toThrow('Invalid API key')
  expect(() => authenticate(key, { ...record, ended: true })).toThrow('Invalid API key')
  expect(() => authenticate(key, undefined)).toThrow('Invalid API key')
  expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(Array(4).fill([64, 64]))
})

test('an internal token is compared once, in constant time, whether its lookup part is known, unknown or of an ended token', () => {
  const compared = vi.mocked(timingSafeEqual)
  const token = `svc_int_${'a'.repeat(32)}`
  const stored: InternalTokenRecord = {
    id: record.id,
    organisation_id: record.id,
    created_by: record.id,
    lookup: 'aaaaaaaa',
    digest: digest(token),
    procedures: [],
    ended: false,
    email: 'operator@example.com',
  }
  const present = (presented: string, row: InternalTokenRecord | undefined) =>
    actorOf(
      { kind: 'token', token: presented, lookup: 'aaaaaaaa' },
      { key: undefined, session: undefined, token: row },
      request,
    )
  expect(present(token, stored).kind).toBe('token')
  expect(() => present(`${token.slice(0, -1)}b`, stored)).toThrow('Token invalid or expired')
  expect(() => present(token, { ...stored, ended: true })).toThrow('Token invalid or expired')
  expect(() => present(token, { ...stored, email: 'former@example.com' })).toThrow('Token invalid or expired')
  expect(() => present(token, undefined)).toThrow('Token invalid or expired')
  expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(Array(5).fill([64, 64]))
})
