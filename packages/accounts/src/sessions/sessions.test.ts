import { firstIdOf } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  foundOrganisation,
  newMerchant,
  signedIn,
  startProcess,
  startService,
  type TestProcess,
  type TestSession,
  useService,
} from '#testing'

const service = useService()
let process: TestProcess
beforeAll(async () => {
  process = await startProcess(service)
})
afterAll(() => process.stop())

const refresh = (refreshToken: string, at: { url: string } = service) =>
  call(at, 'POST /v1/auth/refresh', { body: { refreshToken }, key: null })
const me = (token: string, at: { url: string } = service) => call(at, 'GET /v1/auth/me', { token })
const owner = async (): Promise<TestSession> =>
  signedIn(service.runtime, { organisationId: await foundOrganisation(service.runtime), role: 'owner' })
/** Moves the time at which refresh tokens were spent into the past by this much. */
const age = (seconds: number) =>
  service.runtime.pool.query('update refresh_tokens set spent_at = spent_at - make_interval(secs => $1)', [seconds])
const INVALID = { status: 'error', message: 'Token invalid or expired', data: null }

test('a refresh returns a new pair and spends the old token', async () => {
  const session = await owner()
  const first = await refresh(session.refreshToken)
  expect(first.body).toMatchObject({
    message: 'Session refreshed',
    data: { tokenType: 'Bearer', user: { id: session.userId }, organisation: session.organisation },
  })
  expect(first.body.data.refreshToken).not.toBe(session.refreshToken)
  expect((await me(first.body.data.accessToken, process)).status).toBe(200)
  const second = await refresh(first.body.data.refreshToken, process)
  expect(second.status).toBe(200)
})

test('repeated refreshes with the same token get the same successor within 10 s, in every process', async () => {
  const { refreshToken } = await owner()
  const replies = await Promise.all([1, 2, 3, 4, 5, 6].map((one) => refresh(refreshToken, one % 2 ? service : process)))
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(new Set(replies.map((reply) => reply.body.data.refreshToken)).size).toBe(1)
})

test('a spent token that is used again after 10 s revokes the session with its access tokens and its successor, in every process', async () => {
  const { refreshToken } = await owner()
  const { accessToken, refreshToken: successor } = (await refresh(refreshToken)).body.data
  await age(9)
  expect((await refresh(refreshToken)).status).toBe(200)
  expect((await me(accessToken, process)).status).toBe(200)
  await age(1.1)
  expect((await refresh(refreshToken)).body).toEqual(INVALID)
  expect((await me(accessToken, process)).body).toEqual(INVALID)
  expect((await refresh(successor, process)).body).toEqual(INVALID)
})

test('a refresh token that was spent three rotations ago also revokes the session', async () => {
  const first = await owner()
  let latest = first.refreshToken
  for (let turn = 0; turn < 3; turn++) latest = (await refresh(latest)).body.data.refreshToken
  await age(11)
  expect((await refresh(first.refreshToken)).status).toBe(401)
  expect((await refresh(latest)).body).toEqual(INVALID)
})

test('an unknown refresh token and a refresh token of an expired session are refused', async () => {
  expect((await refresh('x'.repeat(48))).body).toEqual(INVALID)
  const { refreshToken, userId } = await owner()
  await service.runtime.pool.query("update sessions set expires_at = now() - interval '1 s' where user_id = $1", [
    userId,
  ])
  expect((await refresh(refreshToken)).body).toEqual(INVALID)
})

test('a refresh succeeds with an invalid access token in the header', async () => {
  const { refreshToken } = await owner()
  const reply = await call(service, 'POST /v1/auth/refresh', {
    body: { refreshToken },
    token: 'ey.stale.token',
    key: null,
  })
  expect(reply.status).toBe(200)
})

test('after a logout every process refuses the access token from the next request on', async () => {
  const { accessToken, refreshToken } = await owner()
  expect((await me(accessToken, process)).status).toBe(200)
  const out = await call(service, 'POST /v1/auth/logout', { token: accessToken, key: null })
  expect(out.body).toMatchObject({ status: 'success', message: 'Signed out' })
  expect((await me(accessToken, process)).body).toEqual(INVALID)
  expect((await me(accessToken)).body).toEqual(INVALID)
  expect((await refresh(refreshToken, process)).body).toEqual(INVALID)
})

test('a user can switch only to an organisation of which they are a member, and the previous session ends', async () => {
  const session = await owner()
  const second = await foundOrganisation(service.runtime)
  const move = (organisationId: string) =>
    call(service, 'POST /v1/auth/organisation', { body: { organisationId }, token: session.accessToken, key: null })
  expect((await move(second)).body.message).toBe('Organisation not found')
  await service.runtime.pool.query("insert into memberships values ($1, $2, 'member', now())", [second, session.userId])
  const moved = await move(second)
  expect(moved.body.data.organisation).toMatchObject({ id: second, role: 'member' })
  expect((await me(session.accessToken)).status).toBe(401)
  const there = await me(moved.body.data.accessToken)
  expect(there.body.data).toMatchObject({ organisation: { id: second }, environment: 'test' })
  expect(there.body.data.organisations).toHaveLength(2)
})

test('of parallel switches with one session, one starts a session', async () => {
  const session = await owner()
  const second = await foundOrganisation(service.runtime)
  await service.runtime.pool.query("insert into memberships values ($1, $2, 'member', now())", [second, session.userId])
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      call(index % 2 ? process : service, 'POST /v1/auth/organisation', {
        body: { organisationId: second },
        token: session.accessToken,
        key: null,
      }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401, 401, 401])
  const { rows } = await service.runtime.pool.query(
    'select count(*)::int as active from sessions where user_id = $1 and revoked_at is null',
    [session.userId],
  )
  expect(rows[0].active).toBe(1)
})

test('the role is read from the membership, not from the token', async () => {
  const { accessToken, userId } = await owner()
  const list = () => call(process, 'GET /v1/auth/invitations', { token: accessToken })
  expect((await list()).status).toBe(200)
  await service.runtime.pool.query("update memberships set role = 'member' where user_id = $1", [userId])
  expect((await list()).body.message).toBe('Owner role required')
})

test('a session selects its environment by header, test by default, and another value is refused', async () => {
  const { accessToken: token } = await owner()
  const environment = async (value: string | undefined) => {
    const headers: Record<string, string> = value === undefined ? {} : { 'x-service-environment': value }
    const { status, body } = await call(service, 'GET /v1/auth/me', { token, headers })
    return status === 200 ? body.data.environment : `${status} ${body.message}`
  }
  expect(await environment(undefined)).toBe('test')
  expect(await environment('test')).toBe('test')
  expect(await environment('live')).toBe('live')
  for (const word of ['Live', 'production', 'test, live']) expect(await environment(word)).toBe('422 Validation failed')
  const { key } = await newMerchant(service)
  const headers = { 'x-service-environment': 'nonsense' }
  expect((await call(service, 'GET /v1/customers', { token: key, headers })).status).toBe(200)
})

test('scheduled purges delete only ended sessions and counters whose window has ended', async () => {
  const kept = await owner()
  const ended = await owner()
  const recent = await owner()
  await service.runtime.pool.query('delete from refresh_tokens')
  const longAgo = Date.now() - 40 * 86_400_000
  for (const [user, days] of [
    [ended, 31],
    [recent, 29],
  ] as const)
    await service.runtime.pool.query(
      'update sessions set id = $2, revoked_at = now() - make_interval(days => $3) where user_id = $1',
      [user.userId, firstIdOf(new Date(longAgo + days)), days],
    )
  await service.runtime.pool.query(
    "insert into email_sends (email, sent_at) values ('old@example.com', now() - interval '2 days')",
  )
  for (const [ip, window] of [
    ['old', '-1 s'],
    ['new', '1 h'],
  ])
    await service.runtime.pool.query("insert into rate_limits values ('global', $1, 1, now() + $2::interval)", [
      ip,
      window,
    ])
  const worker = await startService({ worker: true, database: service.database })
  const { boss } = worker.runtime
  const scheduled = (await boss.getSchedules()).map(({ name }) => name)
  expect(scheduled).toEqual(expect.arrayContaining(['accounts.purge', 'platform.purge']))
  for (const name of scheduled) await boss.send(name, {})
  const left = async (user: string) =>
    (await service.runtime.pool.query('select 1 from sessions where user_id = $1', [user])).rowCount
  await expect.poll(() => left(ended.userId), { timeout: 10_000 }).toBe(0)
  expect([await left(kept.userId), await left(recent.userId)]).toEqual([1, 1])
  const counters = () => service.runtime.pool.query("select subject from rate_limits where subject in ('old', 'new')")
  await expect.poll(async () => (await counters()).rows, { timeout: 10_000 }).toEqual([{ subject: 'new' }])
  await worker.stop()
})
