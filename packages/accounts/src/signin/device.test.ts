import { expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, type TestSession, useService } from '#testing'

const service = useService({ settings: { RATE_LIMIT_AUTH: '1000', RATE_LIMIT_GLOBAL: '10000' } })
const post = (path: string, body: object, token: string | null = null) =>
  call(service, `POST /v1/auth/device${path}`, { body, token, key: null })
const start = async () => (await post('', { clientName: 'CLI on workstation' })).body.data
async function member(role: 'owner' | 'member' = 'owner', given?: string) {
  const organisationId = given ?? (await foundOrganisation(service.runtime))
  return { ...(await signedIn(service.runtime, { organisationId, role })), organisationId }
}
const TEST = { environment: 'test', access: 'read_write' }
/** Asks for the key, with the code of the error where there is none. A test does not wait for the interval. */
async function ask(deviceCode: string, { early = false } = {}) {
  if (!early) await service.runtime.pool.query("update device_requests set polled_at = now() - interval '1 hour'")
  const { status, body, headers } = await post('/token', { deviceCode })
  return { status, data: body.data, code: headers.get('link')?.match(/#(\w+)>/)?.[1] }
}
const pass = (userCode: string, minutes: number) =>
  service.runtime.pool.query(
    'update device_requests set expires_at = expires_at - make_interval(mins => $2) where user_code = $1',
    [userCode.replace('-', ''), minutes],
  )

test('a program gets one key of what its user has chosen, with its name, and the codes are worth nothing after it', async () => {
  const { accessToken, organisationId } = await member()
  const started = await start()
  expect(started).toMatchObject({
    userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verificationUri: expect.stringMatching(/\/dashboard\/cli$/),
    ...{ expiresIn: 600, interval: 5 },
  })
  const { deviceCode, userCode } = started
  expect(await ask(deviceCode)).toMatchObject({ status: 400, code: 'authorization_pending' })
  const found = await post('/find', { userCode: userCode.toLowerCase().replace('-', '') }, accessToken)
  expect(found.body.data).toMatchObject({ userCode, clientName: 'CLI on workstation', address: '127.0.0.1' })
  expect((await post('/approve', { userCode, environment: 'test', access: 'read' }, accessToken)).body.data).toEqual({
    status: 'approved',
  })
  const { status, data } = await ask(deviceCode)
  expect([status, data]).toMatchObject([
    200,
    { key: expect.stringMatching(/^svc_test_/), name: 'CLI on workstation', scopes: ['api:read'] },
  ])
  expect(Date.parse(data.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000)
  expect((await call(service, 'GET /v1/customers', { token: data.key })).status).toBe(200)
  expect(await ask(deviceCode)).toMatchObject({ status: 400, code: 'expired_token' })
  for (const path of ['/find', '/deny']) expect((await post(path, { userCode }, accessToken)).status).toBe(404)
  const { rows } = await service.runtime.pool.query(
    'select k.id, d::text as request from api_keys k, device_requests d where k.organisation_id = $1 and d.organisation_id = $1',
    [organisationId],
  )
  expect(rows).toHaveLength(1)
  for (const secret of [deviceCode, data.key]) expect(rows[0].request).not.toContain(secret)
  const keys = (await call(service, 'GET /v1/api-keys', { token: accessToken })).body.data.apiKeys
  expect((await call(service, `DELETE /v1/api-keys/${keys[0].id}`, { token: accessToken, key: null })).status).toBe(200)
  expect((await call(service, 'GET /v1/customers', { token: data.key })).status).toBe(401)
})

test('requests at the same time create and receive one key', async () => {
  const { accessToken, organisationId } = await member()
  const { deviceCode, userCode } = await start()
  await post('/approve', { userCode, ...TEST }, accessToken)
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('/token', { deviceCode })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const { rows } = await service.runtime.pool.query('select id from api_keys where organisation_id = $1', [
    organisationId,
  ])
  expect(rows).toHaveLength(1)
})

test('a key that cannot be stored is not redeemed: the program gets it when the cause is gone', async () => {
  const { accessToken, organisationId } = await member()
  const { deviceCode, userCode } = await start()
  await post('/approve', { userCode, ...TEST }, accessToken)
  const { pool } = service.runtime
  await pool.query(
    `insert into api_keys (id, organisation_id, environment, name, type, lookup, digest, masked, scopes, created_at)
     select gen_random_uuid(), $1, 'test', 'Key', 'secret', gen_random_uuid()::text, 'x', 'x', '{}', now() from generate_series(1, 100)`,
    [organisationId],
  )
  expect(await ask(deviceCode)).toMatchObject({ status: 409, code: 'too_many_api_keys' })
  await pool.query('update api_keys set revoked_at = now() where organisation_id = $1', [organisationId])
  expect((await ask(deviceCode)).status).toBe(200)
})

test('early requests lengthen the interval, and an unknown, refused or expired code gets no key', async () => {
  const { accessToken } = await member()
  const { deviceCode, userCode } = await start()
  expect(await ask(deviceCode)).toMatchObject({ code: 'authorization_pending' })
  for (let n = 0; n < 2; n++) expect(await ask(deviceCode, { early: true })).toMatchObject({ code: 'slow_down' })
  const { rows } = await service.runtime.pool.query(
    'select interval_seconds as seconds from device_requests where user_code = $1',
    [userCode.replace('-', '')],
  )
  expect(rows).toEqual([{ seconds: 15 }])
  expect((await post('/deny', { userCode }, accessToken)).body.data).toEqual({ status: 'denied' })
  expect(await ask(deviceCode)).toMatchObject({ status: 400, code: 'access_denied' })
  expect((await post('/approve', { userCode, ...TEST }, accessToken)).status).toBe(404)
  expect(await ask('unknown')).toMatchObject({ status: 400, code: 'expired_token' })

  const late = await start()
  await pass(late.userCode, 10)
  expect((await post('/approve', { userCode: late.userCode, ...TEST }, accessToken)).status).toBe(404)
  const approved = await start()
  await post('/approve', { userCode: approved.userCode, ...TEST }, accessToken)
  await pass(approved.userCode, 10)
  for (const each of [late, approved]) expect(await ask(each.deviceCode)).toMatchObject({ code: 'expired_token' })
})

test('a live key needs an owner with a confirmed session, and the membership until the key is received', async () => {
  const owner = await member()
  const { organisationId } = owner
  const other = await member('member', organisationId)
  const LIVE = { environment: 'live', access: 'read' }
  const refused = await start()
  const answer = async (session: TestSession, userCode: string, choice = LIVE) =>
    (await post('/approve', { userCode, ...choice }, session.accessToken)).body.message
  expect(await answer(other, refused.userCode)).toBe('Owner role required')
  const { pool } = service.runtime
  await pool.query("update sessions set confirmed_at = now() - interval '1 hour' where user_id = $1", [owner.userId])
  expect(await answer(owner, refused.userCode)).toBe('Confirm the session first: POST /auth/confirm')
  await pool.query('update sessions set confirmed_at = now() where user_id = $1', [owner.userId])
  expect(await answer(owner, refused.userCode)).toBe('Program approved')
  expect((await ask(refused.deviceCode)).data.key).toMatch(/^svc_live_/)

  const left = await start()
  expect(await answer(other, left.userCode, TEST)).toBe('Program approved')
  const path = `/v1/auth/members/${other.userId}`
  expect((await call(service, `DELETE ${path}`, { token: owner.accessToken, key: null })).status).toBe(200)
  expect(await ask(left.deviceCode)).toMatchObject({ status: 400, code: 'access_denied' })
})

test('an API key and a stranger answer nothing, and a wrong name or code is refused with its field', async () => {
  const { accessToken } = await member()
  const { deviceCode, userCode } = await start()
  await post('/approve', { userCode, ...TEST }, accessToken)
  const { key } = (await ask(deviceCode)).data
  const next = await start()
  for (const path of ['/find', '/approve', '/deny'])
    expect([
      path,
      (await post(path, { userCode: next.userCode, ...(path === '/approve' && TEST) }, key)).status,
    ]).toEqual([path, 403])
  expect((await post('/approve', { userCode: next.userCode, ...TEST }, null)).status).toBe(401)
  expect((await post('', { clientName: 'a\u202Eb' })).status).toBe(422)
  expect((await post('/approve', { userCode: 'AEIO-UAEI', ...TEST }, accessToken)).body.errors.userCode).toContain(
    'WDJB-MJHT',
  )
})

test('no link carries the code, and nothing is found, allowed or refused without all of it, whatever a program chose', async () => {
  const { accessToken } = await member()
  const { deviceCode, userCode, ...started } = await start()
  expect(JSON.stringify(started)).not.toContain(userCode.slice(0, 4))
  for (const environment of ['test', 'live'])
    for (const access of ['read', 'read_write'])
      for (const guess of [undefined, '', userCode.slice(0, 8), `${userCode}B`, deviceCode, 'BBBB-BBBB']) {
        const { status } = await post('/approve', { userCode: guess, environment, access }, accessToken)
        expect([guess, status]).toEqual([guess, guess === 'BBBB-BBBB' ? 404 : 422])
      }
  expect((await post('/approve', { userCode, ...TEST }, accessToken)).status).toBe(200)
})
