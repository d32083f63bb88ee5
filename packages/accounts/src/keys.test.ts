import { createHash } from 'node:crypto'
import { newId } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createKeyFor, foundOrganisation, signedIn, startProcess, type TestProcess, useService } from '#testing'
import { keyUses } from './key-uses.ts'
import { effectiveScopes, lookupOf } from './keys.ts'

const service = useService()
let process: TestProcess
let organisationId: string
let owner: string
let member: string
beforeAll(async () => {
  process = await startProcess(service)
  organisationId = await foundOrganisation(service.runtime)
  owner = (await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken
  member = (await signedIn(service.runtime, { organisationId, role: 'member' })).accessToken
})
afterAll(() => process.stop())

const make = (body: object, token = owner) =>
  call(service, 'POST /v1/api-keys', { body: { name: 'Key', environment: 'test', ...body }, token, key: null })
const revoke = (id: string, token = owner) => call(service, `DELETE /v1/api-keys/${id}`, { token, key: null })
const read = async (key: string, at: { url: string } = service) => {
  const { status, body } = await call(at, 'GET /v1/customers', { token: key })
  return `${status} ${body.message}`
}
const INVALID = '401 Invalid API key'

test('a key is shown once, laid out as specified, listed masked and kept as a digest', async () => {
  const made = await make({ access: 'read' })
  expect([made.status, made.body.message]).toEqual([201, 'API key created'])
  const { key, ...listed } = made.body.data
  expect(key).toMatch(/^svc_test_[A-Za-z0-9]{8}[A-Za-z0-9]{24}$/)
  expect(listed).toMatchObject({ scopes: ['api:read'], maskedKey: `svc_test_…${key.slice(-4)}`, lastUsedAt: null })
  const list = await call(service, 'GET /v1/api-keys', { token: owner })
  expect(list.body.data.apiKeys).toContainEqual(listed)
  expect(list.text).not.toContain(key)
  const { rows } = await service.runtime.pool.query('select * from api_keys where id = $1', [listed.id])
  expect(rows[0]).toMatchObject({ lookup: key.slice(9, 17), digest: createHash('sha256').update(key).digest('hex') })
  expect(JSON.stringify(rows[0])).not.toContain(key.slice(17))
})

test('keys come for both environments, each access and both types, and a publishable key only reads', async () => {
  const live = await make({ environment: 'live', access: 'write' })
  expect(live.body.data).toMatchObject({ key: expect.stringMatching(/^svc_live_/), scopes: ['api:write'] })
  expect((await make({ access: 'read_write' })).body.data.scopes).toEqual(['api:read', 'api:write'])
  const open = await make({ type: 'publishable', environment: 'live' })
  expect(open.body.data).toMatchObject({ environment: 'live', type: 'publishable', scopes: ['collections:read'] })
  expect(open.body.data.key).toMatch(/^svc_pk_[A-Za-z0-9]{32}$/)
  const writing = await make({ type: 'publishable', access: 'write' })
  expect([writing.status, writing.body.errors]).toEqual([422, { access: 'A publishable key can only read' }])
})

test('live keys are the owner’s: a member makes and ends test keys alone', async () => {
  expect((await make({ environment: 'live' }, member)).body.message).toBe('Owner role required')
  const live = (await make({ environment: 'live' })).body.data.id
  expect((await revoke(live, member)).body.message).toBe('Owner role required')
  const own = await make({}, member)
  expect(own.status).toBe(201)
  expect((await revoke(own.body.data.id, member)).status).toBe(200)
})

test('a revoked key is refused by the very next request of every process', async () => {
  const { id, key } = (await make({})).body.data
  expect(await read(key, process)).toBe('200 Customers retrieved')
  const revoked = await revoke(id)
  expect(revoked.body).toMatchObject({ message: 'API key revoked', data: { id, revokedAt: expect.any(String) } })
  expect(await read(key, process)).toBe(INVALID)
  expect(await read(key)).toBe(INVALID)
  expect((await revoke(id)).status).toBe(404)
})

test('a key of another organisation and an id that is none are not found alike', async () => {
  const stranger = await foundOrganisation(service.runtime)
  const foreign = (await signedIn(service.runtime, { organisationId: stranger, role: 'owner' })).accessToken
  const { id, key } = (await make({})).body.data
  for (const each of [await revoke(id, foreign), await revoke(newId()), await revoke('not-an-id')])
    expect([each.status, each.body.message]).toEqual([404, 'API key not found'])
  expect(await read(key)).toBe('200 Customers retrieved')
})

test('a key ends at its expiry, which lies in the future when the key is made', async () => {
  const past = await make({ expiresAt: new Date(Date.now() - 1000).toISOString() })
  expect([past.status, past.body.errors]).toEqual([422, { expiresAt: 'Must be in the future' }])
  const { id, key } = (await make({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })).body.data
  expect(await read(key)).toBe('200 Customers retrieved')
  await service.runtime.pool.query('update api_keys set expires_at = now() where id = $1', [id])
  expect(await read(key)).toBe(INVALID)
})

test('a key with a known and one with an unknown lookup part get the same answer, byte for byte', async () => {
  const { key } = (await make({})).body.data
  const spoilt = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  const otherPrefix = key.replace('svc_test_', 'svc_live_')
  const unknown = `svc_test_${'Z'.repeat(32)}`
  const texts = await Promise.all(
    [spoilt, otherPrefix, unknown, 'svc_test_short', 'svc_'].map(
      async (token) => (await call(service, 'GET /v1/customers', { token })).text,
    ),
  )
  expect(new Set(texts)).toEqual(new Set(['{"status":"error","message":"Invalid API key","data":null}']))
})

test('lastUsedAt follows a use soon, and further uses write nothing for a minute', async () => {
  const { id, key } = (await make({})).body.data
  const row = async () =>
    (await service.runtime.pool.query('select last_used_at, xmin::text from api_keys where id = $1', [id])).rows[0]
  await Promise.all(Array.from({ length: 20 }, (_, index) => read(key, index % 2 ? process : service)))
  await expect.poll(async () => (await row()).last_used_at, { timeout: 5000 }).not.toBeNull()
  const written = await row()
  const statements: unknown[] = []
  const uses = keyUses({
    log: service.runtime.log,
    pool: {
      query: (text: string, values: unknown[]) => {
        statements.push(values)
        return service.runtime.pool.query(text, values)
      },
    } as unknown as typeof service.runtime.pool,
  })
  for (let use = 0; use < 100; use++) uses.note(id)
  await expect.poll(() => statements.length, { timeout: 5000 }).toBe(1)
  await read(key)
  expect(await row()).toEqual(written)
})

test('any legacy write is full write, any legacy read full context, and a publishable key never more than pay reads', () => {
  for (const scope of ['transfers:write', 'collections:write', 'offramps:*', 'swaps:create'])
    expect(effectiveScopes('secret', [scope])).toEqual(['api:read', 'api:write'])
  for (const scope of ['transfers:read', 'collections:read', 'offramps:list'])
    expect(effectiveScopes('secret', [scope])).toEqual(['api:read'])
  expect(effectiveScopes('secret', ['webhooks'])).toEqual([])
  expect(effectiveScopes('publishable', ['api:write', 'transfers:*'])).toEqual(['collections:read'])
})

test('the lookup part is read from well-formed keys alone', () => {
  expect(lookupOf(`svc_live_${'Ab3'.repeat(10)}xy`)).toBe('Ab3Ab3Ab')
  for (const text of [
    '',
    'svc_',
    `svc_test_${'a'.repeat(31)}`,
    `svc_test_${'a'.repeat(33)}`,
    `svc_test_${'é'.repeat(32)}`,
  ])
    expect(lookupOf(text)).toBeUndefined()
})

test('a stored scope that is no scope of the specification opens nothing', async () => {
  const key = await createKeyFor(service.runtime, { organisationId, environment: 'test', scopes: ['webhooks'] })
  expect(await read(key)).toBe('403 Missing required scopes: api:read')
})

test('everybody in the organisation is told of a key that was made or ended, where it works', async () => {
  const organisation = await foundOrganisation(service.runtime)
  const token = (await signedIn(service.runtime, { organisationId: organisation, role: 'owner' })).accessToken
  const made = await make({ name: 'Deploy', environment: 'live' }, token)
  expect((await revoke(made.body.data.id, token)).status).toBe(200)
  expect((await revoke(made.body.data.id, token)).status).toBe(404)
  const told = async (environment: string) => {
    const headers = { 'x-service-environment': environment }
    const { body } = await call(service, 'GET /v1/notifications', { token, headers })
    return body.data.notifications.map((each: { title: string; body: string }) => `${each.title}: ${each.body}`)
  }
  const name = `Deploy (${made.body.data.maskedKey})`
  expect(await told('live')).toEqual([`API key revoked: ${name} was revoked.`, `API key created: ${name} was created.`])
  expect(await told('test')).toEqual([])
})
