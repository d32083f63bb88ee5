import { randomUUID } from 'node:crypto'
import { everyDomain } from '@payments/api'
import { checkFingerprints, reEncrypt } from '@payments/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  askForCode,
  BVN,
  call,
  newCustomer,
  newMerchant,
  signedIn,
  startMailbox,
  startService,
  type TestService,
  tableContents,
} from '#testing'

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`
let service: Awaited<ReturnType<typeof startService>>
beforeEach(async () => {
  service = await startService({ settings: { SECRETS_KEY: OLD } })
})
afterEach(() => service.stop())
const settingsWith = (SECRETS_KEY: string) => ({ ...service.runtime.settings, SECRETS_KEY })

/** Names of the tables that hold text under this key. */
const tablesWith = async (key: string) =>
  [...(await tableContents(service.database))].flatMap(([name, text]) => (text.includes(`v2.${key}.`) ? [name] : []))

test('after a re-encryption the old key can be removed: replays, refreshes, emails, webhook secrets and identities still work', async () => {
  const { pool } = service.runtime
  await checkFingerprints(pool, everyDomain, settingsWith(OLD))
  const merchant = await newMerchant(service)
  const key = randomUUID()
  const endpoint = { body: { url: 'https://merchant.test/hooks' }, key }
  const created = await merchant.call('POST /v1/webhooks', endpoint)
  expect(created.status, created.text).toBe(201)
  const { id } = created.body.data
  await merchant.call(`POST /v1/webhooks/${id}/rotate-secret`, { body: { overlapHours: 1 } })
  const customer = await newCustomer(merchant)
  await merchant.call(`POST /v1/cngn/customers/${customer}/enable`, { body: { bvn: BVN } })
  const session = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  const refresh = (at: { url: string }) =>
    call(at, 'POST /v1/auth/refresh', { body: { refreshToken: session.refreshToken }, key: null })
  const first = (await refresh(service)).body.data.refreshToken
  await call(service, 'POST /v1/auth/login', { body: { email: session.email }, key: null })
  // An email that could not be sent: the failed job and its dead letter are kept.
  const { rows: queued } = await pool.query(
    "update pgboss.job set state = 'failed', completed_on = now() where name = 'accounts.mail' returning data",
  )
  await service.runtime.boss.send('dead-letter', queued[0].data)
  await service.runtime.boss.send('dead-letter', { id: 'of another job' })
  expect((await tablesWith('old')).sort()).toEqual([
    'pgboss.job',
    'pgboss.job_common',
    'public.cngn_identities',
    'public.idempotency_keys',
    'public.refresh_tokens',
    'public.webhook_endpoints',
  ])

  const rotated = settingsWith(`${NEW},${OLD}`)
  await checkFingerprints(pool, everyDomain, rotated)
  const done = await reEncrypt(pool, everyDomain, rotated)
  for (const [name, values] of Object.entries(done)) expect([name, values]).toEqual([name, expect.any(Number)])
  expect(Object.values(done).every((values) => values > 0)).toBe(true)
  expect(await tablesWith('old')).toEqual([])
  expect(Object.values(await reEncrypt(pool, everyDomain, rotated)).every((values) => values === 0)).toBe(true)

  // A process restarts before the old key is removed everywhere.
  await checkFingerprints(pool, everyDomain, rotated)
  await checkFingerprints(pool, everyDomain, settingsWith(NEW))
  const later = await startService({ database: service.database, settings: { SECRETS_KEY: NEW } })
  try {
    expect((await refresh(later)).body.data.refreshToken).toBe(first)
    const replayed = await call(later, 'POST /v1/webhooks', { ...endpoint, token: merchant.key })
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([created.text, 'true'])
    const { rows } = await pool.query('select id, secret from webhook_endpoints')
    for (const { id: endpointId, secret } of rows)
      expect(later.runtime.keyring.decrypt(secret, `webhook-endpoint:${endpointId}`)).toMatch(/^whsec_/)
    const { rows: identities } = await pool.query('select id, encrypted from cngn_identities')
    for (const { id: identity, encrypted } of identities)
      expect(later.runtime.keyring.decrypt(encrypted, `cngn.identity/${identity}`)).toContain(BVN)
  } finally {
    await later.stop()
  }
})

test('while processes restart with the keys of each step of a rotation, a code of one is accepted by every other', async () => {
  const mailbox = await startMailbox()
  const { database } = service
  const steps = [`${OLD},${NEW}`, `${NEW},${OLD}`]
  const running: Awaited<ReturnType<typeof startService>>[] = []
  const begin = async (SECRETS_KEY: string) => {
    const started = await startService({ database, worker: true, settings: { SECRETS_KEY, SMTP_URL: mailbox.url } })
    running.push(started)
    return started
  }
  const verify = async (at: TestService, body: object) =>
    (await call(at, 'POST /v1/auth/otp/verify', { body, key: null })).status
  try {
    let people = 0
    let before = await begin(OLD)
    for (const keys of steps) {
      const after = await begin(keys)
      for (const [asks, verifies] of [
        [before, after],
        [after, before],
      ] as const) {
        const email = `rotation-${people++}@example.com`
        const code = await askForCode(asks, mailbox, { email, organisationName: 'Rotation' })
        expect(await verify(verifies, code)).toBe(200)
      }
      // All processes have the keys of a step before the next one begins: one without a key could not send what it encrypts.
      await before.stop()
      running.splice(running.indexOf(before), 1)
      before = after
    }
  } finally {
    for (const each of running) await each.stop()
    await mailbox.close()
  }
})

test('while data needs a key that is not configured, nothing starts and nothing is re-encrypted', async () => {
  const { pool } = service.runtime
  const other = settingsWith(`other:${Buffer.alloc(32, 3).toString('base64')}`)
  for (const keys of [OLD, `${NEW},${OLD}`]) await checkFingerprints(pool, everyDomain, settingsWith(keys))
  await expect(checkFingerprints(pool, everyDomain, other)).rejects.toThrow('SECRETS_KEY: the database was written')
  const merchant = await newMerchant(service)
  await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.test/other' } })
  await expect(reEncrypt(pool, everyDomain, other)).rejects.toThrow('SECRETS_KEY has no key with the id')
  const { rows } = await pool.query("select 1 from setting_fingerprints where setting = 'SECRETS_KEY'")
  expect(rows.length).toBeGreaterThan(1)
})
