import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadServiceSettings } from '@payments/api'
import { adapters } from '@payments/gateway'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createKeyFor, foundOrganisation, freshDatabase, type TestDatabase } from '#testing'
import { reconcile } from './reconciliation.ts'

let database: TestDatabase
let pool: Pool
const folder = mkdtempSync(join(tmpdir(), 'payments-reconcile-'))
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.ownerUrl, max: 2 })
  pool.on('error', () => undefined)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await pool.end()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** Ends the connection of the command before its statement number `cut`. */
function dieBefore(cut: number): () => boolean {
  vi.restoreAllMocks()
  let statements = 0
  let died = false
  const query = Client.prototype.query as (...given: unknown[]) => Promise<unknown>
  vi.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...given: unknown[]) {
    const { processID, connectionParameters } = this as unknown as {
      processID: number
      connectionParameters: { application_name?: string }
    }
    const { application_name: name } = connectionParameters
    if (name === 'payments-reconcile' && statements++ === cut) {
      died = true
      await pool.query('select pg_terminate_backend($1)', [processID])
    }
    return query.apply(this, given)
  } as never)
  return () => died
}

test('wherever a reconciliation is interrupted, every organisation is told once of the forgotten time, with one email for each member', {
  timeout: 120_000,
}, async () => {
  const [test, live] = [await foundOrganisation({ pool }), await foundOrganisation({ pool })]
  await createKeyFor({ pool }, { organisationId: live, environment: 'live', scopes: ['api:read'] })
  const settings = loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: folder }, adapters)
  const told = async () =>
    (
      await pool.query(
        `select organisation_id as "organisationId", environment, email_due as email, body from notifications
          where type = 'service.restored' order by environment desc, organisation_id`,
      )
    ).rows
  const said = {
    declared: true,
    nothingLost: false,
    since: new Date('2026-11-21T10:12:30Z'),
    revokedKeys: 'none' as const,
    tell: () => undefined,
  }
  const command = { settings, pool, ownerUrl: database.ownerUrl, serviceUrl: database.serviceUrl }
  const counts = new Set<number>()
  let cut = 0
  for (let done = false; !done; cut++) {
    const died = dieBefore(cut)
    done = await reconcile(command, said).catch((error: unknown) => {
      if (!died()) throw error
      return false
    })
    vi.restoreAllMocks()
    counts.add((await told()).length)
    if (!done) expect(died()).toBe(true)
  }
  // Neither some organisations alone, nor any of them twice.
  expect([...counts]).toEqual([0, 3])
  const period = /from 2026-11-21 10:02 UTC to \d{4}-\d\d-\d\d \d\d:\d\d UTC may be missing/
  expect(await told()).toEqual([
    ...[test, live].toSorted().map((organisationId) => ({
      ...{ organisationId, environment: 'test', email: organisationId === test },
      body: expect.stringMatching(period),
    })),
    { organisationId: live, environment: 'live', email: true, body: expect.stringMatching(period) },
  ])
  expect(cut).toBeGreaterThan(10)
})

test('connections that look like those of a process are named, with what to do where they are idle ones of PgBouncer', async () => {
  const own = await freshDatabase()
  const db = new Pool({ connectionString: own.ownerUrl, max: 2, application_name: 'payments-reconcile' })
  const idle = new Client({ connectionString: own.serviceUrl, application_name: 'payments' })
  await idle.connect()
  onTestFinished(async () => {
    await Promise.all([idle.end(), db.end()])
    await own.drop()
  })
  const { rows } = await idle.query<{ pid: number }>('select pg_backend_pid() as pid')
  const settings = loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: folder }, adapters)
  const command = { settings, pool: db, ownerUrl: own.ownerUrl, serviceUrl: own.serviceUrl }
  const said = {
    declared: true,
    nothingLost: false,
    since: undefined,
    revokedKeys: 'none' as const,
    tell: () => undefined,
  }
  const refused = await reconcile(command, said).catch((error: Error) => error.message)
  expect(String(refused).split('\n')).toEqual([
    'Gateways or workers use the database: stop every one of them first',
    expect.stringMatching(
      new RegExp(`^  payments from .+ \\(idle for \\d+ s, process ${rows[0]?.pid} of PostgreSQL\\)$`),
    ),
    expect.stringContaining('systemctl restart pgbouncer'),
  ])
})
