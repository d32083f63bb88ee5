import { newId } from '@payments/kernel'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { askForCode, call, signIn, startMailbox, useService } from '#testing'
import { guessedAccountsMetric, wrongCodesAlert, wrongCodesMetric } from './wrong-codes.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({
  worker: true,
  settings: { SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback', RATE_LIMIT_AUTH: '1000', RATE_LIMIT_GLOBAL: '2000' },
})
const HOME = '192.0.2.1'

const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } })
const verify = (body: object, address: string) => call(service, 'POST /v1/auth/otp/verify', { body, ...from(address) })
/** Asks for a code as a stranger, who never sees it. */
const challenge = async (email: string, address: string): Promise<string> =>
  (await call(service, 'POST /v1/auth/login', { body: { email }, ...from(address) })).body.data?.challengeId
const runAlert = () => wrongCodesAlert.run(service.runtime, {}, new AbortController().signal)
const alerts = () => service.logs.filter((line) => line.includes('many wrong sign-in codes')).length
const warnings = (email: string) =>
  mailbox.emails.filter(({ to, raw }) => to === email && raw.includes('Subject: Wrong codes were entered')).length
beforeEach(() => service.runtime.pool.query('delete from code_tries'))
const forgetEmails = () => service.runtime.pool.query('delete from email_sends')
/** Everything that is queued was sent. */
const allSent = () =>
  expect
    .poll(
      async () =>
        (
          await service.runtime.pool.query(
            "select count(*)::int as count from pgboss.job where name = 'accounts.mail' and state < 'completed'",
          )
        ).rows[0].count,
      { timeout: 20_000 },
    )
    .toBe(0)
const codes = (email: string) =>
  mailbox.emails.filter(({ to, raw }) => to === email && raw.includes('Subject: Your sign-in code')).length

/** As many guesses as the emails of an hour allow. The code is wrong with a certainty of 1 - 10⁻⁶. */
async function guess(email: string, guesses: number, address = '198.51.100'): Promise<number[]> {
  const statuses: number[] = []
  let id = ''
  for (let index = 0; index < guesses; index++) {
    const client = `${address}.${Math.floor(index / 25) + 1}`
    if (index % 5 === 0) id = await challenge(email, client)
    statuses.push((await verify({ challengeId: id, code: '000000' }, client)).status)
  }
  return statuses
}

/** Makes the address one from which the user signed in. */
async function signInFrom(email: string, address: string): Promise<{ accessToken: string }> {
  const asked = await askForCode(service, mailbox, { email, organisationName: 'Guessed' })
  const { body } = await verify(asked, address)
  await forgetEmails()
  return body.data
}

test('many wrong codes in total raise the metric and an alert, counted by the time of the try, and nobody is refused because of them', async () => {
  const tries = (count: number, minutes: number, wrong = true) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        service.runtime.pool.query(
          "insert into code_tries values ($1, $2, 'elsewhere', $3, false, now() - make_interval(mins => $4))",
          [newId(), `${minutes}-${index}@example.com`, wrong, minutes],
        ),
      ),
    )
  const before = alerts()
  await tries(100, 1)
  await tries(5, 2, false)
  await tries(5, 11)
  expect(await wrongCodesMetric.read(service.runtime)).toBe(100)
  await runAlert()
  expect(alerts()).toBe(before)
  await tries(2, 3)
  expect(await wrongCodesMetric.read(service.runtime)).toBe(102)
  await runAlert()
  expect(alerts()).toBe(before + 1)
  const body = { email: 'another@example.com', organisationName: 'Another' }
  expect((await call(service, 'POST /v1/auth/register', { body, key: null })).status).toBe(200)
})

test('100 guesses an hour at one account are slowed down, raise the alarm and warn its owner once', async () => {
  const email = 'guessed@example.com'
  await signInFrom(email, HOME)
  const before = alerts()
  const statuses = await guess(email, 100)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.slice(10).every((status) => status === 429)).toBe(true)
  expect(await guessedAccountsMetric.read(service.runtime)).toBe(1)
  await runAlert()
  expect(alerts()).toBe(before + 1)
  await expect.poll(() => warnings(email)).toBe(1)
  await forgetEmails()
  // A minute later one more try is possible, after it none for two minutes.
  await service.runtime.pool.query("update code_tries set tried_at = tried_at - interval '61 seconds'")
  expect(await guess(email, 3, '203.0.113')).toEqual([401, 429, 429])
  await service.runtime.pool.query("update code_tries set tried_at = tried_at - interval '61 seconds'")
  expect(await guess(email, 1, '203.0.114')).toEqual([429])
  expect(warnings(email)).toBe(1)
})

test('an account that nobody has is slowed down alike, and nobody is warned', async () => {
  const email = 'unknown@example.com'
  const statuses = await guess(email, 15)
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
  expect(warnings(email)).toBe(0)
})

test('tries hidden behind a resent code count by their time', async () => {
  const email = 'resent@example.com'
  const id = await challenge(email, '198.51.100.9')
  await service.runtime.pool.query("update challenges set created_at = now() - interval '50 minutes' where id = $1", [
    id,
  ])
  const body = { challengeId: id }
  expect((await call(service, 'POST /v1/auth/otp/resend', { body, ...from('198.51.100.9') })).status).toBe(200)
  for (let index = 0; index < 4; index++) await verify({ challengeId: id, code: '000000' }, '198.51.100.9')
  expect(await wrongCodesMetric.read(service.runtime)).toBe(4)
})

test('parallel guesses with many challenges are counted one after another', async () => {
  const email = 'parallel@example.com'
  const ids = await Promise.all([1, 2, 3, 4].map((last) => challenge(email, `198.51.100.${last}`)))
  const guesses = Array.from({ length: 20 }, (_, index) =>
    verify({ challengeId: ids[index % 4], code: '000000' }, `198.51.100.${index}`),
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
})

test("strangers' requests and guesses keep the owner out of nothing where the owner signed in before", async () => {
  const email = 'owner@example.com'
  const session = await signInFrom(email, HOME)
  for (let last = 10; last < 14; last++)
    for (let index = 0; index < 5; index++) await challenge(email, `198.51.100.${last}`)
  await guess(email, 20, '203.0.115')
  await allSent()
  const sent = codes(email)
  const asked = await call(service, 'POST /v1/auth/login', { body: { email }, ...from(HOME) })
  expect(asked.status).toBe(200)
  const code = await mailbox.codeFor(email, sent)
  expect((await verify({ challengeId: asked.body.data.challengeId, code }, HOME)).status).toBe(200)
  // A code for a session is a place of its own.
  const { accessToken: token } = session
  expect((await call(service, 'POST /v1/auth/confirm', { token, body: {} })).status).toBe(200)
  expect((await call(service, 'POST /v1/auth/confirm', { token, body: { code: '000000' } })).status).toBe(401)
})

test('a stolen session gets ten guesses at confirmations, and leaves other sessions of the user alone', async () => {
  const stolen = await signInFrom('stolen@example.com', HOME)
  const own = await signIn(service, mailbox, { email: 'stolen@example.com' })
  const statuses: number[] = []
  for (let index = 0; index < 15; index++) {
    const { accessToken: token } = stolen
    if (index % 5 === 0) await call(service, 'POST /v1/auth/confirm', { token, body: {} })
    statuses.push((await call(service, 'POST /v1/auth/confirm', { token, body: { code: '000000' } })).status)
  }
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
  const { accessToken: token } = own
  await call(service, 'POST /v1/auth/confirm', { token, body: {} })
  expect((await call(service, 'POST /v1/auth/confirm', { token, body: { code: '000000' } })).status).toBe(401)
})
