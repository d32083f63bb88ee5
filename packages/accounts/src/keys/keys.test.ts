import { createHash } from 'node:crypto'
import { newId } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createKeyFor, foundOrganisation, signedIn, startProcess, type TestProcess, useService } from '#testing'
import { usesOf } from '../sessions/uses.ts'
import { lookupOf } from './keys.ts'

const service = useService({ settings: { TRUST_PROXY: 'loopback' } })
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

const create = (body: object, token = owner) =>
  call(service, 'POST /v1/api-keys', { body: { name: 'Key', environment: 'test', ...body }, token, key: null })
const revoke = (id: string, token = owner) => call(service, `DELETE /v1/api-keys/${id}`, { token, key: null })
const read = async (key: string, at: { url: string } = service) => {
  const { status, body } = await call(at, 'GET /v1/customers', { token: key })
  return `${status} ${body.message}`
}
const INVALID = '401 Invalid API key'

test('a key has the specified format, is shown once, listed masked and stored as a digest', async () => {
  const created = await create({ access: 'read' })
  expect([created.status, created.body.message]).toEqual([201, 'API key created'])
  const { key, ...listed } = created.body.data
  expect(key).toMatch(/^svc_test_[A-Za-z0-9]{8}[A-Za-z0-9]{24}$/)
  expect(listed).toMatchObject({ scopes: ['api:read'], maskedKey: `svc_test_…${key.slice(-4)}`, lastUsedAt: null })
  const list = await call(service, 'GET /v1/api-keys', { token: owner })
  expect(list.body.data.apiKeys).toContainEqual(listed)
  expect(list.text).not.toContain(key)
  const { rows } = await service.runtime.pool.query('select * from api_keys where id = $1', [listed.id])
  expect(rows[0]).toMatchObject({ lookup: key.slice(9, 17), digest: createHash('sha256').update(key).digest('hex') })
  expect(JSON.stringify(rows[0])).not.toContain(key.slice(17))
})

test('keys can be created for both environments, every access and both types, and a publishable key can only read', async () => {
  const live = await create({ environment: 'live', access: 'write' })
  expect(live.body.data).toMatchObject({ key: expect.stringMatching(/^svc_live_/), scopes: ['api:write'] })
  expect((await create({ access: 'read_write' })).body.data.scopes).toEqual(['api:read', 'api:write'])
  const publishable = await create({ type: 'publishable', environment: 'live' })
  expect(publishable.body.data).toMatchObject({
    environment: 'live',
    type: 'publishable',
    scopes: ['collections:read'],
  })
  expect(publishable.body.data.key).toMatch(/^svc_pk_[A-Za-z0-9]{32}$/)
  const writing = await create({ type: 'publishable', access: 'write' })
  expect([writing.status, writing.body.errors]).toEqual([422, { access: 'A publishable key can only read' }])
})

test('only an owner creates and revokes live keys; a member can create and revoke test keys only', async () => {
  expect((await create({ environment: 'live' }, member)).body.message).toBe('Owner role required')
  const live = (await create({ environment: 'live' })).body.data.id
  expect((await revoke(live, member)).body.message).toBe('Owner role required')
  const own = await create({}, member)
  expect(own.status).toBe(201)
  expect((await revoke(own.body.data.id, member)).status).toBe(200)
})

test('every process refuses a revoked key from the next request on', async () => {
  const { id, key } = (await create({})).body.data
  expect(await read(key, process)).toBe('200 Customers retrieved')
  const revoked = await revoke(id)
  expect(revoked.body).toMatchObject({ message: 'API key revoked', data: { id, revokedAt: expect.any(String) } })
  expect(await read(key, process)).toBe(INVALID)
  expect(await read(key)).toBe(INVALID)
  expect((await revoke(id)).status).toBe(404)
})

test('a key of another organisation, an unknown id and a malformed id get the same 404', async () => {
  const stranger = await foundOrganisation(service.runtime)
  const foreign = (await signedIn(service.runtime, { organisationId: stranger, role: 'owner' })).accessToken
  const { id, key } = (await create({})).body.data
  for (const each of [await revoke(id, foreign), await revoke(newId()), await revoke('not-an-id')])
    expect([each.status, each.body.message]).toEqual([404, 'API key not found'])
  expect(await read(key)).toBe('200 Customers retrieved')
})

test('a key is refused after its expiry, which must be in the future when the key is created', async () => {
  const past = await create({ expiresAt: new Date(Date.now() - 1000).toISOString() })
  expect([past.status, past.body.errors]).toEqual([422, { expiresAt: 'Must be in the future' }])
  const { id, key } = (await create({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })).body.data
  expect(await read(key)).toBe('200 Customers retrieved')
  await service.runtime.pool.query('update api_keys set expires_at = now() - make_interval(secs => 1) where id = $1', [
    id,
  ])
  expect(await read(key)).toBe(INVALID)
})

test('a wrong key gets the same reply, byte for byte, whether its lookup part is known or unknown', async () => {
  const { key } = (await create({})).body.data
  const altered = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  const otherPrefix = key.replace('svc_test_', 'svc_live_')
  const unknown = `svc_test_${'Z'.repeat(32)}`
  const texts = await Promise.all(
    [altered, otherPrefix, unknown, 'svc_test_short', 'svc_'].map(
      async (token) => (await call(service, 'GET /v1/customers', { token })).text,
    ),
  )
  expect(new Set(texts)).toEqual(new Set(['{"status":"error","message":"Invalid API key","data":null}']))
})

test('lastUsedAt is updated soon after a use, and further uses write nothing for a minute', async () => {
  const { id, key } = (await create({})).body.data
  const row = async () =>
    (await service.runtime.pool.query('select last_used_at, xmin::text from api_keys where id = $1', [id])).rows[0]
  await Promise.all(Array.from({ length: 20 }, (_, index) => read(key, index % 2 ? process : service)))
  await expect.poll(async () => (await row()).last_used_at, { timeout: 5000 }).not.toBeNull()
  const written = await row()
  const statements: unknown[] = []
  const uses = usesOf(
    {
      log: service.runtime.log,
      pool: {
        query: (text: string, values: unknown[]) => {
          statements.push(values)
          return service.runtime.pool.query(text, values)
        },
      } as unknown as typeof service.runtime.pool,
    },
    'api_keys',
  )
  for (let use = 0; use < 100; use++) uses.record(id)
  await expect.poll(() => statements.length, { timeout: 5000 }).toBe(1)
  await read(key)
  expect(await row()).toEqual(written)
})

test('the lookup part is read from well-formed keys only', () => {
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

test('a stored scope that the specification does not define grants nothing', async () => {
  const key = await createKeyFor(service.runtime, { organisationId, environment: 'test', scopes: ['webhooks'] })
  expect(await read(key)).toBe('403 Missing required scopes: api:read')
})

test('all members are notified of a created or revoked key, in the environment of the key', async () => {
  const organisation = await foundOrganisation(service.runtime)
  const token = (await signedIn(service.runtime, { organisationId: organisation, role: 'owner' })).accessToken
  const created = await create({ name: 'Deploy', environment: 'live' }, token)
  expect((await revoke(created.body.data.id, token)).status).toBe(200)
  expect((await revoke(created.body.data.id, token)).status).toBe(404)
  const notifications = async (environment: string) => {
    const headers = { 'x-service-environment': environment }
    const { body } = await call(service, 'GET /v1/notifications', { token, headers })
    return body.data.notifications.map((each: { title: string; body: string }) => `${each.title}: ${each.body}`)
  }
  const name = `Deploy (${created.body.data.maskedKey})`
  expect(await notifications('live')).toEqual([
    `API key revoked: ${name} was revoked.`,
    `API key created: ${name} was created.`,
  ])
  expect(await notifications('test')).toEqual([])
})

test('a key with allowed addresses works from those only, whatever their spelling', async () => {
  const { key, id, allowedIps } = (await create({ allowedIps: ['192.0.2.0/24', '2001:db8::7'] })).body.data
  expect(allowedIps).toEqual(['192.0.2.0/24', '2001:db8::7'])
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    const { status, body } = await call(service, 'GET /v1/customers', { token: key, headers })
    return `${status} ${body.message}`
  }
  const refused = '403 The API key cannot be used from this address'
  expect(await from('192.0.2.77')).toBe('200 Customers retrieved')
  expect(await from('2001:0DB8:0:0::7')).toBe('200 Customers retrieved')
  for (const address of ['198.51.100.1', '2001:db8::8']) expect(await from(address)).toBe(refused)
  expect(await read(key)).toBe(refused)
  const shown = await call(service, `GET /v1/api-keys/${id}`, { token: owner })
  expect(shown.body.data).toMatchObject({ id, access: 'read_write', type: 'secret', expiresAt: null, allowedIps })
  for (const range of ['192.0.2.0/33', 'localhost', '192.0.2.1/', 'fe80::1%eth0']) {
    const { status, body } = await create({ allowedIps: [range] })
    expect([range, status, body.errors]).toEqual([
      range,
      422,
      { 'allowedIps.0': 'Must be an IP address or a CIDR range' },
    ])
  }
})

test('one key is found by its id, revoked too, but not by another organisation', async () => {
  const { id } = (await create({ access: 'read' })).body.data
  await revoke(id)
  const get = (path: string, token = owner) => call(service, `GET /v1/api-keys/${path}`, { token })
  expect((await get(id)).body.data).toMatchObject({ id, access: 'read', revokedAt: expect.any(String) })
  const stranger = await foundOrganisation(service.runtime)
  const foreign = (await signedIn(service.runtime, { organisationId: stranger, role: 'owner' })).accessToken
  for (const reply of [await get(id, foreign), await get(newId()), await get('not-an-id')])
    expect([reply.status, reply.body.message]).toEqual([404, 'API key not found'])
})

test('an organisation has at most 100 active keys, also in parallel and over all processes', async () => {
  const crowded = await foundOrganisation(service.runtime)
  const token = (await signedIn(service.runtime, { organisationId: crowded, role: 'owner' })).accessToken
  for (let index = 0; index < 96; index++)
    await createKeyFor(service.runtime, { organisationId: crowded, environment: 'test', scopes: ['api:read'] })
  const past = new Date(Date.now() - 1000)
  for (const ended of [{ revokedAt: past }, { expiresAt: past }])
    await createKeyFor(service.runtime, {
      organisationId: crowded,
      environment: 'live',
      scopes: ['api:read'],
      ...ended,
    })
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      call(index % 2 ? process : service, 'POST /v1/api-keys', {
        body: { name: 'Key', environment: 'test' },
        token,
        key: null,
      }),
    ),
  )
  const made = replies.filter(({ status }) => status === 201)
  expect(made).toHaveLength(4)
  for (const { status, body } of replies.filter((each) => each.status !== 201))
    expect([status, body.message]).toEqual([409, 'An organisation can have 100 active API keys; revoke one first'])
  await revoke(made[0]?.body.data.id, token)
  expect((await create({}, token)).status).toBe(201)
})
