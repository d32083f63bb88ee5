import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '@payments/stand'
import { rows, type StandDatabase } from '@payments/stand'
import type { Cluster } from './cluster.ts'
import { type Load, type Seen, startLoad, type Tenant } from './load.ts'

/** What one phase found, with its figures. */
export interface Phase {
  readonly findings: string[]
  readonly figures: Record<string, unknown>
}

const CLIENTS = 8

/** Each place of what a load creates, with its ids there. */
const STORED = [
  ['customers', 'stored', 'select id from customers where organisation_id = any ($1)'],
  ['routes', 'stored', 'select id from payment_routes where organisation_id = any ($1)'],
  ['payouts', 'stored', "select id from cngn_transfers where kind = 'payout' and organisation_id = any ($1)"],
  [
    'payouts',
    'in the journal',
    `select e.source_id as id from ledger_entries e
      where e.source_type = 'cngn_payout' and e.step = 'reserve' and e.organisation_id = any ($1)`,
  ],
  [
    'payouts',
    'among the events',
    "select resource_id as id from events where type = 'cngn.payout.created' and organisation_id = any ($1)",
  ],
] as const

/** Where a load goes: an address, and organisations of its own. */
export interface Served {
  readonly url: string
  newTenant(): Promise<Tenant>
}

/** Runs a phase under load, and compares what was acknowledged in it with what is stored. */
export async function underLoad(
  database: Pick<StandDatabase, 'pool'>,
  served: Served,
  phase: (load: Load) => Promise<Phase>,
  clients = CLIENTS,
  patient = false,
): Promise<Phase> {
  const tenants = await Promise.all([served.newTenant(), served.newTenant()])
  const load = startLoad(served.url, tenants, clients, patient)
  let done: Phase
  try {
    await sleep(500)
    done = await phase(load)
  } finally {
    await load.stop()
  }
  const findings = [...done.findings]
  const organisations = tenants.map(({ organisationId }) => organisationId)
  for (const [kind, place, sql] of STORED) {
    const stored = await rows<{ id: string }>(database, sql, [organisations])
    const ids = new Set(stored.map(({ id }) => id))
    if (ids.size < stored.length) findings.push(`${stored.length - ids.size} ${kind} are ${place} twice`)
    for (const id of load.acknowledged[kind])
      if (!ids.has(id)) findings.push(`${kind} ${id} was acknowledged and is not ${place}`)
    for (const id of ids)
      if (!load.acknowledged[kind].has(id)) findings.push(`${kind} ${id} is ${place} and was not acknowledged`)
  }
  return { findings, figures: done.figures }
}

export const failuresOf = (name: string, seen: Seen): string[] =>
  [...new Set(seen.failures)].slice(0, 10).map((failure) => `${name}: ${failure}`)

/** One gateway and one worker are killed and started again. Only what the killed gateway had accepted may be lost. */
export async function killOneOfEach(
  cluster: Cluster,
  load: Load,
  rounds: number,
  afterwards: () => Promise<unknown>,
): Promise<Phase> {
  const findings: string[] = []
  const figures = { kills: 0, requests: 0, lost: 0 }
  for (let round = 0; round < rounds; round++) {
    const [gateway, worker] = [cluster.gateways[round % 2], cluster.workers[round % 2]] as [
      ServiceProcess,
      ServiceProcess,
    ]
    const before = cluster.proxy.lost.length
    const from = Date.now()
    await Promise.all([gateway.kill(), worker.kill()])
    const until = Date.now()
    await sleep(500)
    await cluster.ready()
    await sleep(500)
    figures.kills += 2
    for (const { backend, line, why, at } of cluster.proxy.lost.slice(before))
      if (backend !== gateway.url || at > until)
        findings.push(`${line} was lost at ${backend} ${at - from} ms after the kill of ${gateway.url}: ${why}`)
  }
  await afterwards()
  const seen = load.take()
  figures.requests = seen.requests
  figures.lost = seen.lost
  return { findings: [...findings, ...failuresOf('a process killed', seen)], figures }
}

/** How the processes of a rolling restart come back. */
export interface Replacement {
  readonly name: string
  readonly rounds: number
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  /** The proxy is told of each stop: an earlier version does not wait for it to notice. */
  readonly announced: boolean
}

/** Every process in turn is told to stop and started again. Nothing may be lost. */
export async function replaceInTurn(cluster: Cluster, load: Load, replacement: Replacement): Promise<Phase> {
  const { name, rounds, announced, ...changed } = replacement
  const lostBefore = cluster.proxy.lost.length
  load.take()
  const codes: (number | null)[] = []
  for (let round = 0; round < rounds; round++) {
    for (const index of [0, 1]) {
      const [gateway, worker] = [cluster.gateways[index], cluster.workers[index]] as [ServiceProcess, ServiceProcess]
      if (announced) await cluster.proxy.exclude(gateway.url)
      codes.push(...(await Promise.all([gateway.stop(), worker.stop()])))
      gateway.start(changed)
      worker.start(changed)
      await cluster.ready()
      cluster.proxy.include(gateway.url)
      // Until the proxy has seen that it is ready.
      await sleep(300)
    }
  }
  const seen = load.take()
  const lost = cluster.proxy.lost.slice(lostBefore)
  const findings = [
    ...failuresOf(name, seen),
    ...lost.map(({ backend, line, why }) => `${name}: ${line} was lost at ${backend}: ${why}`),
    ...codes.filter((code) => code !== 0).map((code) => `${name}: a process ended with ${code}`),
  ]
  return { findings, figures: { restarts: 4 * rounds, requests: seen.requests, lost: lost.length } }
}
