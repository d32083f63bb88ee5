import { setTimeout as sleep } from 'node:timers/promises'
import { system } from '@payments/kernel'
import type { ProofReport } from '@payments/proof'
import {
  foundOrganisation,
  runService,
  type ServiceProcess,
  samples,
  sharedSettings,
  startDatabase,
  startProcesses,
  WALLETS,
} from '@payments/stand'
import { Client } from 'pg'
import { costOf } from '../servers/cost.ts'
import { LARGE } from '../servers/servers.ts'
import { multiply } from '../tables/multiply.ts'

const OPEN = Math.round(1_000_000 * Number(process.env.BENCH_SCALE ?? 1))
const SECONDS = 30
/** An interval of each object, seconds: the longest of what has been open for a day. */
const INTERVAL = 3600
/** No object may be polled later than twice its interval after its last poll: so long after it is due. */
const MOST_LATE = INTERVAL
/** Processor time of worker and server together while nothing is due, to that beside three open objects. */
const MOST_IDLE = 2

/** What is open, as a part of all; and where the time of its next poll is. */
interface Kind {
  readonly name: string
  readonly share: number
  readonly objects: string
  readonly polls: string
}

const KINDS: readonly Kind[] = [
  { name: 'payment routes', share: 0.5, objects: 'payment_routes', polls: 'payment_route_polls' },
  { name: 'offramps', share: 0.25, objects: 'offramps', polls: 'fiat_polls' },
  { name: 'swaps', share: 0.25, objects: 'swaps', polls: 'swap_polls' },
]

/**
 * A worker beside 10⁶ open objects (BENCH_SCALE: a part of them) with the sandbox's providers: what it costs while none is due, how many it polls where all are due, and
 * whether it keeps up where each is due once an hour. What real providers allow, and how long they take, comes on top.
 */
export async function benchOpen(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase({ settings: LARGE })
  const client = new Client({ connectionString: at.ownerUrl })
  try {
    const { process, stop } = await runService(at, { settings: { DATA_DIR: at.dataDir }, logLevel: 'fatal' })
    const organisationId = await foundOrganisation(process.runtime)
    const caller = process.createCaller(system(organisationId, 'test'))
    await caller.paymentRoutes.create(samples.route.body())
    await caller.offramps.create(samples.offramp.body())
    await caller.swaps.create(samples.swap.body({ refundAddress: WALLETS.solana }))
    await stop()
    await client.connect()
    const besideWorker = async <T>(run: (worker: ServiceProcess) => Promise<T>): Promise<T> => {
      const processes = await startProcesses({ gateways: 0, workers: 1 }, { settings: sharedSettings(at, {}) })
      try {
        await processes.ready()
        return await run(processes.workers[0] as ServiceProcess)
      } finally {
        await processes.stop()
      }
    }
    for (const { polls } of KINDS) await due(client, polls, "now() + interval '1 day'")
    const few = await besideWorker((worker) => idleCores(client, worker))
    await fill(client)
    print(`  ${OPEN} open objects`)
    return await besideWorker((worker) => measure(print, client, worker, few))
  } finally {
    await client.end()
    await at.close()
  }
}

/** Copies each object with the row that the sandbox keeps of it. None is due, and none ends while this runs. */
async function fill(client: Client): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query("update swaps set deposits_until = now() + interval '1 day'")
  await client.query("update sandbox_fiat_orders set expires_at = now() + interval '1 year'")
  for (const { objects, share } of KINDS) await multiply(client, objects, Math.round(OPEN * share))
  for (const [table, id, objects] of [
    ['payment_route_polls', 'id', 'payment_routes'],
    ['fiat_polls', 'id', 'offramps'],
    ['swap_polls', 'id', 'swaps'],
    ['sandbox_fiat_orders', 'reference', 'offramps'],
  ] as const)
    await client.query(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('${id}', o.id))).*
         from ${table} t, ${objects} o where t.${id} = (select ${id} from ${table} limit 1) and o.id <> t.${id}`,
    )
  for (const { polls } of KINDS) await due(client, polls, "now() + interval '1 day'")
  await client.query('vacuum analyze')
}

/** Sets when each is polled next. The worker waits meanwhile: it locks the same rows in another order. */
const due = (client: Client, polls: string, at: string): Promise<unknown> =>
  client.query(
    `lock table ${polls} in share row exclusive mode; update ${polls} set poll_seconds = ${INTERVAL}, next_poll_at = ${at}`,
  )

/** What worker and server take of a core while nothing is due. */
async function idleCores(client: Client, worker: ServiceProcess): Promise<number> {
  const { workers, server, seconds } = await costOf({ client, gateways: [], workers: [worker] }, () =>
    sleep(SECONDS * 1000),
  )
  return (workers + server) / 1e6 / seconds
}

async function measure(
  print: (line: string) => void,
  client: Client,
  worker: ServiceProcess,
  few: number,
): Promise<ProofReport> {
  const idle = await idleCores(client, worker)
  const idleRatio = hundredth(idle / few)
  print(`  nothing is due: ${hundredth(idle)} of a core, ${idleRatio} of what it is beside three objects`)
  const polled: Record<string, { readonly perSecond: number; readonly microseconds: number }> = {}
  for (const { name, polls } of KINDS) {
    await due(client, polls, "now() - interval '1 second'")
    await client.query(`vacuum analyze ${polls}`)
    const before = await waiting(client, polls)
    const cost = await costOf({ client, gateways: [], workers: [worker] }, () => sleep(SECONDS * 1000))
    const done = before - (await waiting(client, polls))
    await due(client, polls, "now() + interval '1 day'")
    const microseconds = Math.round((cost.workers + cost.server) / done)
    polled[name] = { perSecond: Math.round(done / cost.seconds), microseconds }
    print(
      `  ${name.padEnd(16)}${Math.round(done / cost.seconds)} polls a second, each ${Math.round(cost.workers / done)} µs of the worker and ${Math.round(cost.server / done)} µs of the server`,
    )
  }
  for (const { polls } of KINDS) await due(client, polls, `now() + random() * interval '${INTERVAL} seconds'`)
  await client.query('vacuum analyze')
  const hourly = await costOf({ client, gateways: [], workers: [worker] }, () => sleep(2 * SECONDS * 1000))
  const hourlyCores = hundredth((hourly.workers + hourly.server) / 1e6 / hourly.seconds)
  const late: number[] = []
  for (const { polls } of KINDS) late.push(await latest(client, polls))
  const lateSeconds = Math.max(...late)
  print(`  each is due once an hour: ${hourlyCores} cores, the latest is due for ${lateSeconds} s`)
  return {
    findings: [
      ...(idleRatio > MOST_IDLE ? [`${idleRatio} times as much while nothing is due as beside three objects`] : []),
      ...(lateSeconds > MOST_LATE ? [`an object is polled ${lateSeconds} s late`] : []),
    ],
    figures: { openObjects: OPEN, idleCores: hundredth(idle), idleRatio, polled, hourlyCores, lateSeconds },
  }
}

const hundredth = (value: number): number => Math.round(value * 100) / 100

const waiting = async (client: Client, polls: string): Promise<number> =>
  (await client.query<{ count: number }>(`select count(*)::int as count from ${polls} where next_poll_at < now()`))
    .rows[0]?.count ?? 0

const latest = async (client: Client, polls: string): Promise<number> =>
  (
    await client.query<{ late: number }>(
      `select greatest(0, extract(epoch from now() - min(next_poll_at)))::int as late from ${polls}`,
    )
  ).rows[0]?.late ?? 0
