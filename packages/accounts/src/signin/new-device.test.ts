import { afterAll, expect, test } from 'vitest'
import { askForCode, call, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback' } })

const LAPTOP = 'Laptop browser/120.0.1'
const HOME = '2001:db8:1:2::7'

/** Signs in with a device and an address; `emails` counts those that warned of a new device. */
async function signInFrom(
  email: string,
  device: string,
  address: string,
  code?: { challengeId: string; code: string },
) {
  const body = code ?? (await askForCode(service, mailbox, { email, organisationName: 'Devices' }))
  const headers = { 'user-agent': device, 'x-forwarded-for': address }
  return call(service, 'POST /v1/auth/otp/verify', { body, key: null, headers })
}
const warnings = (email: string) =>
  mailbox.emails.filter((each) => each.to === email && each.raw.includes('Subject: Sign-in from a new device'))
const notifications = async (token: string, environment: string) => {
  const { body } = await call(service, 'GET /v1/notifications', {
    token,
    headers: { 'X-Service-Environment': environment },
  })
  return body.data.notifications
}

test('a sign-in from a new device or network is notified in both environments and emailed to the user', async () => {
  const email = 'traveller@example.com'
  await signInFrom(email, LAPTOP, HOME)
  const strange = await signInFrom(email, 'Pocket browser/3', HOME)
  const abroad = await signInFrom(email, LAPTOP, '192.0.2.77')
  const { accessToken } = abroad.body.data
  const { body } = await call(service, 'GET /v1/auth/sessions', { token: accessToken })
  const ids = body.data.sessions.map((each: { id: string }) => each.id)
  for (const environment of ['test', 'live'])
    expect(await notifications(accessToken, environment)).toMatchObject([
      {
        type: 'session.new_device',
        resource: { type: 'session', id: ids[0] },
        body: expect.stringContaining('192.0.2.77'),
      },
      {
        type: 'session.new_device',
        resource: { type: 'session', id: ids[1] },
        body: expect.stringContaining('Pocket browser'),
      },
    ])
  expect(strange.status).toBe(200)
  await expect.poll(() => warnings(email).length).toBe(2)
  // As every other email writes a time.
  for (const { raw } of warnings(email)) expect(raw).toMatch(/Time: \w+, \d+ \w+ \d{4}, \d\d:\d\d UTC/)
})

test('the first sign-in, a new version of the same browser and a neighbour in the same /64 are not reported', async () => {
  const email = 'regular@example.com'
  await signInFrom(email, LAPTOP, HOME)
  await signInFrom(email, 'Laptop browser/121.4', '2001:db8:1:2:ffff::1')
  const { body } = await signInFrom(email, LAPTOP, HOME)
  expect(await notifications(body.data.accessToken, 'test')).toEqual([])
  expect(warnings(email)).toEqual([])
})

test('a sign-in after months of absence, when sessions and networks are forgotten, is reported', async () => {
  const email = 'absent@example.com'
  await signInFrom(email, LAPTOP, HOME)
  await service.runtime.pool.query('delete from sessions where user_id in (select id from users where email = $1)', [
    email,
  ])
  await service.runtime.pool.query(
    'delete from sign_in_addresses where user_id in (select id from users where email = $1)',
    [email],
  )
  const { body } = await signInFrom(email, 'Thief 1.0', '192.0.2.79')
  expect(await notifications(body.data.accessToken, 'test')).toMatchObject([{ type: 'session.new_device' }])
  await expect.poll(() => warnings(email).length).toBe(1)
})

test('a wrong code from a new device reports nothing', async () => {
  const email = 'guessed@example.com'
  const first = await signInFrom(email, LAPTOP, HOME)
  const asked = await askForCode(service, mailbox, { email })
  const wrong = String((Number(asked.code) + 1) % 1_000_000).padStart(6, '0')
  const guess = { challengeId: asked.challengeId, code: wrong }
  expect((await signInFrom(email, 'Other', '192.0.2.78', guess)).status).toBe(401)
  expect(await notifications(first.body.data.accessToken, 'test')).toEqual([])
})
