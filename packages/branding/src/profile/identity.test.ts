import { afterAll, expect, test } from 'vitest'
import { call, newMerchant, signedIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

const IDENTITY = {
  displayName: 'Ada’s market',
  legalName: 'Ada Market Ltd',
  supportEmail: 'help@other.example',
  supportUrl: 'https://other.example/help',
  websiteUrl: 'https://other.example',
  termsUrl: 'https://other.example/terms',
  privacyUrl: 'https://other.example/privacy',
}

async function live() {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { organisationId } = merchant
  const change = (token: string, body: object) =>
    call(service, 'PATCH /v1/branding', { body, token, headers: { 'x-service-environment': 'live' } })
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const second = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  return { merchant, change, owner, second, member }
}

test.each(Object.entries(IDENTITY))(
  'in live only an owner with a confirmed session changes %s; in test a key does',
  async (name, value) => {
    const { merchant, change, owner, member } = await live()
    const body = { [name]: value, accentColor: '#0f766e' }
    const refused = await change(merchant.key, body)
    expect([refused.status, refused.body.message]).toEqual([403, 'Dashboard session required'])
    expect((await change(member.accessToken, body)).body.message).toBe('Owner role required')
    await service.runtime.pool.query(
      "update sessions set confirmed_at = now() - interval '10 minutes' where user_id = $1",
      [owner.userId],
    )
    expect((await change(owner.accessToken, body)).body.message).toBe('Confirm the session first: POST /auth/confirm')
    const read = await merchant.call('GET /v1/branding')
    expect(read.body.data).toMatchObject({ [name]: null, accentColor: null })
    await service.runtime.pool.query('update sessions set confirmed_at = now() where user_id = $1', [owner.userId])
    expect((await change(owner.accessToken, body)).body.data).toMatchObject(body)
    // What is there already is no change: a form sends every field.
    expect((await change(merchant.key, { ...body, accentColor: '#1a56db' })).status).toBe(200)
    expect((await change(merchant.key, { [name]: null })).status).toBe(403)
    const inTest = await newMerchant(service)
    expect((await inTest.call('PATCH /v1/branding', { body })).status).toBe(200)
  },
)

test('all owners are told of a change of what payers see in live, by an email and in the app, and nobody of a colour', async () => {
  const { merchant, change, owner, second, member } = await live()
  await change(owner.accessToken, { accentColor: '#0f766e' })
  await change(owner.accessToken, { displayName: 'Ada’s market', supportEmail: 'help@other.example' })
  const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
  expect(notifications.map(({ type, body }: { type: string; body: string }) => [type, body])).toEqual([
    [
      'branding.changed',
      `${owner.email} changed in live: name that payers see "Ada’s market", support email "help@other.example"`,
    ],
  ])
  for (const { email } of [owner, second]) {
    const { raw } = await mailbox.emailTo(email)
    expect(raw).toContain('Subject: What payers see of you was changed')
    expect(raw).toContain('Ada=E2=80=99s market')
  }
  expect(mailbox.emails.filter(({ to }) => to === member.email)).toEqual([])
})
