import { afterAll, expect, test } from 'vitest'
import { call, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback' } })

const from = (address: string) => ({ 'x-forwarded-for': address })
const login = async (email: string, address: string) =>
  (await call(service, 'POST /v1/auth/login', { body: { email }, key: null, headers: from(address) })).status

test('a stranger can use up neither the codes of other addresses nor those that are reserved for the owner', async () => {
  const email = 'owner@example.com'
  await signIn(service, mailbox, { email, organisationName: 'Owner' })
  await service.runtime.pool.query("update sign_in_addresses set address = '192.0.2.1'")
  await service.runtime.pool.query("delete from email_sends where email = 'owner@example.com'")
  for (let index = 0; index < 5; index++) expect(await login(email, '198.51.100.1')).toBe(200)
  expect(await login(email, '198.51.100.1')).toBe(429)
  for (const last of [2, 3, 4])
    for (let index = 0; index < 5; index++) expect(await login(email, `198.51.100.${last}`)).toBe(200)
  // 20 from all addresses: no stranger gets more.
  expect(await login(email, '198.51.100.5')).toBe(429)
  for (let index = 0; index < 5; index++) expect(await login(email, '192.0.2.1')).toBe(200)
  expect(await login(email, '192.0.2.1')).toBe(429)
  const received = () => mailbox.emails.filter(({ to }) => to === email).length
  await expect.poll(received, { timeout: 20_000 }).toBe(26)
})

test('addresses of one IPv6 /64 are one client address', async () => {
  const statuses: number[] = []
  for (let host = 1; host <= 6; host++) statuses.push(await login('v6@example.com', `2001:db8:0:7::${host}`))
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  expect(await login('v6@example.com', '2001:db8:0:8::1')).toBe(200)
})

test('an address of more than 90 days ago has no reserved codes', async () => {
  const email = 'moved@example.com'
  await signIn(service, mailbox, { email, organisationName: 'Moved' })
  await service.runtime.pool.query(
    "update sign_in_addresses set address = '192.0.2.9', signed_in_at = now() - interval '91 days'",
  )
  await service.runtime.pool.query(
    "insert into email_sends (email, sent_at, address) select $1, now(), '198.51.100.1' from generate_series(1, 20)",
    [email],
  )
  expect(await login(email, '192.0.2.9')).toBe(429)
})

test('a known and an unknown address reach the same limit from a stranger', async () => {
  await signIn(service, mailbox, { email: 'known@example.com', organisationName: 'Known' })
  await service.runtime.pool.query('delete from email_sends')
  const statuses = async (email: string) => {
    const all: number[] = []
    for (let index = 0; index < 6; index++) all.push(await login(email, '203.0.113.7'))
    return all
  }
  expect(await statuses('known@example.com')).toEqual(await statuses('unknown@example.com'))
})
