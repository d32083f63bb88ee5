import { anonymous } from '@payments/kernel'
import { unitOfWork } from '@payments/platform'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startMailbox, useService } from '#testing'
import { emailJob, emailMetric, sendEmail } from './email.ts'

const mailbox = await startMailbox()
const working = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })
const idle = useService({ settings: { SMTP_URL: mailbox.url } })
afterAll(() => mailbox.close())
afterEach(() => {
  mailbox.faults.delayMs = 0
  mailbox.faults.refusal = undefined
})

const in24Hours = () => new Date(Date.now() + 86_400_000).toISOString()
const in10Minutes = () => new Date(Date.now() + 600_000).toISOString()
const queue = (service: typeof working, to: readonly string[], until: string) =>
  unitOfWork({ runtime: service.runtime, actor: anonymous, log: service.runtime.log }, async (unit) => {
    for (const each of to)
      await sendEmail(unit, { to: each, subject: 'Subject', text: 'Text', html: '<p>Text</p>', deliver: true, until })
  })
const addresses = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}-${n}@example.com`)
const run = async (until: string, service = idle) => {
  const box = service.runtime.keyring.encrypt(
    JSON.stringify({ to: 'one@example.com', subject: 'S', text: 'T', html: 'H', deliver: true, until }),
    'mail',
  )
  await emailJob.run(service.runtime, { box }, new AbortController().signal)
}

test('a code is sent beside a long queue of other emails to a slow mail server, not after it', async () => {
  mailbox.faults.delayMs = 1000
  const others = addresses(45, 'other')
  await queue(working, others, in24Hours())
  const sent = () => mailbox.emails.filter(({ to }) => others.includes(to)).length
  await expect.poll(sent, { timeout: 15_000 }).toBeGreaterThan(0)
  await queue(working, ['code@example.com'], in10Minutes())
  await mailbox.emailTo('code@example.com')
  expect(sent()).toBeLessThan(40)
  mailbox.faults.delayMs = 0
  await expect.poll(sent, { timeout: 15_000 }).toBe(others.length)
})

test('emails one after another share a connection', async () => {
  await run(in24Hours())
  const before = mailbox.connections()
  for (let n = 0; n < 5; n++) await run(in24Hours())
  expect(mailbox.connections() - before).toBeLessThanOrEqual(1)
})

test('an email is tried again at least every minute for as long as it is valid, and not after that', async () => {
  await queue(idle, ['later@example.com'], in24Hours())
  const { rows } = await idle.runtime.pool.query(
    "select retry_limit, retry_delay_max, retry_backoff from pgboss.job where name = 'accounts.mail' order by created_on desc limit 1",
  )
  expect(rows[0]).toMatchObject({ retry_delay_max: 60, retry_backoff: true })
  // Invitations are valid longest.
  expect(rows[0].retry_limit * 60).toBeGreaterThan(14 * 86_400)
  mailbox.faults.refusal = 450
  await expect(run(in24Hours())).rejects.toThrow()
  const before = mailbox.emails.length
  mailbox.faults.refusal = undefined
  await run(new Date(Date.now() - 1000).toISOString())
  expect(mailbox.emails).toHaveLength(before)
})

test('a recipient that the mail server refuses for good is not tried again', async () => {
  mailbox.faults.refusal = 550
  await run(in24Hours())
  expect(idle.logs.join()).toContain('refuses a recipient')
})

test('the age of what waits is a gauge, codes apart from other emails', async () => {
  await idle.runtime.pool.query("delete from pgboss.job where name = 'accounts.mail'")
  const ages = async () =>
    Object.fromEntries(
      ((await emailMetric.read(idle.runtime)) as { labels: { kind: string }; value: number }[]).map(
        ({ labels, value }) => [labels.kind, Math.round(value / 60)],
      ),
    )
  expect(await ages()).toEqual({ code: 0, other: 0 })
  await queue(idle, ['code@example.com'], in10Minutes())
  await queue(idle, ['other@example.com'], in24Hours())
  await idle.runtime.pool.query(
    "update pgboss.job set created_on = now() - case when priority > 0 then interval '3 min' else interval '7 min' end where name = 'accounts.mail'",
  )
  expect(await ages()).toEqual({ code: 3, other: 7 })
})
