import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { createLog, hasTimeouts, isTransactionPooler, migrate } from '@payments/platform'
import { hasTools, newMerchant, runService, startStandby, startSystemPostgres } from '@payments/stand'
import { expect, test } from 'vitest'
import { compileCache, freshDatabase, program } from '#testing'
import { startPgBouncer } from './pgbouncer.ts'

test.runIf(hasTools('pgbouncer'))(
  'a pooler whose connections have no timeouts is told from one that sets them',
  async () => {
    const database = await freshDatabase()
    try {
      expect(await hasTimeouts(database.serviceUrl)).toBe(true)
      for (const sets of [true, false]) {
        const pooler = await startPgBouncer(database.serviceUrl, sets ? undefined : 'select 1')
        try {
          expect(await hasTimeouts(pooler.through(database.serviceUrl))).toBe(sets)
        } finally {
          await pooler.stop()
        }
      }
    } finally {
      await database.drop()
    }
  },
)

test.runIf(hasTools('pgbouncer'))(
  'a pooler in transaction mode where PostgreSQL itself is needed ends the start with one sentence that names the setting',
  { timeout: 120_000 },
  async () => {
    const database = await freshDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'payments-start-'))
    const pooler = await startPgBouncer(database.serviceUrl)
    try {
      const url = pooler.through(database.serviceUrl)
      expect([await isTransactionPooler(database.serviceUrl), await isTransactionPooler(url)]).toEqual([false, true])
      const start = (env: Record<string, string>) =>
        spawnSync(process.execPath, program('start'), {
          encoding: 'utf8',
          timeout: 60_000,
          env: { ...compileCache, PORT: '0', INTERNAL_PORT: '0', DATA_DIR: folder, ...env },
        })
      for (const [named, env] of [
        ['DATABASE_URL', { DATABASE_URL: url }],
        ['DATABASE_DIRECT_URL', { DATABASE_URL: url, DATABASE_DIRECT_URL: url }],
        ['DATABASE_OWNER_URL', { DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: url }],
      ] as const) {
        const { status, stdout, stderr } = start(env)
        expect([status, stdout + stderr]).toEqual([
          1,
          expect.stringMatching(new RegExp(`^${named}: a pooler in transaction mode answers.+\n$`)),
        ])
      }
    } finally {
      await pooler.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test.runIf(hasTools('pgbouncer', 'pg_ctlcluster', 'setpriv'))(
  'a standby behind a pooler in transaction mode serves lists and exports',
  { timeout: 120_000 },
  async () => {
    const primary = await startSystemPostgres()
    await primary.query("create role service login password 'of-the-service'")
    const asService = (url: string) => url.replace('postgres@', 'service:of-the-service@')
    const serviceUrl = asService(primary.url())
    await migrate(primary.url(), serviceUrl, everyDomain, createLog('fatal'))
    const standby = await startStandby(primary)
    const pooler = await startPgBouncer(asService(standby.url()))
    const settings = { DATABASE_READ_URL: pooler.through(asService(standby.url())) }
    const gateway = await runService({ serviceUrl }, { settings, logLevel: 'warn' })
    try {
      const merchant = await newMerchant(gateway)
      const served = () => gateway.runtime.standby?.reads.standby ?? 0
      for (const path of ['/customers', '/transactions/export', '/reports/summary']) {
        const before = served()
        const read = async () => [(await merchant.call(`GET /v1${path}`)).status, served() > before]
        await expect.poll(read, { timeout: 20_000 }).toEqual([200, true])
      }
      expect(gateway.logs).toEqual([])
    } finally {
      await gateway.stop()
      await pooler.stop()
      await Promise.all([standby.remove(), primary.remove()])
    }
  },
)
