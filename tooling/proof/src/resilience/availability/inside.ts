// The proof itself, on the machine that machine.sh makes: `node inside.ts <size> <seed> [<times>]`. Writes its report to file descriptor 3.
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import { call, cngnCustomer, percentile } from '@payments/stand'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import type { Load, Tenant } from '../cluster/load.ts'
import { failuresOf, type Phase, underLoad } from '../cluster/phases.ts'
import { checkEffects } from '../crash/effects.ts'
import { migrated, options, report } from '../machine/program.ts'
import { FAULTS, type Fault, loseMajority, strike } from './faults.ts'
import { urlOf } from './members.ts'
import { type DatabaseServer, operate, unread } from './operators.ts'
import { startServers } from './servers.ts'

const { size, times, log } = options
/** The machine has three servers and four processes of the service on its processors. */
const CLIENTS = 3
const SIZES = {
  short: { faults: ['PostgreSQL killed', 'disk full'], rounds: 2, withoutMajorityMs: 0 },
  full: { faults: FAULTS.map(({ name }) => name), rounds: 28, withoutMajorityMs: 30_000 },
}
/** Until payouts that were acknowledged have ended, and their events were sent. */
const PATIENCE_MS = 60_000
/** What the promise allows (docs/reliability.md). */
const WITHOUT_WRITES_P50_MS = 15_000

/** Roles and an empty database, as the guide creates them, migrated by the owner. */
async function prepareDatabase() {
  const [OWNER_PASSWORD, SERVICE_PASSWORD] = [newId(), newId()]
  await operate(['Database'], undefined, { OWNER_PASSWORD, SERVICE_PASSWORD })
  const ownerUrl = urlOf({ username: 'payments_owner', password: OWNER_PASSWORD }, 'payments')
  const serviceUrl = urlOf({ username: 'payments_service', password: SERVICE_PASSWORD }, 'payments')
  return migrated({ ownerUrl, serviceUrl }, 10_000)
}

/** An organisation with a customer that has enough cNGN for all payouts. */
async function newTenant(cluster: Cluster): Promise<Tenant> {
  const tenant = await cluster.newTenant()
  const payer = await cngnCustomer((line, body) => call(cluster, line, { token: tenant.key, body }), '10000000')
  return { ...tenant, payer }
}

async function strikeInTurn(servers: readonly DatabaseServer[], cluster: Cluster, load: Load): Promise<Phase> {
  const { faults, withoutMajorityMs, ...usual } = SIZES[size]
  const rounds = times ?? usual.rounds
  const findings: string[] = []
  const pauses = new Map<string, number[]>()
  const sums = { requests: 0, refused: 0, repeated: 0, longestPauseOfReturnMs: 0 }
  for (let round = 0; round < rounds; round++) {
    const fault = FAULTS.find(({ name }) => name === faults[round % faults.length]) as Fault
    const { down, healed } = await strike(fault, servers, load)
    pauses.set(fault.name, [...(pauses.get(fault.name) ?? []), down.longestPauseMs])
    const writes = [...down.writes, ...healed.writes]
    findings.push(...failuresOf(fault.name, down), ...failuresOf(`${fault.name}, and back`, healed))
    findings.push(...(await load.repeat(writes)).map((finding) => `${fault.name}: ${finding}`))
    sums.requests += down.requests + healed.requests
    sums.refused += down.refused + healed.refused
    sums.repeated += writes.length
    sums.longestPauseOfReturnMs = Math.max(sums.longestPauseOfReturnMs, healed.longestPauseMs)
    await cluster.ready()
    log(
      `${fault.name}: ${down.longestPauseMs} ms without writes, ${down.refused} of ${down.requests} refused; until it was back ${healed.longestPauseMs} ms, ${healed.refused} of ${healed.requests}`,
    )
  }
  const figures: Record<string, unknown> = {}
  if (withoutMajorityMs > 0) {
    const { seen, ...found } = await loseMajority(servers, load, cluster.gateways, withoutMajorityMs)
    findings.push(...failuresOf('without a majority', seen))
    if (found.acknowledged > 0) findings.push(`without a majority ${found.acknowledged} writes were acknowledged`)
    if (found.readyAgain > 0) findings.push('without a majority a gateway was ready')
    log(`without a majority: ${JSON.stringify(found)}`)
    figures.withoutMajority = { seconds: withoutMajorityMs / 1000, ...found }
  }
  const all = [...pauses.values()].flat()
  const p50 = percentile(all, 0.5)
  if (all.length >= FAULTS.length && p50 > WITHOUT_WRITES_P50_MS) findings.push(`the p50 without writes is ${p50} ms`)
  return {
    findings,
    figures: {
      ...{ faults: rounds, ...sums, acknowledgedWrites: load.writes() },
      ...{ withoutWritesP50Ms: p50, withoutWritesMs: Object.fromEntries(pauses), ...figures },
    },
  }
}

/** What the processes, and the proxy between them and the clients, say of it afterwards. */
function checkProcesses(cluster: Cluster) {
  const processes = [...cluster.gateways, ...cluster.workers]
  const restarted = processes.filter((each) => each.starts() > 1)
  return {
    findings: [
      ...restarted.map(({ role }) => `a ${role} ended, and was started again`),
      ...cluster.proxy.lost.map(({ line, why }) => `${line} was not answered: ${why}`),
      ...cluster.errors(),
    ],
    figures: { processes: processes.length, processRestarts: restarted.length },
  }
}

/** Every effect happened once, as soon as everything that is under way has ended. */
async function checkEnded(database: Parameters<typeof checkEffects>[0]): Promise<Phase> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(2000)) {
    const { findings, walked } = await checkEffects(database)
    if (findings.length === 0 || Date.now() > end) return { findings, figures: { ledger: walked } }
  }
}

/** What etcd and Patroni of the three wrote last. */
function logServers(): void {
  for (const file of globSync('/srv/*/var/log/{etcd,patroni}.log')) {
    const lines = readFileSync(file, 'utf8').split('\n')
    const last = lines.filter((line) => !line.includes('no action')).slice(-150)
    log(`${file}: ${last.join('\n')}`)
  }
}

async function prove(): Promise<Phase> {
  const servers = await startServers()
  log('three servers')
  const database = await prepareDatabase()
  const cluster = await startCluster(database)
  log('two gateways, two workers')
  const served = { url: cluster.url, newTenant: () => newTenant(cluster) }
  const phases = [
    await underLoad(database, served, (load) => strikeInTurn(servers, cluster, load), CLIENTS, true),
    checkProcesses(cluster),
    await checkEnded(database),
  ]
  const findings = [...phases.flatMap((phase) => phase.findings), ...unread()]
  if (findings.length > 0) logServers()
  return { findings, figures: Object.assign({}, ...phases.map(({ figures }) => figures)) }
}

await report(prove, logServers)
