import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofReport } from '@payments/proof'
import {
  newKey,
  type ServiceProcess,
  senderOf,
  sharedSettings,
  startDatabase,
  startProcesses,
  startReceiver,
  until,
} from '@payments/stand'
import { Client } from 'pg'
import { type Cost, type Counted, costOf } from '../servers/cost.ts'
import { LARGE } from '../servers/servers.ts'
import { benchCarried } from './carried.ts'
import { deliveries, ended, KINDS, type Kind, type Merchant, payOne, unsent, withEndpoints } from './paid.ts'

const PAYMENTS = Math.max(20, Math.round(1000 * Number(process.env.BENCH_SCALE ?? 1)))
/** Before they are counted: code is compiled, and each connection has planned what it repeats. */
const WARM_UP = PAYMENTS / 5
const ORGANISATIONS = 8
const AT_ONCE = 16
const IDLE_SECONDS = 10
const PATIENCE = { patienceMs: 300_000, everyMs: 100 }
/** What the plan of `docs/decisions/scaling.md` is for. */
const PER_SECOND = 10_000

/** The role of the gateway that payers use: its sessions are not counted. */
const PAYERS = 'payers'

/**
 * What one payment costs from its creation to its last webhook, in a gateway, a worker and the database server, with the sandbox's providers and an endpoint for each organisation: processor time,
 * without that of idle processes, and bytes of the write-ahead log. What payers do in the sandbox, which the service does not do for real ones, goes through a gateway that is not counted;
 * what its providers read in the same database when they are asked is.
 * Of all kinds together, also the rate that the machine carries.
 */
export async function benchPayments(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase({ settings: LARGE })
  const client = new Client({ connectionString: at.ownerUrl })
  const receiver = await startReceiver({ keeps: false })
  try {
    await client.connect()
    const settings = sharedSettings(at, { WEBHOOK_DEV_TARGETS: receiver.origin })
    const { username, password } = new URL(at.serviceUrl)
    await client.query(`create role ${PAYERS} login password '${password}' in role ${username}`)
    const ofPayers = { ...settings, DATABASE_URL: at.serviceUrl.replace(username, PAYERS) }
    const keys: string[] = []
    while (keys.length < ORGANISATIONS) keys.push(await newKey(at))
    const beside = async <T>(
      processes: number,
      run: (counted: Counted, merchants: readonly Merchant[]) => Promise<T>,
    ) => {
      const started = await startProcesses({ gateways: processes, workers: processes }, { settings })
      const payers = await startProcesses({ gateways: 1, workers: 0 }, { settings: ofPayers })
      try {
        await Promise.all([started.ready(), payers.ready()])
        const { gateways } = started
        const merchants = keys.map((key, index) => ({
          post: senderOf(gateways[index % processes] as ServiceProcess, key),
          pay: senderOf(payers.gateways[0] as ServiceProcess, key),
        }))
        return await run({ client, apart: PAYERS, ...started }, merchants)
      } finally {
        await Promise.all([started.stop(), payers.stop()])
      }
    }
    const eachPayment = await beside(1, async (counted, merchants) => {
      await withEndpoints(merchants, receiver)
      return await measure(print, counted, merchants)
    })
    if (KINDS.length === 1) return { findings: [], figures: { payments: PAYMENTS, eachPayment } }
    const carried = await beside(2, (counted, merchants) => benchCarried(print, counted, merchants))
    const findings = carried ? [] : ['No rate of payments is carried']
    return { findings, figures: { payments: PAYMENTS, eachPayment, ...(carried && { carried }) } }
  } finally {
    await receiver.close()
    await client.end()
    await at.close()
  }
}

async function measure(
  print: (line: string) => void,
  counted: Counted,
  merchants: readonly Merchant[],
): Promise<object> {
  const { client } = counted
  for (const kind of KINDS) await payAll(client, kind, merchants, WARM_UP)
  const idle = await costOf(counted, () => sleep(IDLE_SECONDS * 1000))
  const figures: Record<string, object> = {}
  for (const kind of KINDS) {
    const before = await deliveries(client)
    const cost = await costOf(counted, () => payAll(client, kind, merchants, PAYMENTS))
    const each = forEach(cost, idle)
    const webhooks = Math.round((10 * ((await deliveries(client)) - before)) / PAYMENTS) / 10
    figures[kind.name] = { ...each, webhooks }
    const cores = Math.round(((each.gateway + each.worker + each.server) * PER_SECOND) / 1e6)
    print(
      `  ${kind.name.padEnd(14)}${each.gateway} µs of the gateway, ${each.worker} µs of the worker, ${each.server} µs of the server, ` +
        `${each.log} bytes of its log, ${webhooks} webhooks: ${PER_SECOND} a second take ${cores} cores`,
    )
  }
  return figures
}

/** Of one payment, without what idle processes take. */
function forEach(cost: Cost, idle: Cost) {
  const of = (part: 'gateways' | 'workers' | 'server' | 'log') =>
    Math.round((cost[part] - (idle[part] / idle.seconds) * cost.seconds) / PAYMENTS)
  return { gateway: of('gateways'), worker: of('workers'), server: of('server'), log: of('log') }
}

/** Makes so many payments, and waits until all have ended and each of their events has been sent. */
async function payAll(client: Client, kind: Kind, merchants: readonly Merchant[], payments: number): Promise<void> {
  const before = await ended(client, kind)
  let next = 0
  const lane = async () => {
    while (next < payments) await payOne(kind, merchants[next++ % merchants.length] as Merchant)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const haveEnded = async () => (await ended(client, kind)) >= before + payments
  await until(`${kind.name}: all have ended`, haveEnded, PATIENCE)
  await until(`${kind.name}: all webhooks are sent`, async () => (await unsent(client)) === 0, PATIENCE)
}
