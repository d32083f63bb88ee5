import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { platformSettings } from '@payments/platform'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askForCode, call, signedIn, signIn, startMailbox, startService, useService } from '#testing'
import { accountsSettings } from '../settings.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url, OPERATOR_EMAILS: 'Root@example.com' } })
let other: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  other = await startService({
    database: service.database,
    settings: { SECRETS_KEY: platformSettings.from(service.runtime.settings).SECRETS_KEY },
  })
})
afterAll(() => other.stop())

const verify = (body: object, at: { url: string } = service) =>
  call(at, 'POST /v1/auth/otp/verify', { body, key: null })
const login = (email: string, at: { url: string } = service) =>
  call(at, 'POST /v1/auth/login', { body: { email }, key: null })
const count = async (statement: string, ...values: unknown[]): Promise<number> =>
  Number((await service.runtime.pool.query(`select count(*) as count from ${statement}`, values)).rows[0].count)
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a registration creates nothing before its code is verified, and then creates an organisation with its owner', async () => {
  const input = { email: 'New@Example.com', organisationName: 'New Ltd', fullName: 'N. Ew' }
  const { challengeId, code } = await askForCode(service, mailbox, { ...input, email: 'new@example.com' })
  expect(await count("users where email = 'new@example.com'")).toBe(0)
  const { status, body } = await verify({ challengeId, code })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    tokenType: 'Bearer',
    expiresIn: 900,
    user: { email: 'new@example.com' },
    organisation: { name: 'New Ltd', role: 'owner' },
  })
  const again = await signIn(service, mailbox, { email: 'new@example.com', organisationName: 'Second Ltd' })
  expect(again.organisation).toEqual(body.data.organisation)
  expect(await count("organisations where name = 'Second Ltd'")).toBe(0)
})

test('a known and an unknown email address get the same reply, and only the known address receives an email', async () => {
  const { email } = await signedIn(service.runtime, { role: 'operator' })
  const [known, unknown] = [await login(email), await login('nobody@example.com')]
  const shape = ({ status, body }: typeof known) => ({
    status,
    body: {
      ...body,
      data: Object.fromEntries(Object.entries(body.data).map(([name, value]) => [name, String(value).length])),
    },
  })
  expect(shape(known)).toEqual(shape(unknown))
  const jobs = await count("pgboss.job where name = 'accounts.mail'")
  await login('nobody-else@example.com')
  expect(await count("pgboss.job where name = 'accounts.mail'")).toBe(jobs + 1)
  await mailbox.emailTo(email)
  await login(email)
  await mailbox.emailTo(email, 1)
  expect(mailbox.emails.map((email) => email.to)).not.toContain('nobody@example.com')
})

test('a code can be used once, and only for its own challenge', async () => {
  const one = await askForCode(service, mailbox, { email: 'once@example.com', organisationName: 'Once' })
  const two = await askForCode(service, mailbox, { email: 'once@example.com', organisationName: 'Once' })
  const replies = await Promise.all([verify(one), verify(one), verify(one, other)])
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401, 401])
  expect((await verify({ ...one, challengeId: two.challengeId })).body).toEqual({
    status: 'error',
    message: 'Invalid or expired code',
    data: null,
  })
})

test('a challenge allows five tries over all processes, and wrong tries on one challenge do not count on another', async () => {
  const mine = await askForCode(service, mailbox, { email: 'tries@example.com', organisationName: 'Tries' })
  const stranger = await askForCode(service, mailbox, { email: 'tries@example.com', organisationName: 'Tries' })
  const guesses = Array.from({ length: 24 }, (_, index) =>
    verify({ ...stranger, code: wrong(stranger.code) }, index % 2 ? other : service),
  )
  for (const { status } of await Promise.all(guesses)) expect(status).toBe(401)
  expect(await count('challenges where id = $1 and tries = 5', stranger.challengeId)).toBe(1)
  expect((await verify(stranger)).status).toBe(401)
  expect(
    (await call(service, 'POST /v1/auth/otp/resend', { body: { challengeId: stranger.challengeId }, key: null }))
      .status,
  ).toBe(404)
  for (let tries = 0; tries < 4; tries++) await verify({ ...mine, code: wrong(mine.code) })
  expect((await verify(mine)).status).toBe(200)
})

test('at most five codes an hour are sent to one email address, counted over all processes; the sixth request is told so', async () => {
  const email = 'sends@example.com'
  const register = (at: { url: string }) =>
    call(at, 'POST /v1/auth/register', { body: { email, organisationName: 'Sends' }, key: null })
  const replies = await Promise.all(Array.from({ length: 12 }, (_, index) => register(index % 2 ? other : service)))
  const sent = replies.filter(({ status }) => status === 200)
  expect(sent).toHaveLength(5)
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    expect([reply.status, reply.body.message]).toEqual([429, 'Too many emails were requested for this email address'])
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(await count('challenges where email = $1', email)).toBe(5)
  const challengeId = sent[0]?.body.data.challengeId
  const resent = await call(service, 'POST /v1/auth/otp/resend', { body: { challengeId }, key: null })
  expect(resent.status).toBe(429)
  expect(await count('email_sends where email = $1', email)).toBe(5)
})

test('a resent code replaces the previous code and keeps the count of tries', async () => {
  const first = await askForCode(service, mailbox, { email: 'again@example.com', organisationName: 'Again' })
  await verify({ ...first, code: wrong(first.code) })
  const { challengeId } = first
  const resent = await call(service, 'POST /v1/auth/otp/resend', { body: { challengeId }, key: null })
  expect(resent.body).toMatchObject({ message: 'Verification code sent', data: { challengeId } })
  const code = await mailbox.codeFor('again@example.com', 1)
  if (code !== first.code) expect((await verify(first)).status).toBe(401)
  expect((await verify({ challengeId, code })).status).toBe(200)
  expect((await call(service, 'POST /v1/auth/otp/resend', { body: { challengeId }, key: null })).status).toBe(404)
})

test('an expired code is refused', async () => {
  const asked = await askForCode(service, mailbox, { email: 'late@example.com', organisationName: 'Late' })
  await service.runtime.pool.query("update challenges set expires_at = now() - interval '1 second' where id = $1", [
    asked.challengeId,
  ])
  expect((await verify(asked)).body.message).toBe('Invalid or expired code')
})

test('codes are stored as keyed hashes that differ between challenges', async () => {
  const { challengeId, code } = await askForCode(service, mailbox, {
    email: 'hash@example.com',
    organisationName: 'Hash',
  })
  const { keyring } = service.runtime
  const { rows } = await service.runtime.pool.query('select code_hash from challenges where id = $1', [challengeId])
  expect(rows[0].code_hash).toBe(keyring.fingerprint(code, `code:${challengeId}`))
  expect(rows[0].code_hash).not.toBe(keyring.fingerprint(code, 'code:another'))
})

test('a user in OPERATOR_EMAILS signs in as an operator, in any letter case and also if the user existed before', async () => {
  const fresh = await signIn(service, mailbox, { email: 'root@example.com' })
  expect(fresh.organisation).toMatchObject({ name: 'Operators', role: 'operator' })
  const before = await signIn(service, mailbox, { email: 'promoted@example.com', organisationName: 'Before' })
  const later = await startService({
    database: service.database,
    settings: {
      SMTP_URL: mailbox.url,
      SECRETS_KEY: platformSettings.from(service.runtime.settings).SECRETS_KEY,
      OPERATOR_EMAILS: 'promoted@example.com',
    },
  })
  try {
    const asked = await askForCode(later, mailbox, { email: 'promoted@example.com' })
    const promoted = (await verify(asked, later)).body.data
    expect(promoted.organisation).toEqual(fresh.organisation)
    const me = await call(later, 'GET /v1/auth/me', { token: promoted.accessToken })
    expect(me.body.data.organisations).toEqual(
      [before.organisation, fresh.organisation].map((each) => ({
        ...each,
        invitedBy: null,
        suspendedAt: null,
        timeZone: 'UTC',
      })),
    )
  } finally {
    await later.stop()
  }
})

test('an email is sent over SMTP with a plain and an HTML part, and its code is not logged', async () => {
  const { code } = await askForCode(service, mailbox, { email: 'parts@example.com', organisationName: 'Parts' })
  const { raw } = await mailbox.emailTo('parts@example.com')
  expect(raw).toMatch(/Content-Type: multipart\/alternative/)
  const [, plain, html] = raw.replaceAll('=\r\n', '').split('Content-Type: text/')
  expect(plain).toMatch(new RegExp(`^plain[^]*Your code is ${code}`))
  expect(html).toMatch(new RegExp(`^html[^]*<p[^>]*>${code}</p>`))
  expect(raw.match(/^Subject: .*$/m)?.[0]).not.toContain(code)
  expect(service.logs.join('')).not.toContain(`code ${code}`)
})

test('without a mail server each email is written to an .eml file and the code is printed on the console', async () => {
  const dev = await startService({ worker: true })
  try {
    await call(dev, 'POST /v1/auth/register', {
      body: { email: 'dev@example.com', organisationName: 'Dev' },
      key: null,
    })
    const code = dev.logs.join('').match(/sign-in code (\d{6})/)?.[1]
    expect(code).toBeDefined()
    const directory = join(dev.dataDir, 'mail')
    await expect.poll(() => readdirSync(directory, { withFileTypes: false }).length, { timeout: 10_000 }).toBe(1)
    const [file] = readdirSync(directory)
    expect(file).toMatch(/\.eml$/)
    expect(readFileSync(join(directory, file as string), 'utf8')).toContain(`Your code is ${code}`)
  } finally {
    await dev.stop()
  }
})

test('codes, tokens and keys do not come from Math.random', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  try {
    const secrets = new Set<string>()
    for (const email of ['chance-1@example.com', 'chance-2@example.com', 'chance-3@example.com']) {
      const asked = await askForCode(service, mailbox, { email, organisationName: 'Chance' })
      const { accessToken, refreshToken } = (await verify(asked)).body.data
      const body = { name: 'Chance', environment: 'test' }
      const created = await call(service, 'POST /v1/api-keys', { body, token: accessToken, key: null })
      const { key } = created.body.data
      for (const secret of [asked.code, refreshToken, key.slice(9, 17), key.slice(17)]) secrets.add(secret)
    }
    expect(secrets.size).toBe(12)
  } finally {
    random.mockRestore()
  }
})

test('in production a code is never sent over an unencrypted connection, and the health page shows the name of the installation', async () => {
  const plain = await startMailbox()
  const production = await startService({
    worker: true,
    settings: {
      NODE_ENV: 'production',
      ENV_NAME: 'staging-2',
      REGISTRATION: 'open',
      TRUST_PROXY: 'loopback',
      DATABASE_URL: service.database.serviceUrl,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      JWT_PRIVATE_KEY: accountsSettings.from(service.runtime.settings).JWT_PRIVATE_KEY,
      BASE_URL: 'https://api.example.com',
      SMTP_URL: plain.url,
    },
  })
  try {
    const headers = { 'x-forwarded-proto': 'https' }
    const body = { email: 'clear@example.com', organisationName: 'Clear' }
    expect((await call(production, 'POST /v1/auth/register', { body, headers, key: null })).status).toBe(200)
    await expect.poll(() => production.logs.join(''), { timeout: 10_000 }).toContain('"job":"accounts.mail"')
    const [failed] = production.logs.filter((line) => line.includes('job failed'))
    expect(failed).toContain('STARTTLS')
    expect(plain.emails).toEqual([])
    expect((await call(production, 'GET /health', { headers })).body.env).toBe('staging-2')
  } finally {
    await production.stop()
    await plain.close()
  }
})
