import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bookOf, foundOrganisation, own, startService, type TestService, transfer } from '#testing'
import { post } from '../post.ts'
import { checkAndStore, checkJob } from './nightly-check.ts'

let service: TestService & { stop(): Promise<void> }
beforeEach(async () => {
  service = await startService()
  const book = bookOf(service.runtime, await foundOrganisation(service.runtime))
  await book.do((unit) => post(unit, transfer(own('external'), own('available'), 5n)))
})
afterEach(() => service.stop())

const proof = async () =>
  (await (await fetch(`${service.internalUrl}/proof`)).json()) as { checks: { ledger: unknown } }
const findings = async () =>
  (await (await fetch(`${service.internalUrl}/metrics`)).text()).match(/^ledger_check_findings (\d+)$/m)?.[1]

test('the check runs every night, and its latest result is at /proof and among the metrics', async () => {
  expect(checkJob.schedule).toHaveProperty('dailyAt')
  expect((await proof()).checks.ledger).toBeNull()
  await checkJob.run(service.runtime, {}, new AbortController().signal)
  expect((await proof()).checks.ledger).toMatchObject({
    ok: true,
    findings: 0,
    walked: { accounts: 2, entries: 1 },
    shown: [],
    startedAt: expect.any(String),
    finishedAt: expect.any(String),
  })
  expect(await findings()).toBe('0')

  const owner = new Client({ connectionString: service.database.ownerUrl })
  await owner.connect()
  await owner.query('set session_replication_role = replica')
  await owner.query("update ledger_accounts set balance = balance + 1 where purpose = 'available'")
  await owner.end()
  await checkAndStore(service.runtime)
  expect((await proof()).checks.ledger).toMatchObject({
    ok: false,
    findings: 1,
    shown: [{ check: 'accounts', message: 'holds 6 USDC, its postings sum to 5' }],
  })
  expect(await findings()).toBe('1')
  expect(service.logs.some((line) => line.includes('ledger check finding'))).toBe(true)
})

test('a result that is older than a night is not ok, and its age is at /proof and among the metrics', async () => {
  await checkAndStore(service.runtime)
  expect((await proof()).checks.ledger).toMatchObject({ ok: true, ageSeconds: expect.any(Number) })
  await service.runtime.pool.query("update ledger_checks set finished_at = now() - interval '31 hours'")
  expect((await proof()).checks.ledger).toMatchObject({ ok: false, findings: 0, ageSeconds: 31 * 3600 })
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text()
  expect(Number(metrics.match(/^ledger_check_age_seconds (\d+)$/m)?.[1])).toBeGreaterThanOrEqual(31 * 3600)
})

test('only the newest 100 results are kept', async () => {
  await service.runtime.pool.query(
    `insert into ledger_checks (id, started_at, finished_at, walked, findings, shown)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), now(), '{}', 0, '[]' from generate_series(1, 120) n`,
  )
  await checkAndStore(service.runtime)
  const { rows } = await service.runtime.pool.query('select count(*)::int as kept from ledger_checks')
  expect(rows[0].kept).toBe(100)
})
