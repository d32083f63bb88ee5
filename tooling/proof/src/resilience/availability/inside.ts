// The proof itself, on the machine that machine.sh makes: `node inside.ts <size> <seed> [<times>]`. Writes its report to file descriptor 3.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { newId } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { createLog, migrate } from '@payments/platform'
import { percentile } from '@payments/stand'
import { Pool } from 'pg'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import type { Load } from '../cluster/load.ts'
import { failuresOf, type Phase, underLoad } from '../cluster/phases.ts'
import {
  allFollow,
  connect,
  type DatabaseServer,
  fillDisk,
  killPostgres,
  primaryOf,
  SUPERUSER,
  signal,
  startServer,
  startServers,
  switchOver,
  urlOf,
} from './servers.ts'

const [, , size = 'short', , times] = process.argv
/** The machine has three servers and four processes of the service on its processors. */
const CLIENTS = 3
const PATIENCE_MS = 90_000
/** How long an operator takes to notice a full disk: its alert needs no longer. */
const NOTICE_MS = 5000

/** What happens to the primary, and how it comes back. */
interface Fault {
  readonly name: string
  inflict(primary: DatabaseServer, servers: readonly DatabaseServer[]): Promise<unknown> | unknown
  heal(former: DatabaseServer, servers: readonly DatabaseServer[]): unknown
}

const nothing = () => undefined
const FAULTS: readonly Fault[] = [
  { name: 'PostgreSQL killed', inflict: killPostgres, heal: nothing },
  { name: 'cut off', inflict: (primary) => connect(primary, false), heal: (former) => connect(former, true) },
  { name: 'switched over', inflict: switchOver, heal: nothing },
  { name: 'power lost', inflict: (primary) => signal(primary, 'KILL'), heal: startServer },
  { name: 'paused', inflict: (primary) => signal(primary, 'STOP'), heal: (former) => signal(former, 'CONT') },
  {
    name: 'disk full',
    // PostgreSQL refuses what needs space and stays the primary: somebody has to act, as docs/operators/high-availability.md says.
    async inflict(primary, servers) {
      fillDisk(primary, true)
      await sleep(NOTICE_MS)
      switchOver(primary, servers)
    },
    heal: (former) => fillDisk(former, false),
  },
]
const ROUNDS = times ? Number(times) : size === 'full' ? 24 : 3

const started = performance.now()
const log = (line: string) =>
  void process.stdout.write(`${Math.round((performance.now() - started) / 1000)} s: ${line}\n`)

/** Roles and an empty database, as docs/operators/production.md creates them, migrated by the owner. */
async function prepareDatabase() {
  const administrator = new Pool({ connectionString: urlOf(SUPERUSER, 'postgres'), max: 1 })
  const owner = { username: 'payments_owner', password: newId() }
  const service = { username: 'payments_service', password: newId() }
  for (const { username, password } of [owner, service])
    await administrator.query(`create role ${username} login password '${password}'`)
  await administrator.query('create database payments owner payments_owner')
  await administrator.end()
  const urls = { ownerUrl: urlOf(owner, 'payments'), serviceUrl: urlOf(service, 'payments') }
  await migrate(urls.ownerUrl, urls.serviceUrl, everyDomain, createLog('error'))
  const dataDir = mkdtempSync('/tmp/service-')
  loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: dataDir })
  const pool = new Pool({ connectionString: urls.ownerUrl, max: 2, query_timeout: 10_000 })
  pool.on('error', nothing)
  return { dataDir, pool, ...urls }
}

/** One fault: until a server was promoted and writes are acknowledged, and then until all three follow again. */
async function strike(fault: Fault, servers: readonly DatabaseServer[], load: Load, acknowledged: () => number) {
  const former = await primaryOf(servers)
  if (!former) throw new Error('No server is the primary')
  const others = servers.filter((each) => each !== former.server)
  load.take()
  await fault.inflict(former.server, servers)
  const end = Date.now() + PATIENCE_MS
  const until = async (what: string, done: () => Promise<boolean> | boolean) => {
    while (!(await done())) {
      if (Date.now() > end) throw new Error(`${fault.name}: ${what} not within ${PATIENCE_MS / 1000} s`)
      await sleep(100)
    }
  }
  await until('another primary', async () => ((await primaryOf(others))?.timeline ?? 0) > former.timeline)
  const before = acknowledged()
  await until('an acknowledged write', () => acknowledged() > before + CLIENTS)
  const seen = load.take()
  fault.heal(former.server, servers)
  await allFollow(servers)
  return seen
}

async function strikeInTurn(servers: readonly DatabaseServer[], cluster: Cluster, load: Load): Promise<Phase> {
  const findings: string[] = []
  const pauses = new Map<string, number[]>()
  let requests = 0
  let refused = 0
  const acknowledged = () => load.acknowledged.customers.size + load.acknowledged.routes.size
  for (let round = 0; round < ROUNDS; round++) {
    const fault = FAULTS[round % FAULTS.length] as Fault
    const seen = await strike(fault, servers, load, acknowledged)
    pauses.set(fault.name, [...(pauses.get(fault.name) ?? []), seen.longestPauseMs])
    requests += seen.requests
    refused += seen.refused
    findings.push(...failuresOf(fault.name, seen))
    await cluster.ready()
    log(`${fault.name}: ${seen.longestPauseMs} ms without writes, ${seen.refused} of ${seen.requests} refused`)
  }
  const restarted = [...cluster.gateways, ...cluster.workers].filter((each) => each.starts() > 1)
  findings.push(...restarted.map(({ role }) => `a ${role} ended, and was started again`))
  const all = [...pauses.values()].flat()
  return {
    findings,
    figures: {
      faults: ROUNDS,
      requests,
      refused,
      acknowledgedWrites: acknowledged(),
      withoutWritesP50Ms: percentile(all, 0.5),
      withoutWritesMs: Object.fromEntries(pauses),
    },
  }
}

async function prove(): Promise<Phase> {
  const servers = await startServers()
  log('three servers')
  const database = await prepareDatabase()
  const cluster = await startCluster(database)
  log('two gateways, two workers')
  const { findings, figures } = await underLoad(
    database,
    cluster,
    (load) => strikeInTurn(servers, cluster, load),
    CLIENTS,
    true,
  )
  const ledger = await checkLedger({ pool: database.pool, domains: everyDomain })
  findings.push(...ledger.findings.map(({ check, id, message }) => `ledger, ${check} ${id}: ${message}`))
  findings.push(...cluster.errors())
  if (findings.length > 0) log(cluster.output().slice(-6000))
  return { findings, figures }
}

try {
  writeFileSync(3, JSON.stringify(await prove()))
  process.exit(0)
} catch (error) {
  for (const name of ['one', 'two', 'three'])
    for (const program of ['etcd', 'patroni']) {
      const lines = readFileSync(`/tmp/${name}-${program}.log`, 'utf8').split('\n')
      log(
        `${name} ${program}: ${lines
          .filter((line) => !line.includes('no action'))
          .slice(-150)
          .join('\n')}`,
      )
    }
  log((error as Error).stack ?? String(error))
  process.exit(1)
}
