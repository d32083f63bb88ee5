import { memberRoles } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url, RATE_LIMIT_AUTH: '1000' } })

/** Calls with a session; a body is sent as JSON. */
const as =
  (token: string, environment: 'test' | 'live' = 'test') =>
  async (line: string, body?: object) => {
    const headers = { 'x-service-environment': environment }
    const reply = await call(service, line, { token, key: null, headers, ...(body ? { body } : {}) })
    return `${reply.status} ${reply.body.message}`
  }
const NEW_KEY = { name: 'Key', type: 'secret', access: 'read_write' }
const customer = (name: string) => ({ name, email: `${name}@example.com` })

test.each([
  ['owner', 'an owner'],
  ['finance', 'a finance member'],
  ['developer', 'a developer'],
  ['viewer', 'a viewer'],
  ['member', 'a member'],
])(
  'who is invited with the role %s reads it in the email, and has it from the first request on',
  async (role, words) => {
    const organisationId = await foundOrganisation(service.runtime)
    const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
    const email = `new-${role}@example.com`
    expect(await as(owner.accessToken)('POST /v1/auth/invitations', { email, role })).toBe('201 Invitation sent')
    expect((await mailbox.emailTo(email)).raw.replace(/=\r?\n/g, '')).toContain(`as ${words}.`)
    const { accessToken, organisation } = await signIn(service, mailbox, { email })
    expect(organisation.role).toBe(role)
    const me = await call(service, 'GET /v1/auth/me', { token: accessToken })
    expect(me.body.data.organisation).toMatchObject({ role, invitedBy: owner.email })
  },
)

test('a changed role applies from the next request on, and no role but that of an owner manages others', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const owner = as((await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken)
  const { accessToken, userId } = await signedIn(service.runtime, { organisationId, role: 'member' })
  const member = as(accessToken)
  const found: Record<string, readonly string[]> = {}
  for (const role of memberRoles) {
    expect(await owner(`PATCH /v1/auth/members/${userId}`, { role })).toBe('200 Member updated')
    found[role] = [
      await member('GET /v1/customers'),
      await member('POST /v1/customers', customer(role)),
      await member('POST /v1/api-keys', { ...NEW_KEY, environment: 'test' }),
      await as(accessToken, 'live')('POST /v1/api-keys', { ...NEW_KEY, environment: 'live' }),
      await member('POST /v1/auth/invitations', { email: `by-${role}@example.com`, role: 'owner' }),
    ]
  }
  const [read, created, key] = ['200 Customers retrieved', '201 Customer created', '201 API key created']
  const [money, test, own] = ['403 Finance role required', '403 Developer role required', '403 Owner role required']
  expect(found).toEqual({
    owner: [read, created, key, key, '201 Invitation sent'],
    finance: [read, created, test, test, own],
    developer: [read, money, key, own, own],
    viewer: [read, money, test, test, own],
    member: [read, created, key, own, own],
  })
})

test('an owner who gets any other role loses the invitations that were open', async () => {
  for (const role of memberRoles.filter((each) => each !== 'owner')) {
    const organisationId = await foundOrganisation(service.runtime)
    const owner = as((await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken)
    const other = await signedIn(service.runtime, { organisationId, role: 'owner' })
    await as(other.accessToken)('POST /v1/auth/invitations', { email: `accomplice-${role}@example.com`, role: 'owner' })
    expect(await owner(`PATCH /v1/auth/members/${other.userId}`, { role })).toBe('200 Member updated')
    const { rows } = await service.runtime.pool.query(
      'select revoked_at is not null as revoked from invitations where organisation_id = $1',
      [organisationId],
    )
    expect([role, rows]).toEqual([role, [{ revoked: true }]])
  }
})

test('who is none of the roles that may create a key gives a program none, also when the role changes in between', async () => {
  const device = async (path: string, body: object, token: string | null = null) =>
    call(service, `POST /v1/auth/device${path}`, { body, token, key: null })
  const started = async () => (await device('', { clientName: 'CLI' })).body.data
  const organisationId = await foundOrganisation(service.runtime)
  const answer = { environment: 'test', access: 'read_write' }
  for (const role of ['finance', 'viewer'] as const) {
    const { userCode } = await started()
    const { accessToken } = await signedIn(service.runtime, { organisationId, role })
    const refused = await device('/approve', { userCode, ...answer }, accessToken)
    expect([refused.status, refused.body.message]).toEqual([403, 'Developer role required'])
  }
  const { userCode, deviceCode } = await started()
  const { accessToken, userId } = await signedIn(service.runtime, { organisationId, role: 'developer' })
  expect((await device('/approve', { userCode, ...answer }, accessToken)).status).toBe(200)
  await service.runtime.pool.query("update memberships set role = 'finance' where user_id = $1", [userId])
  const refused = await device('/token', { deviceCode })
  expect([refused.status, refused.body.message]).toEqual([400, 'The sign-in of the program was refused'])
})
