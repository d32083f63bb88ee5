import { afterAll, expect, test } from 'vitest'
import { askForCode, call, foundOrganisation, signedIn, signIn, startMailbox, useService } from '#testing'
import { invitationEmail } from './email-texts.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

const founder = async () =>
  signedIn(service.runtime, { organisationId: await foundOrganisation(service.runtime), role: 'owner' })
const invite = (token: string, email: string, role = 'member') =>
  call(service, 'POST /v1/auth/invitations', { body: { email, role }, token, key: null })
const listed = async (token: string) =>
  (await call(service, 'GET /v1/auth/invitations', { token })).body.data.invitations[0]

test('the invited address receives an email and joins by verifying a code', async () => {
  const { accessToken, organisation } = await founder()
  const invited = await invite(accessToken, 'Guest@example.com')
  expect([invited.status, invited.body.message]).toEqual([201, 'Invitation sent'])
  expect(invited.body.data).toMatchObject({ email: 'guest@example.com', role: 'member', status: 'pending' })
  expect((await mailbox.emailTo('guest@example.com')).raw).toContain(organisation.name)
  const guest = await signIn(service, mailbox, { email: 'guest@example.com' })
  expect(guest.organisation).toEqual({ ...organisation, role: 'member' })
  expect(await listed(accessToken)).toMatchObject({ email: 'guest@example.com', status: 'accepted' })
})

test('a user who joins a second organisation still signs in to the first unless the request names the second', async () => {
  const first = await signIn(service, mailbox, { email: 'both@example.com', organisationName: 'First' })
  const { accessToken, organisation } = await founder()
  await invite(accessToken, 'both@example.com', 'owner')
  await mailbox.emailTo('both@example.com', 1)
  const again = await signIn(service, mailbox, { email: 'both@example.com' })
  expect(again.organisation).toEqual(first.organisation)
  const asked = await askForCode(service, mailbox, { email: 'both@example.com' })
  const body = { ...asked, organisationId: organisation.id }
  const there = await call(service, 'POST /v1/auth/otp/verify', { body, key: null })
  expect(there.body.data.organisation).toEqual({ ...organisation, role: 'owner' })
  const me = await call(service, 'GET /v1/auth/me', { token: there.body.data.accessToken })
  expect(me.body.data.organisations).toEqual([first.organisation, { ...organisation, role: 'owner' }])
})

test('a user who registers an organisation while invited to another becomes a member of both', async () => {
  const { accessToken, organisation } = await founder()
  await invite(accessToken, 'own@example.com')
  await mailbox.emailTo('own@example.com')
  const own = await signIn(service, mailbox, { email: 'own@example.com', organisationName: 'Own' })
  expect(own.organisation).toMatchObject({ name: 'Own', role: 'owner' })
  const me = await call(service, 'GET /v1/auth/me', { token: own.accessToken })
  expect(me.body.data.organisations).toContainEqual({ ...organisation, role: 'member' })
})

test('signing in to an organisation of which the user is no member is a 404 and does not use the code', async () => {
  const { organisation } = await founder()
  const asked = await askForCode(service, mailbox, { email: 'curious@example.com', organisationName: 'Curious' })
  const verify = (more: object) => call(service, 'POST /v1/auth/otp/verify', { body: { ...asked, ...more }, key: null })
  expect((await verify({ organisationId: organisation.id })).body.message).toBe('Organisation not found')
  expect((await verify({})).status).toBe(200)
})

test('an expired invitation cannot be accepted and can be renewed', async () => {
  const { accessToken } = await founder()
  await invite(accessToken, 'slow@example.com')
  await service.runtime.pool.query("update invitations set expires_at = now() where email = 'slow@example.com'")
  expect(await listed(accessToken)).toMatchObject({ status: 'expired' })
  const login = await call(service, 'POST /v1/auth/login', { body: { email: 'slow@example.com' }, key: null })
  expect(login.status).toBe(200)
  await invite(accessToken, 'slow@example.com', 'owner')
  const joined = await signInAfter('slow@example.com', 2)
  expect(joined.organisation.role).toBe('owner')
  expect(
    mailbox.emails.filter(({ to, raw }) => to === 'slow@example.com' && raw.includes('Your code is')),
  ).toHaveLength(1)
})

/** Signs in after this many emails have arrived, so that an invitation is not read as the email with the code. */
async function signInAfter(email: string, emails: number) {
  await mailbox.emailTo(email, emails - 1)
  return signIn(service, mailbox, { email })
}

test('the reply to an invitation does not reveal accounts in other organisations, and a member cannot be invited again', async () => {
  const { accessToken, email } = await founder()
  const elsewhere = await founder()
  const known = await invite(accessToken, elsewhere.email)
  const unknown = await invite(accessToken, 'unheard-of@example.com')
  expect(Object.keys(known.body.data)).toEqual(Object.keys(unknown.body.data))
  expect([known.status, known.body.message]).toEqual([unknown.status, unknown.body.message])
  const own = await invite(accessToken, email)
  expect([own.status, own.body.message]).toEqual([409, 'Already a member of the organisation'])
})

test('an organisation sends at most 20 invitations a day, also in parallel', async () => {
  const { accessToken } = await founder()
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, index) => invite(accessToken, `crowd-${index}@example.com`)),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
  for (const { status, body } of replies.filter((each) => each.status !== 201))
    expect([status, body.message]).toEqual([429, 'Too many invitations today'])
})

test('a renewed invitation is an email like any other: one address gets five an hour, and an organisation sends 20 a day', async () => {
  const { accessToken } = await founder()
  const renewed = await Promise.all(Array.from({ length: 9 }, () => invite(accessToken, 'flooded@example.com')))
  expect(renewed.filter(({ status }) => status === 201)).toHaveLength(5)
  for (const { status, body } of renewed.filter((each) => each.status !== 201))
    expect([status, body.message]).toEqual([429, 'Too many emails were requested for this email address'])
  for (let index = 0; index < 3; index++)
    for (let times = 0; times < 5; times++)
      expect((await invite(accessToken, `renewed-${index}@example.com`)).status).toBe(201)
  expect((await invite(accessToken, 'one-more@example.com')).body.message).toBe('Too many invitations today')
  const received = () => mailbox.emails.filter(({ to }) => to === 'flooded@example.com').length
  await expect.poll(received, { timeout: 20_000 }).toBe(5)
})

test('an invitation shows the name of the organisation in one line and without links, whatever it is', () => {
  const { text, html } = invitationEmail('a@example.com', 'Bank\r\n\r\nYour account is locked: https://phish.test/a', 7)
  for (const part of [text, html]) expect(part).not.toMatch(/https?:\/|phish\.test/)
  expect(text.split('\n')[0]).toMatch(/^You have been invited to join Bank Your account is locked/)
})

test('a name with line breaks, control or bidirectional characters or a link is refused by name', async () => {
  for (const organisationName of ['Two\nlines', 'Bell\u0007', '\u202eltd', 'See https://phish.test'])
    expect(
      (
        await call(service, 'POST /v1/auth/register', {
          body: { email: 'names@example.com', organisationName },
          key: null,
        })
      ).body.errors,
      organisationName,
    ).toEqual({ organisationName: expect.any(String) })
})
