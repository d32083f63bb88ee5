import { afterAll, expect, test } from 'vitest'
import {
  askForCode,
  call,
  foundOrganisation,
  signedIn,
  signIn,
  startMailbox,
  statementsWaiting,
  useService,
} from '#testing'
import { invitationEmail } from '../emails/email-texts.ts'

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

const received = async (token: string) =>
  (await call(service, 'GET /v1/auth/invitations/received', { token })).body.data.invitations
const answer = (token: string, id: string, how: 'accept' | 'decline') =>
  call(service, `POST /v1/auth/invitations/${id}/${how}`, { token, key: null })
const meOf = async (token: string) => (await call(service, 'GET /v1/auth/me', { token })).body.data

test('a user with an organisation joins another only by accepting, learns who invited, and signs in to the organisation used last', async () => {
  const first = await signIn(service, mailbox, { email: 'both@example.com', organisationName: 'First' })
  const { accessToken, organisation, email } = await founder()
  await invite(accessToken, 'both@example.com', 'owner')
  await mailbox.emailTo('both@example.com', 1)
  const again = await signIn(service, mailbox, { email: 'both@example.com' })
  expect(again.organisation).toEqual(first.organisation)
  expect((await meOf(again.accessToken)).organisations).toEqual([
    { ...first.organisation, invitedBy: null, suspendedAt: null, timeZone: 'UTC' },
  ])

  const [invitation] = await received(again.accessToken)
  expect(invitation).toMatchObject({ organisationName: organisation.name, invitedBy: email, role: 'owner' })
  const accepted = await answer(again.accessToken, invitation.id, 'accept')
  expect([accepted.status, accepted.body.data]).toEqual([200, { ...organisation, role: 'owner' }])
  expect((await answer(again.accessToken, invitation.id, 'accept')).status).toBe(404)
  expect((await meOf(again.accessToken)).organisations).toEqual([
    { ...first.organisation, invitedBy: null, suspendedAt: null, timeZone: 'UTC' },
    { ...organisation, role: 'owner', invitedBy: email, suspendedAt: null, timeZone: 'UTC' },
  ])

  const asked = await askForCode(service, mailbox, { email: 'both@example.com' })
  const body = { ...asked, organisationId: organisation.id }
  const there = await call(service, 'POST /v1/auth/otp/verify', { body, key: null })
  expect(there.body.data.organisation).toEqual({ ...organisation, role: 'owner' })
  expect((await signIn(service, mailbox, { email: 'both@example.com' })).organisation.id).toBe(organisation.id)
})

test('a user who registers an organisation while invited to another is in the own one, and answers the invitation', async () => {
  const { accessToken } = await founder()
  await invite(accessToken, 'own@example.com')
  await mailbox.emailTo('own@example.com')
  const own = await signIn(service, mailbox, { email: 'own@example.com', organisationName: 'Own' })
  expect(own.organisation).toMatchObject({ name: 'Own', role: 'owner' })
  expect((await meOf(own.accessToken)).organisations).toHaveLength(1)
  const [invitation] = await received(own.accessToken)
  expect((await answer(own.accessToken, invitation.id, 'decline')).body.message).toBe('Invitation declined')
  expect(await listed(accessToken)).toMatchObject({ status: 'declined' })
  expect((await answer(own.accessToken, invitation.id, 'accept')).status).toBe(404)
  expect(await received(own.accessToken)).toEqual([])
})

test('the code of a sign-in may accept one invitation by its id, and not that of another address', async () => {
  const { accessToken, organisation } = await founder()
  const { body } = await invite(accessToken, 'named@example.com')
  const other = await invite(accessToken, 'another@example.com')
  await mailbox.emailTo('named@example.com')
  await signIn(service, mailbox, { email: 'named@example.com', organisationName: 'Named' })
  const asked = await askForCode(service, mailbox, { email: 'named@example.com' })
  const verify = (invitationId: string) =>
    call(service, 'POST /v1/auth/otp/verify', { body: { ...asked, invitationId }, key: null })
  expect((await verify(other.body.data.id)).body.message).toBe('Invitation not found')
  expect((await verify(body.data.id)).body.data.organisation).toEqual({ ...organisation, role: 'member' })
})

test('an invitation ends with the right of its inviter: removed, demoted, left, or no operator any more', async () => {
  const { organisation, accessToken } = await founder()
  const guest = await signIn(service, mailbox, { email: 'returning@example.com', organisationName: 'Guest' })
  const members = (token: string, line: string, body?: object) =>
    call(service, line, { token, key: null, ...(body ? { body } : {}) })
  const ways = [
    (id: string, _own: string) => members(accessToken, `DELETE /v1/auth/members/${id}`),
    (id: string, _own: string) => members(accessToken, `PATCH /v1/auth/members/${id}`, { role: 'member' }),
    (_id: string, own: string) => members(own, 'DELETE /v1/auth/members/me'),
  ]
  for (const way of ways) {
    const inviter = await signedIn(service.runtime, { organisationId: organisation.id, role: 'owner' })
    expect((await invite(inviter.accessToken, 'returning@example.com', 'owner')).status).toBe(201)
    const [invitation] = await received(guest.accessToken)
    expect((await way(inviter.userId, inviter.accessToken)).status).toBe(200)
    expect(await received(guest.accessToken)).toEqual([])
    expect((await answer(guest.accessToken, invitation.id, 'accept')).status).toBe(404)
    expect(await listed(accessToken)).toMatchObject({ status: 'revoked' })
  }
  // Nobody ended it, but the inviter is no owner any more: it is the membership that counts.
  const inviter = await signedIn(service.runtime, { organisationId: organisation.id, role: 'owner' })
  await service.runtime.pool.query("update email_sends set sent_at = sent_at - interval '2 days'")
  await invite(inviter.accessToken, 'returning@example.com', 'owner')
  await service.runtime.pool.query("update memberships set role = 'member' where user_id = $1", [inviter.userId])
  expect(await received(guest.accessToken)).toEqual([])
})

test('an owner who removed another is not removed by an invitation that the other accepts at the same time', async () => {
  for (let round = 0; round < 3; round++) {
    const { organisation, accessToken } = await founder()
    const inviter = await signedIn(service.runtime, { organisationId: organisation.id, role: 'owner' })
    const email = `racing-${round}@example.com`
    const racing = await signIn(service, mailbox, { email, organisationName: 'Racing' })
    await invite(inviter.accessToken, email, 'owner')
    const [invitation] = await received(racing.accessToken)
    const [removed, accepted] = await Promise.all([
      call(service, `DELETE /v1/auth/members/${inviter.userId}`, { token: accessToken, key: null }),
      answer(racing.accessToken, invitation.id, 'accept'),
    ])
    expect(removed.status).toBe(200)
    const { total } = (await call(service, 'GET /v1/auth/members', { token: accessToken })).body.data
    expect(total).toBe(accepted.status === 200 ? 2 : 1)
  }
})

test('an invitation that is renewed while it is accepted is either renewed first, with the new role, or not at all', async () => {
  const { organisation, accessToken } = await founder()
  const { pool } = service.runtime
  const invited = async (email: string) => {
    const user = await signIn(service, mailbox, { email, organisationName: 'Renewed' })
    await invite(accessToken, email, 'owner')
    const [invitation] = await received(user.accessToken)
    return { ...user, id: invitation.id as string }
  }
  const first = await invited('renewed-first@example.com')
  const db = await pool.connect()
  try {
    await db.query('begin')
    await db.query("update invitations set role = 'member' where id = $1", [first.id])
    const accepting = answer(first.accessToken, first.id, 'accept')
    await statementsWaiting(service, 1)
    await db.query('commit')
    expect((await accepting).body.data).toMatchObject({ role: 'member' })
    const late = await invited('accepted-first@example.com')
    await db.query('begin')
    await db.query('update invitations set accepted_at = now() where id = $1', [late.id])
    await db.query(
      "insert into memberships (organisation_id, user_id, role, created_at) values ($1, $2, 'owner', now())",
      [organisation.id, late.user.id],
    )
    const renewing = invite(accessToken, 'accepted-first@example.com')
    await statementsWaiting(service, 1)
    await db.query('commit')
    expect((await renewing).status).toBe(409)
  } finally {
    db.release()
  }
  const { members } = (await call(service, 'GET /v1/auth/members', { token: accessToken })).body.data
  expect(members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'member', 'owner'])
})

test('an owner revokes an invitation once, and nobody that of another organisation', async () => {
  const [{ accessToken }, other] = [await founder(), await founder()]
  const { id } = (await invite(accessToken, 'revoked@example.com')).body.data
  const revoke = (token: string) => call(service, `DELETE /v1/auth/invitations/${id}`, { token, key: null })
  expect((await revoke(other.accessToken)).status).toBe(404)
  expect((await revoke(accessToken)).body).toMatchObject({ message: 'Invitation revoked', data: { status: 'revoked' } })
  expect((await revoke(accessToken)).status).toBe(404)
  await mailbox.emailTo('revoked@example.com')
  const own = await signIn(service, mailbox, { email: 'revoked@example.com', organisationName: 'Own' })
  expect(await received(own.accessToken)).toEqual([])
})

test('all owners learn of every invitation and every join, in the app and by email', async () => {
  const { accessToken, organisation, email } = await founder()
  const second = await signedIn(service.runtime, { organisationId: organisation.id, role: 'owner' })
  await invite(accessToken, 'watched@example.com')
  await mailbox.emailTo('watched@example.com')
  await signIn(service, mailbox, { email: 'watched@example.com' })
  for (const to of [email, second.email]) {
    const subjects = () =>
      mailbox.emails.filter((each) => each.to === to).map(({ raw }) => raw.match(/^Subject: (.*)$/m)?.[1])
    await expect.poll(() => subjects().toSorted()).toEqual(['Member invited', 'Member joined'])
  }
  for (const environment of ['test', 'live']) {
    const { body } = await call(service, 'GET /v1/notifications', {
      token: accessToken,
      headers: { 'x-service-environment': environment },
    })
    expect(body.data.notifications.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'member.invited',
      'member.joined',
    ])
  }
})

test('a member leaves, the last owner does not', async () => {
  const { accessToken, organisation } = await founder()
  const member = await signedIn(service.runtime, { organisationId: organisation.id, role: 'member' })
  const leave = (token: string) => call(service, 'DELETE /v1/auth/members/me', { token, key: null })
  expect((await leave(member.accessToken)).body.message).toBe('Organisation left')
  expect((await call(service, 'GET /v1/auth/me', { token: member.accessToken })).status).toBe(401)
  expect((await leave(accessToken)).status).toBe(409)
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
  await service.runtime.pool.query(
    "update invitations set expires_at = now() - make_interval(secs => 1) where email = 'slow@example.com'",
  )
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
  const replies = []
  // More at the same time than an organisation may have waiting would be refused for that.
  for (let group = 0; group < 3; group++)
    replies.push(
      ...(await Promise.all(
        Array.from({ length: 8 }, (_, index) => invite(accessToken, `crowd-${group}-${index}@example.com`)),
      )),
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
  const { subject, text, html } = invitationEmail(
    { name: 'Payments', dashboard: 'https://payments.test/dashboard' },
    'a@example.com',
    {
      ...{ organisation: 'Bank\r\n\r\nYour account is locked: https://phish.test/a', role: 'owner', days: 7 },
      invitedBy: 'ada@sons.test',
    },
  )
  for (const part of [subject, text, html]) expect(part).not.toMatch(/https?:\/\/(?!payments\.test)|phish\.test/)
  expect(subject).toMatch(/^ada@sons\.test invited you to Bank Your account is locked/)
  expect(text).toContain('https://payments.test/dashboard/')
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
