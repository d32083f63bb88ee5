import { afterAll, expect, test } from 'vitest'
import { call, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

const change = (token: string, body: object) => call(service, 'POST /v1/auth/email', { body, token, key: null })
const user = (email: string) => signIn(service, mailbox, { email, organisationName: 'Changes' })

test('the email address changes with a code from the old and one from the new address', async () => {
  const { accessToken } = await user('old@example.com')
  const asked = await change(accessToken, { email: 'New@example.com' })
  expect(asked.body.data).toEqual({ email: 'old@example.com', otpExpiresAt: expect.any(String) })
  const currentCode = await mailbox.codeFor('old@example.com', 1)
  const newCode = await mailbox.codeFor('new@example.com')
  const codes = { email: 'new@example.com', currentCode, newCode }
  const other = await change(accessToken, { ...codes, email: 'another@example.com' })
  expect(other.status).toBe(401)
  const changed = await change(accessToken, codes)
  expect(changed.body.data).toEqual({ email: 'new@example.com', otpExpiresAt: null })
  expect((await change(accessToken, codes)).status).toBe(401)
  const again = await signIn(service, mailbox, { email: 'new@example.com' })
  expect(again.user.email).toBe('new@example.com')
})

test('one code is not enough, and neither code can replace the other', async () => {
  const { accessToken } = await user('half@example.com')
  const email = 'half-new@example.com'
  await change(accessToken, { email })
  const currentCode = await mailbox.codeFor('half@example.com', 1)
  const newCode = await mailbox.codeFor(email)
  const alone = await change(accessToken, { email, newCode })
  expect([alone.status, alone.body.errors]).toEqual([422, { currentCode: 'Both codes are needed' }])
  if (currentCode !== newCode) {
    const swapped = await change(accessToken, { email, currentCode: newCode, newCode: currentCode })
    expect(swapped.status).toBe(401)
  }
  expect((await change(accessToken, { email, currentCode, newCode })).status).toBe(200)
})

test('the address of another user gets no code, and the reply is the same', async () => {
  await user('taken@example.com')
  const { accessToken } = await user('curious@example.com')
  const taken = await change(accessToken, { email: 'taken@example.com' })
  const free = await change(accessToken, { email: 'free@example.com' })
  expect([taken.status, Object.keys(taken.body.data)]).toEqual([free.status, Object.keys(free.body.data)])
  await mailbox.emailTo('free@example.com')
  expect(mailbox.emails.filter(({ to }) => to === 'taken@example.com')).toHaveLength(1)
})

test('changing to the present address is refused by name', async () => {
  const { accessToken } = await user('same@example.com')
  const same = await change(accessToken, { email: 'Same@example.com' })
  expect([same.status, same.body.errors]).toEqual([422, { email: 'Must differ from the present address' }])
})
