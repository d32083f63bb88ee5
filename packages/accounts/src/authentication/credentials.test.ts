import { ServiceError } from '@payments/kernel'
import { type Credential, digest, type Settings } from '@payments/platform'
import { expect, test } from 'vitest'
import type { TokenKeys } from '../sessions/tokens.ts'
import {
  type ApiKeyRecord,
  actorOf,
  type DashboardSessionRecord,
  type InternalTokenRecord,
  readCredential,
} from './credentials.ts'

const ID = '01936f2a-7c1e-7000-8000-000000000001'
const ORGANISATION = '01936f2a-7c1e-7000-8000-000000000002'
const LOOKUP = 'Ab3Ab3Ab'
const KEY = `svc_test_${LOOKUP}${'x'.repeat(24)}`
const TOKEN = `svc_int_${LOOKUP}${'x'.repeat(24)}`
const OPERATOR = 'operator@example.com'
const settings = { OPERATOR_EMAILS: [OPERATOR], LIVE_ACCESS: 'approved' } as unknown as Settings

const key: ApiKeyRecord = {
  id: ID,
  organisation_id: ORGANISATION,
  environment: 'test',
  type: 'secret',
  lookup: LOOKUP,
  digest: digest(KEY),
  scopes: ['api:read'],
  allowed_ips: null,
  ended: false,
  suspended: false,
  moved: false,
  live_enabled: false,
  time_zone: 'UTC',
}
const session: DashboardSessionRecord = {
  id: ID,
  user_id: ORGANISATION,
  organisation_id: ORGANISATION,
  role: 'owner',
  email: 'ada@example.com',
  suspended: false,
  live_enabled: false,
  time_zone: 'UTC',
}
const token: InternalTokenRecord = {
  id: ID,
  lookup: LOOKUP,
  organisation_id: ORGANISATION,
  created_by: ID,
  digest: digest(TOKEN),
  procedures: ['admin.swaps.*'],
  ended: false,
  email: OPERATOR,
}
const none = { key: undefined, session: undefined, token: undefined }
const request = { environment: undefined, ip: '192.0.2.7', settings }

function outcome(
  credential: Credential,
  records: Partial<Parameters<typeof actorOf>[1]>,
  at: Partial<typeof request> | { environment: string } = {},
) {
  try {
    return actorOf(credential, { ...none, ...records }, { ...request, ...at })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return `${error.status} ${error.message}`
  }
}
const byKey = { kind: 'key', key: KEY, lookup: LOOKUP } as const
const byToken = { kind: 'token', token: TOKEN, lookup: LOOKUP } as const
const bySession = { kind: 'session', sessionId: ID } as const
const INVALID_KEY = '401 Invalid API key'
const INVALID_TOKEN = '401 Token invalid or expired'

test('an Authorization header is read as a key, an internal token or an access token, by its form', async () => {
  const tokens = {
    verify: async (text: string) => {
      if (text !== 'jwt') throw new Error('invalid')
      return { sessionId: ID }
    },
  } as unknown as TokenKeys
  const read = (header?: string) => readCredential(header, tokens)
  for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'xBearer jwt', 'Bearer jwt\t'])
    expect([header, await read(header)]).toEqual([header, { kind: 'none' }])
  expect(await read(`Bearer ${KEY}`)).toEqual(byKey)
  expect(await read(`bearer   ${TOKEN}`)).toEqual(byToken)
  expect(await read('Bearer jwt')).toEqual(bySession)
  expect(await read('Bearer other')).toEqual({ kind: 'invalid-token' })
  for (const text of ['svc_', 'svc_other', KEY.slice(0, -1), TOKEN.slice(0, -1), `${TOKEN}x`])
    expect([text, await read(`Bearer ${text}`)]).toEqual([text, { kind: 'invalid-key' }])
})

test('no credential is the anonymous caller, and one that cannot be read gets the message of its kind', () => {
  expect(outcome({ kind: 'none' }, {})).toMatchObject({ kind: 'anonymous' })
  expect(outcome({ kind: 'invalid-key' }, { key })).toBe(INVALID_KEY)
  expect(outcome({ kind: 'invalid-token' }, { session })).toBe(INVALID_TOKEN)
})

test('a key acts in its own environment, with its effective scopes', () => {
  expect(outcome(byKey, { key }, { environment: 'live' })).toEqual({
    kind: 'key',
    keyId: ID,
    organisationId: ORGANISATION,
    environment: 'test',
    scopes: ['api:read'],
    suspended: false,
    timeZone: 'UTC',
    liveAccess: false,
  })
  expect(outcome(byKey, { key: { ...key, type: 'publishable', suspended: true, live_enabled: true } })).toMatchObject({
    scopes: ['collections:read'],
    suspended: true,
    liveAccess: true,
  })
})

test('an unknown key, one with another secret and one that has ended get the same reply', () => {
  expect(outcome(byKey, {})).toBe(INVALID_KEY)
  expect(outcome({ ...byKey, key: `${KEY.slice(0, -1)}y` }, { key })).toBe(INVALID_KEY)
  expect(outcome(byKey, { key: { ...key, ended: true } })).toBe(INVALID_KEY)
})

test('a key with allowed addresses is refused from any other', () => {
  const limited = { ...key, allowed_ips: ['192.0.2.0/24'] }
  expect(outcome(byKey, { key: limited })).toMatchObject({ kind: 'key' })
  expect(outcome(byKey, { key: limited }, { ip: '198.51.100.1' })).toBe(
    '403 The API key cannot be used from this address',
  )
})

test('a session acts with all scopes and its role, in the environment that it names', () => {
  expect(outcome(bySession, { session })).toEqual({
    kind: 'session',
    sessionId: ID,
    userId: ORGANISATION,
    email: 'ada@example.com',
    organisationId: ORGANISATION,
    environment: 'test',
    scopes: ['api:read', 'api:write'],
    role: 'owner',
    suspended: false,
    timeZone: 'UTC',
    liveAccess: false,
  })
  const environments = ['', 'test', 'live', 'Live', 'production'].map((environment) =>
    outcome(bySession, { session }, { environment }),
  )
  expect(environments.map((each) => (typeof each === 'string' ? each : each.environment))).toEqual([
    'test',
    'test',
    'live',
    '422 Validation failed',
    '422 Validation failed',
  ])
  expect(() => actorOf(bySession, { ...none, session }, { ...request, environment: 'other' })).toThrow(
    expect.objectContaining({ fields: { 'X-Service-Environment': 'Must be test or live' } }),
  )
})

test('an operator is who the settings name now: session and internal token of a former one are refused', () => {
  const operator = { ...session, role: 'operator', email: OPERATOR } as const
  expect(outcome(bySession, { session: operator })).toMatchObject({ role: 'operator' })
  const former = { settings: { ...settings, OPERATOR_EMAILS: [] } as unknown as Settings }
  expect(outcome(bySession, { session: operator }, former)).toBe(INVALID_TOKEN)
  expect(outcome(byToken, { token }, former)).toBe(INVALID_TOKEN)
  expect(outcome(bySession, { session }, former)).toMatchObject({ role: 'owner' })
  expect(outcome(bySession, {})).toBe(INVALID_TOKEN)
})

test('an internal token acts as an operator without scopes, for the procedures that it lists', () => {
  expect(outcome(byToken, { token }, { environment: 'live' })).toEqual({
    kind: 'token',
    tokenId: ID,
    procedures: ['admin.swaps.*'],
    userId: ID,
    email: OPERATOR,
    organisationId: ORGANISATION,
    environment: 'live',
    scopes: [],
    role: 'operator',
    suspended: false,
  })
})

test('an unknown internal token, one with another secret and one that has ended get the same reply', () => {
  expect(outcome(byToken, {})).toBe(INVALID_TOKEN)
  expect(outcome({ ...byToken, token: `${TOKEN.slice(0, -1)}y` }, { token })).toBe(INVALID_TOKEN)
  expect(outcome(byToken, { token: { ...token, ended: true } })).toBe(INVALID_TOKEN)
})

test('where live access is automatic, every organisation has it', () => {
  const automatic = { settings: { ...settings, LIVE_ACCESS: 'automatic' } as unknown as Settings }
  expect(outcome(byKey, { key }, automatic)).toMatchObject({ liveAccess: true })
  expect(outcome(bySession, { session }, automatic)).toMatchObject({ liveAccess: true })
  expect(outcome(bySession, { session: { ...session, live_enabled: true } })).toMatchObject({ liveAccess: true })
})
