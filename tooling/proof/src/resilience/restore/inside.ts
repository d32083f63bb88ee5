// The drill with pgBackRest, on the machine that machine.sh makes: `node inside.ts <size> <seed> [<times>]`. Writes its report to file descriptor 3.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { root } from '@payments/checks'
import { newId } from '@payments/kernel'
import { openRestore } from '@payments/platform'
import { rows } from '@payments/stand'
import { blocksOf, startGuide } from '../machine/guide.ts'
import { migrated, options, PATH, report } from '../machine/program.ts'
import { drill } from './drill.ts'

const { size, seed, times, log } = options
const ROUNDS = { short: 1, full: 10 }
const GUIDE = 'backup.md'
const ARCHIVE = 'An archive of the WAL'
const WITHOUT_LOSS = 'Restore without loss'
const TO_A_POINT = 'Restore to an earlier point'

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
  return migrated(urls, 60_000)
}

async function prove() {
  const database = await prepareDatabase()
  const blocks = blocksOf(GUIDE, readFileSync(join(root, 'docs/operators', GUIDE), 'utf8'))
  const guide = startGuide(blocks, { HOME: '/root', PATH, DEBIAN_FRONTEND: 'noninteractive' })
  const one = async <T extends object>(text: string) => (await rows<T>(database, text))[0]
  await guide.run(ARCHIVE)
  log('a base backup, and an archive of the WAL')
  const restoreSeconds: number[] = []
  const drilled = await drill(
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
    { rounds: times ?? ROUNDS[size], seed, log },
  )
  const stored = 'select (select count(*) from cngn_transfers)::int as n, (select max(id::text) from events) as last'
  const before = await one(stored)
  await guide.run(WITHOUT_LOSS)
  const [after, restore] = [await one(stored), await openRestore(database.pool)]
  const findings = [
    ...drilled.findings,
    ...(isDeepStrictEqual(before, after) ? [] : ['the archive without a target does not end with the last commit']),
    ...(restore ? [`the archive without a target is taken for a restore: ${restore.reason}`] : []),
    ...guide.rest().map(({ line, heading }) => `${GUIDE}:${line} (${heading}) was not run`),
  ]
  return { findings, figures: { ...drilled.figures, restoreSeconds } }
}

await report(prove)
