import { afterAll, expect, test } from 'vitest'
import { askForCode, call, foundOrganisation, signedIn, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback' } })

const sessions = async (token: string) => (await call(service, 'GET /v1/auth/sessions', { token })).body.data
const me = async (token: string) => (await call(service, 'GET /v1/auth/me', { token })).status

test('a user sees the device, address and last use of each session, and ends one or all others', async () => {
  const email = 'devices@example.com'
  const first = await signIn(service, mailbox, { email, organisationName: 'Devices' })
  const code = await askForCode(service, mailbox, { email })
  const headers = { 'user-agent': 'Pocket browser', 'x-forwarded-for': '192.0.2.44' }
  const second = (await call(service, 'POST /v1/auth/otp/verify', { body: code, key: null, headers })).body.data
  const third = await signIn(service, mailbox, { email })
  const listed = await sessions(first.accessToken)
  expect([listed.total, listed.sessions.map((each: { current: boolean }) => each.current)]).toEqual([
    3,
    [false, false, true],
  ])
  expect(listed.sessions[1]).toMatchObject({
    device: 'Pocket browser',
    address: '192.0.2.44',
    organisationId: first.organisation.id,
    lastUsedAt: expect.any(String),
  })
  const ended = await call(service, `DELETE /v1/auth/sessions/${listed.sessions[1].id}`, {
    token: first.accessToken,
    key: null,
  })
  expect(ended.body).toMatchObject({ message: 'Session ended', data: { sessionId: listed.sessions[1].id } })
  expect([await me(second.accessToken), await me(third.accessToken)]).toEqual([401, 200])
  const others = await call(service, 'DELETE /v1/auth/sessions', { token: first.accessToken, key: null })
  expect(others.body.data).toEqual({ ended: 1 })
  expect([await me(third.accessToken), await me(first.accessToken)]).toEqual([401, 200])
  const used = await call(service, 'POST /v1/auth/refresh', {
    body: { refreshToken: third.refreshToken },
    key: null,
  })
  expect(used.status).toBe(401)
})

test("another user's session cannot be ended, and the lists do not show it", async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const one = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const two = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const [foreign] = (await sessions(two.accessToken)).sessions
  for (const id of [foreign.id, 'not-an-id']) {
    const reply = await call(service, `DELETE /v1/auth/sessions/${id}`, { token: one.accessToken, key: null })
    expect([reply.status, reply.body.message]).toEqual([404, 'Session not found'])
  }
  expect(await me(two.accessToken)).toBe(200)
  expect((await sessions(one.accessToken)).total).toBe(1)
})

test('a session that has expired is no active session, and cannot be ended', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const { accessToken } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const [{ id }] = (await sessions(accessToken)).sessions
  const current = await signedIn(service.runtime, { organisationId, role: 'owner' })
  await service.runtime.pool.query(
    "update sessions set expires_at = now() - interval '1 second', user_id = $2 where id = $1",
    [id, current.userId],
  )
  const reply = await call(service, `DELETE /v1/auth/sessions/${id}`, { token: current.accessToken, key: null })
  expect(reply.status).toBe(404)
})

test('the last use of a session is recorded soon after it', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const { accessToken } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  await me(accessToken)
  await expect.poll(async () => (await sessions(accessToken)).sessions[0].lastUsedAt, { timeout: 5000 }).not.toBeNull()
})
