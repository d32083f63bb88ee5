// The drill with pgBackRest, on the machine that machine.sh makes: `node inside.ts <size> <seed> [<times>]`. Writes its report to file descriptor 3.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { root } from '@payments/checks'
import { newId } from '@payments/kernel'
import { createLog, migrate, openRestore } from '@payments/platform'
import { rows } from '@payments/stand'
import { Pool } from 'pg'
import { blocksOf, startGuide } from '../machine/guide.ts'
import { drill } from './drill.ts'

const [, , size = 'short', seed = '1', times] = process.argv
const ROUNDS = { short: 1, full: 5 }
const GUIDE = 'backup.md'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const ARCHIVE = 'An archive of the WAL'
const WITHOUT_LOSS = 'Restore without loss'
const TO_A_POINT = 'Restore to an earlier point'

const started = performance.now()
const log = (line: string) =>
  void process.stdout.write(`${Math.round((performance.now() - started) / 1000)} s: ${line}\n`)

/** Debian's PostgreSQL with the roles and the database of docs/operators/production.md. */
async function prepareDatabase() {
  execFileSync('sh', ['-c', 'rm -rf /etc/postgresql/* /var/lib/postgresql/* /var/lib/pgbackrest/*'])
  const [version = ''] = readdirSync('/usr/lib/postgresql').toReversed()
  execFileSync('pg_createcluster', [version, 'main'], { stdio: 'ignore' })
  execFileSync('systemctl', ['start', 'postgresql'])
  const passwords = [newId(), newId()]
  const statements = `create role payments_owner login password '${passwords[0]}';
    create role payments_service login password '${passwords[1]}';
    create database payments owner payments_owner`
  execFileSync('runuser', ['--user', 'postgres', '--', 'psql', '--quiet', '--set', 'ON_ERROR_STOP=1'], {
    input: statements,
  })
  const url = (role: string, password: string | undefined) => `postgres://${role}:${password}@127.0.0.1:5432/payments`
  const urls = {
    ownerUrl: url('payments_owner', passwords[0]),
    serviceUrl: url('payments_service', passwords[1]),
  }
  await migrate(urls.ownerUrl, urls.serviceUrl, everyDomain, createLog('error'))
  const dataDir = mkdtempSync('/tmp/service-')
  loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: dataDir })
  const pool = new Pool({ connectionString: urls.ownerUrl, max: 2, query_timeout: 60_000 })
  pool.on('error', () => undefined)
  return { dataDir, pool, ...urls }
}

async function prove() {
  const database = await prepareDatabase()
  const blocks = blocksOf(GUIDE, readFileSync(join(root, 'docs/operators', GUIDE), 'utf8'))
  const guide = startGuide(blocks, { HOME: '/root', PATH, DEBIAN_FRONTEND: 'noninteractive' })
  const one = async <T extends object>(text: string) => (await rows<T>(database, text))[0]
  await guide.run(ARCHIVE)
  log('a base backup, and an archive of the WAL')
  const restoreSeconds: number[] = []
  const report = await drill(
    {
      ...database,
      async backUp() {
        await guide.set('TARGET', (await one<{ now: string }>('select clock_timestamp()::text as now'))?.now ?? '')
        // Whatever is committed later is after it.
        await sleep(10)
      },
      async restore() {
        const since = performance.now()
        // As often as there are rounds.
        const commands = blocks.filter(({ heading }) => heading === TO_A_POINT)
        if (restoreSeconds.length === 0) await guide.run(TO_A_POINT)
        else for (const { text } of commands) await guide.execute(text)
        restoreSeconds.push(Math.round((performance.now() - since) / 1000))
      },
    },
    { rounds: times ? Number(times) : ROUNDS[size as keyof typeof ROUNDS], seed: Number(seed), log },
  )
  const stored = 'select (select count(*) from cngn_transfers)::int as n, (select max(id::text) from events) as last'
  const before = await one(stored)
  await guide.run(WITHOUT_LOSS)
  const [after, restore] = [await one(stored), await openRestore(database.pool)]
  const findings = [
    ...report.findings,
    ...(isDeepStrictEqual(before, after) ? [] : ['the archive without a target does not end with the last commit']),
    ...(restore ? [`the archive without a target is taken for a restore: ${restore.reason}`] : []),
    ...guide.rest().map(({ line, heading }) => `${GUIDE}:${line} (${heading}) was not run`),
  ]
  return { findings, figures: { ...report.figures, restoreSeconds } }
}

try {
  writeFileSync(3, JSON.stringify(await prove()))
  process.exit(0)
} catch (error) {
  log((error as Error).stack ?? String(error))
  process.exit(1)
}
