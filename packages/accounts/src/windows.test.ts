import { newId } from '@payments/kernel'
import { afterAll, describe, expect, test } from 'vitest'
import { askForCode, call, createKeyFor, foundOrganisation, signedIn, startMailbox, useService } from '#testing'

// Each limit counts what happened in a window: just inside it counts, just outside it does not.
const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({
  worker: true,
  settings: { SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback', RATE_LIMIT_AUTH: '1000', RATE_LIMIT_GLOBAL: '2000' },
})
const HERE = '198.51.100.1'
const query = (text: string, values: unknown[]) => service.runtime.pool.query(text, values)
const post = (path: string, body: object) =>
  call(service, `POST /v1/auth/${path}`, { body, key: null, headers: { 'x-forwarded-for': HERE } })
const someEmail = () => `${newId()}@example.com`

const sendEmails = (count: number, of: { email: string; kind: string; ago: string; organisationId?: string }) =>
  query(
    `insert into email_sends (email, kind, address, organisation_id, sent_at)
     select $1, $2, $3, $4, now() - $5::interval from generate_series(1, $6::int)`,
    [of.email, of.kind, HERE, of.organisationId ?? null, of.ago, count],
  )

test('five emails with codes to an address count for an hour', async () => {
  for (const [ago, status] of [
    ['59 minutes 30 seconds', 429],
    ['60 minutes 30 seconds', 200],
  ] as const) {
    const email = someEmail()
    await sendEmails(5, { email, kind: 'code', ago })
    expect([ago, (await post('login', { email })).status]).toEqual([ago, status])
  }
})

test('20 invitations of an organisation count for a day, and those of another do not', async () => {
  for (const [ago, status] of [
    ['23 hours 59 minutes', 429],
    ['24 hours 1 minute', 201],
  ] as const) {
    const organisationId = await foundOrganisation(service.runtime)
    const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'owner' })
    await sendEmails(20, { email: someEmail(), kind: 'invitation', ago, organisationId })
    const body = { email: someEmail(), role: 'member' }
    const answer = await call(service, 'POST /v1/auth/invitations', { token, key: null, body })
    expect([ago, answer.status]).toEqual([ago, status])
  }
})

describe('wrong codes', () => {
  const tries = (email: string, count: number, ago: string) =>
    query(
      `insert into code_tries (id, email, place, wrong, warned, tried_at)
       select uuidv7(), $1, 'elsewhere', true, true, now() - $2::interval from generate_series(1, $3::int)`,
      [email, ago, count],
    )
  /** The reply to one more wrong code, and after how many seconds it may be repeated. */
  async function oneMore(email: string): Promise<[number, number]> {
    const { challengeId } = (await post('login', { email })).body.data
    const { status, headers } = await post('otp/verify', { challengeId, code: '000000' })
    return [status, Number(headers.get('retry-after') ?? 0)]
  }

  test('count for a day', async () => {
    for (const [ago, status] of [
      ['23 hours 59 minutes', 429],
      ['24 hours 1 minute', 401],
    ] as const) {
      const email = someEmail()
      await tries(email, 9, ago)
      await tries(email, 1, '0 seconds')
      expect([ago, (await oneMore(email))[0]]).toEqual([ago, status])
    }
  })

  test.each([
    [9, 0],
    [10, 60],
    [11, 120],
    [12, 240],
    [13, 480],
    [14, 600],
    [40, 600],
  ])('in number %i make the next try wait %i seconds, and no more', async (count, wait) => {
    const [early, late] = [someEmail(), someEmail()]
    await tries(early, count, `${Math.max(0, wait - 20)} seconds`)
    await tries(late, count, `${wait + 1} seconds`)
    expect((await oneMore(late))[0]).toBe(401)
    const [status, left] = await oneMore(early)
    expect(status).toBe(wait > 0 ? 429 : 401)
    if (wait > 0) expect(Math.abs(left - 20)).toBeLessThan(15)
  })
})

test('keys that expire later count among the 100, and those that have expired do not', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const keys = async (count: number, expiresAt: Date) => {
    for (let index = 0; index < count; index++)
      await createKeyFor(service.runtime, { organisationId, environment: 'test', scopes: ['api:read'], expiresAt })
  }
  const create = () =>
    call(service, 'POST /v1/api-keys', { token, key: null, body: { name: 'Key', environment: 'test' } })
  await keys(5, new Date(Date.now() - 1000))
  await keys(99, new Date(Date.now() + 60_000))
  expect((await create()).status).toBe(201)
  expect((await create()).status).toBe(409)
})

describe('a code for signing in', () => {
  const age = (challengeId: string, ago: string) =>
    query('update challenges set created_at = now() - $2::interval where id = $1', [challengeId, ago])
  const ask = () => askForCode(service, mailbox, { email: someEmail(), organisationName: 'Late' })
  const resend = async (challengeId: string) => (await post('otp/resend', { challengeId })).status

  test('can be sent again for an hour', async () => {
    const { challengeId } = await ask()
    await age(challengeId, '59 minutes 30 seconds')
    expect(await resend(challengeId)).toBe(200)
    await age(challengeId, '60 minutes 30 seconds')
    expect(await resend(challengeId)).toBe(404)
  })

  test('is not sent again after five tries', async () => {
    const { challengeId, code } = await ask()
    const wrong = code === '000000' ? '000001' : '000000'
    for (let tried = 0; tried < 4; tried++) await post('otp/verify', { challengeId, code: wrong })
    expect(await resend(challengeId)).toBe(200)
    await post('otp/verify', { challengeId, code: wrong })
    expect(await resend(challengeId)).toBe(404)
  })

  test('is valid for ten minutes', async () => {
    const asked = await post('login', { email: someEmail() })
    const left = Date.parse(asked.body.data.otpExpiresAt) - Date.now()
    expect(Math.abs(left - 600_000)).toBeLessThan(15_000)
  })
})
