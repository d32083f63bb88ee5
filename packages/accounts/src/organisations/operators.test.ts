import { platformSettings } from '@payments/platform'
import { afterAll, expect, test } from 'vitest'
import { askForCode, call, signedIn, signIn, startMailbox, startService, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({
  worker: true,
  settings: { SMTP_URL: mailbox.url, OPERATOR_EMAILS: 'root@example.com, second@example.com' },
})

const manage = (token: string, at: { url: string } = service) => call(at, 'GET /v1/admin/ops/organisations', { token })

test('who is taken out of OPERATOR_EMAILS is no operator from the next request on, nor after a fresh sign-in', async () => {
  const operator = await signIn(service, mailbox, { email: 'second@example.com' })
  expect((await manage(operator.accessToken)).status).toBe(200)
  const own = await signIn(service, mailbox, { email: 'later@example.com', organisationName: 'Later' })
  const without = await startService({
    database: service.database,
    settings: {
      SMTP_URL: mailbox.url,
      OPERATOR_EMAILS: 'root@example.com',
      SECRETS_KEY: platformSettings.from(service.runtime.settings).SECRETS_KEY,
      JWT_PRIVATE_KEY: (service.runtime.settings as unknown as { JWT_PRIVATE_KEY: string }).JWT_PRIVATE_KEY,
    },
  })
  try {
    expect((await call(without, 'GET /v1/auth/me', { token: own.accessToken })).status).toBe(200)
    expect((await manage(operator.accessToken, without)).body.message).toBe('Token invalid or expired')
    const refreshed = await call(without, 'POST /v1/auth/refresh', {
      body: { refreshToken: operator.refreshToken },
      key: null,
    })
    expect(refreshed.status).toBe(401)
    const code = await askForCode(without, mailbox, { email: 'second@example.com' })
    const again = await call(without, 'POST /v1/auth/otp/verify', { body: code, key: null })
    expect([again.status, again.body.message]).toEqual([401, 'Invalid or expired code'])
  } finally {
    await without.stop()
  }
})

test("an operator's invitation makes nobody an operator, and the members of the operators' organisation cannot be changed", async () => {
  const { accessToken, userId } = await signedIn(service.runtime, { role: 'operator' })
  const invited = await call(service, 'POST /v1/auth/invitations', {
    body: { email: 'guest@example.com', role: 'owner' },
    token: accessToken,
    key: null,
  })
  expect(invited.status).toBe(201)
  expect((await mailbox.emailTo('guest@example.com')).raw).toContain('You are invited to use Payments')
  const guest = await signIn(service, mailbox, { email: 'guest@example.com', organisationName: 'Guest Ltd' })
  expect(guest.organisation).toMatchObject({ name: 'Guest Ltd', role: 'owner' })
  expect((await manage(guest.accessToken)).body.message).toBe('Operator role required')
  const { organisations } = (await call(service, 'GET /v1/auth/me', { token: guest.accessToken })).body.data
  expect(organisations).toEqual([{ ...guest.organisation, invitedBy: null, suspendedAt: null, timeZone: 'UTC' }])
  for (const line of [`PATCH /v1/auth/members/${userId}`, `DELETE /v1/auth/members/${userId}`]) {
    const reply = await call(service, line, {
      token: accessToken,
      key: null,
      ...(line.startsWith('PATCH') ? { body: { role: 'member' } } : {}),
    })
    expect([reply.status, reply.body.message]).toEqual([409, 'Operators are named by the setting OPERATOR_EMAILS'])
  }
})

test('where registration is by invitation, only an operator can invite an organisation, and a stranger learns nothing', async () => {
  const closed = await startService({
    worker: true,
    settings: { SMTP_URL: mailbox.url, REGISTRATION: 'invite' },
  })
  try {
    const { accessToken } = await signedIn(closed.runtime, { role: 'operator' })
    const stranger = await call(closed, 'POST /v1/auth/register', {
      body: { email: 'uninvited@example.com', organisationName: 'Uninvited' },
      key: null,
    })
    expect([stranger.status, stranger.body.message]).toEqual([200, 'Verification code sent'])
    const invite = (token: string, email: string, role = 'owner') =>
      call(closed, 'POST /v1/auth/invitations', { body: { email, role }, token, key: null })
    await invite(accessToken, 'invited@example.com')
    await mailbox.emailTo('invited@example.com')
    const invited = await signIn(closed, mailbox, { email: 'invited@example.com', organisationName: 'Invited' })
    expect(invited.organisation).toMatchObject({ name: 'Invited', role: 'owner' })
    // A colleague joins, and does not found an organisation.
    await invite(invited.accessToken, 'colleague@example.com', 'member')
    await mailbox.emailTo('colleague@example.com')
    const joined = await signIn(closed, mailbox, { email: 'colleague@example.com', organisationName: 'Own' })
    expect(joined.organisation).toEqual({ ...invited.organisation, role: 'member' })
    const me = await call(closed, 'GET /v1/auth/me', { token: joined.accessToken })
    expect(me.body.data.organisations).toHaveLength(1)
    expect(mailbox.emails.filter(({ to }) => to === 'uninvited@example.com')).toEqual([])
  } finally {
    await closed.stop()
  }
})
