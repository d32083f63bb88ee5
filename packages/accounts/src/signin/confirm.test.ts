import { type Actor, newId, type ServiceError, system } from '@payments/kernel'
import { queryContext } from '@payments/platform'
import { afterAll, expect, test } from 'vitest'
import {
  call,
  foundOrganisation,
  signedIn,
  signIn,
  startMailbox,
  startService,
  type TestSession,
  useService,
} from '#testing'
import { requireConfirmed, requireConfirmedOwner } from '../confirmation.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

const owner = async (): Promise<TestSession> =>
  signedIn(service.runtime, { organisationId: await foundOrganisation(service.runtime), role: 'owner' })
const liveKey = (token: string) =>
  call(service, 'POST /v1/api-keys', { body: { name: 'Live', environment: 'live' }, token, key: null })
const confirm = (token: string, code?: string) =>
  call(service, 'POST /v1/auth/confirm', { body: code === undefined ? {} : { code }, token, key: null })
const age = ({ userId }: { userId: string }, minutes: number) =>
  service.runtime.pool.query(
    'update sessions set confirmed_at = confirmed_at - make_interval(mins => $2) where user_id = $1',
    [userId, minutes],
  )
const REQUIRED = 'Confirm the session first: POST /auth/confirm'
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a live key needs a sign-in or a confirmation of less than 10 minutes ago, a test key none', async () => {
  const session = await owner()
  await age(session, 9)
  expect((await liveKey(session.accessToken)).status).toBe(201)
  await age(session, 1)
  const refused = await liveKey(session.accessToken)
  expect([refused.status, refused.body.message]).toEqual([403, REQUIRED])
  const body = { name: 'Test', environment: 'test' }
  expect((await call(service, 'POST /v1/api-keys', { body, token: session.accessToken, key: null })).status).toBe(201)

  const asked = await confirm(session.accessToken)
  expect(asked.body.data).toEqual({ confirmedUntil: null, otpExpiresAt: expect.any(String) })
  const code = await mailbox.codeFor(session.email)
  expect((await confirm(session.accessToken, wrong(code))).body.message).toBe('Invalid or expired code')
  expect((await liveKey(session.accessToken)).status).toBe(403)
  const confirmed = await confirm(session.accessToken, code)
  expect(Date.parse(confirmed.body.data.confirmedUntil) - Date.now()).toBeGreaterThan(590_000)
  expect((await liveKey(session.accessToken)).status).toBe(201)
  expect((await confirm(session.accessToken, code)).status).toBe(401)
})

test('refreshing a session and changing the organisation confirm nothing', async () => {
  const session = await owner()
  const second = await foundOrganisation(service.runtime)
  await service.runtime.pool.query("insert into memberships values ($1, $2, 'owner', now())", [second, session.userId])
  await age(session, 10)
  const refreshed = await call(service, 'POST /v1/auth/refresh', {
    body: { refreshToken: session.refreshToken },
    key: null,
  })
  expect((await liveKey(refreshed.body.data.accessToken)).body.message).toBe(REQUIRED)
  const moved = await call(service, 'POST /v1/auth/organisation', {
    body: { organisationId: second },
    token: session.accessToken,
    key: null,
  })
  expect((await liveKey(moved.body.data.accessToken)).body.message).toBe(REQUIRED)
})

test('managing members and inviting anybody, leaving too, need a confirmed session', async () => {
  const session = await owner()
  await age(session, 10)
  const token = session.accessToken
  const invite = (role: string) =>
    call(service, 'POST /v1/auth/invitations', { body: { email: `${role}@example.com`, role }, token, key: null })
  for (const role of ['owner', 'member']) expect((await invite(role)).body.message).toBe(REQUIRED)
  const { userId } = session
  const replies = [
    await call(service, `PATCH /v1/auth/members/${userId}`, { body: { role: 'owner' }, token, key: null }),
    await call(service, `DELETE /v1/auth/members/${userId}`, { token, key: null }),
    await call(service, 'DELETE /v1/auth/members/me', { token, key: null }),
  ]
  for (const { status, body } of replies) expect([status, body.message]).toEqual([403, REQUIRED])
})

test('the code of one session does not confirm another session, nor sign in, and a sign-in code confirms nothing', async () => {
  const email = 'two-sessions@example.com'
  const one = await signIn(service, mailbox, { email, organisationName: 'Two' })
  const two = await signIn(service, mailbox, { email })
  await confirm(one.accessToken)
  const code = await mailbox.codeFor(email, 2)
  expect((await confirm(two.accessToken, code)).status).toBe(401)
  const { rows } = await service.runtime.pool.query(
    "select id from challenges where purpose = 'confirm' and email = $1",
    [email],
  )
  const signing = await call(service, 'POST /v1/auth/otp/verify', {
    body: { challengeId: rows[0].id, code },
    key: null,
  })
  expect(signing.status).toBe(401)
  for (const { user } of [one, two]) await age({ userId: user.id }, 10)
  expect((await confirm(one.accessToken, code)).status).toBe(200)
  expect([(await liveKey(one.accessToken)).status, (await liveKey(two.accessToken)).status]).toEqual([201, 403])
})

test('a confirmation is asked of sessions, one of an owner of owners and the service, and never of a token', async () => {
  const { organisation, userId } = await owner()
  const organisationId = organisation.id
  const { rows } = await service.runtime.pool.query<{ id: string }>('select id from sessions where user_id = $1', [
    userId,
  ])
  const of = (actor: Partial<Actor>) => queryContext(service.runtime, { ...system(organisationId, 'test'), ...actor })
  const outcome = (check: Promise<void>) =>
    check.then(
      () => 'passes',
      (error: ServiceError) => `${error.status} ${error.code}`,
    )
  const both = async (actor: Partial<Actor>) => [
    await outcome(requireConfirmed(of(actor))),
    await outcome(requireConfirmedOwner(of(actor))),
  ]
  const confirmed = { kind: 'session', userId, sessionId: rows[0]?.id as string } as const
  const needed = '403 confirmation_required'
  expect(await both({ ...confirmed, role: 'owner' })).toEqual(['passes', 'passes'])
  expect(await both({ ...confirmed, role: 'member' })).toEqual(['passes', '403 owner_required'])
  expect(await both({ ...confirmed, role: 'owner', sessionId: newId() })).toEqual([needed, needed])
  expect(await both({ kind: 'key' })).toEqual(['passes', '403 session_required'])
  expect(await both({ kind: 'token', userId })).toEqual(['403 session_required', '403 session_required'])
  expect(await both({})).toEqual(['passes', 'passes'])
  await service.runtime.pool.query('update sessions set confirmed_at = null where user_id = $1', [userId])
  expect(await both({ ...confirmed, role: 'owner' })).toEqual([needed, needed])
})

test('confirmation codes allow five tries each and have a budget of their own', async () => {
  const session = await owner()
  for (let index = 0; index < 5; index++)
    await call(service, 'POST /v1/auth/login', { body: { email: session.email }, key: null })
  await mailbox.emailTo(session.email, 4)
  expect((await confirm(session.accessToken)).status).toBe(200)
  const code = await mailbox.codeFor(session.email, 5)
  for (let tries = 0; tries < 5; tries++) expect((await confirm(session.accessToken, wrong(code))).status).toBe(401)
  expect((await confirm(session.accessToken, code)).status).toBe(401)
  for (let index = 0; index < 4; index++) expect((await confirm(session.accessToken)).status).toBe(200)
  expect((await confirm(session.accessToken)).status).toBe(429)
})

test('where live access needs approval, live keys and live calls are refused until an operator enables it', async () => {
  const approved = await startService({ settings: { LIVE_ACCESS: 'approved' } })
  try {
    const organisationId = await foundOrganisation(approved.runtime)
    const { accessToken: token } = await signedIn(approved.runtime, { organisationId, role: 'owner' })
    const operator = await signedIn(approved.runtime, { role: 'operator' })
    const create = () =>
      call(approved, 'POST /v1/api-keys', { body: { name: 'Live', environment: 'live' }, token, key: null })
    const live = { 'x-service-environment': 'live' }
    const read = () => call(approved, 'GET /v1/customers', { token, headers: live })
    const refused = 'Live access is not enabled for this organisation'
    for (const reply of [await create(), await read()])
      expect([reply.status, reply.body.message]).toEqual([403, refused])
    expect((await call(approved, 'GET /v1/customers', { token })).status).toBe(200)
    const line = `POST /v1/admin/ops/organisations/${organisationId}/enable-live`
    const enabled = await call(approved, line, {
      token: operator.accessToken,
      key: null,
      body: { reason: 'Asked for' },
    })
    expect(enabled.body).toMatchObject({ message: 'Live access enabled', data: { liveEnabled: true } })
    expect([(await create()).status, (await read()).status]).toEqual([201, 200])
  } finally {
    await approved.stop()
  }
})
