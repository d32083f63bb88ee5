import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofReport } from '@payments/proof'
import {
  newKey,
  type Receiver,
  type Sample,
  type ServiceProcess,
  type ServiceProcesses,
  START_SESSION,
  samples,
  senderOf,
  sharedSettings,
  startDatabase,
  startProcesses,
  startReceiver,
  until,
} from '@payments/stand'
import { Client } from 'pg'
import { COUNTING, showStatements, statementsOf } from '../profile/statements.ts'
import { type Cost, type Counted, costOf } from '../servers/cost.ts'
import { LARGE } from '../servers/servers.ts'

const PAYMENTS = Math.max(20, Math.round(1000 * Number(process.env.BENCH_SCALE ?? 1)))
/** Before they are counted: code is compiled, and each connection has planned what it repeats. */
const WARM_UP = PAYMENTS / 5
const ORGANISATIONS = 8
const AT_ONCE = 16
const IDLE_SECONDS = 10
const PATIENCE = { patienceMs: 300_000, everyMs: 100 }
/** What the plan of `docs/decisions/scaling.md` is for. */
const PER_SECOND = 10_000

interface Kind {
  readonly name: string
  readonly sample: Required<Pick<Sample, 'path' | 'body' | 'fund' | 'ended'>>
  /** Its kind in the list of transactions. */
  readonly kind: string
}

const ALL: readonly Kind[] = [
  { name: 'payment route', sample: samples.route, kind: 'payment_route' },
  { name: 'payment link', sample: samples.collection, kind: 'collection' },
  { name: 'swap', sample: samples.swap, kind: 'swap' },
  { name: 'offramp', sample: samples.offramp, kind: 'offramp' },
  { name: 'onramp', sample: samples.onramp, kind: 'onramp' },
]

/** Also shows the statements of each kind, which makes all of them a little slower. */
const WITH_STATEMENTS = process.env.BENCH_STATEMENTS !== undefined

/** Those of which the name has `BENCH_CASE` in it. */
const KINDS = ALL.filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))

/** A merchant over REST. */
type Post = (line: string, body: object) => Promise<{ readonly id: string }>

/**
 * What one payment costs from its creation to its last webhook, in a gateway, a worker and the database server, with the sandbox's providers and an endpoint for each organisation: processor time,
 * without that of idle processes, and bytes of the write-ahead log. The sandbox keeps its side of a payment in the same database, which a real provider does not.
 */
export async function benchPayments(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase({ settings: WITH_STATEMENTS ? [...LARGE, ...COUNTING] : LARGE })
  const client = new Client({ connectionString: at.ownerUrl })
  const receiver = await startReceiver({ keeps: false })
  let processes: ServiceProcesses | undefined
  try {
    await client.connect()
    const settings = sharedSettings(at, { WEBHOOK_DEV_TARGETS: receiver.origin })
    processes = await startProcesses({ gateways: 1, workers: 1 }, { settings })
    await processes.ready()
    const [gateway, worker] = [processes.gateways[0] as ServiceProcess, processes.workers[0] as ServiceProcess]
    const keys: string[] = []
    while (keys.length < ORGANISATIONS) keys.push(await newKey(at))
    const merchants = keys.map((key) => senderOf(gateway, key))
    await withEndpoints(merchants, receiver)
    return await measure(print, { client, gateway, worker }, merchants)
  } finally {
    await processes?.stop()
    await receiver.close()
    await client.end()
    await at.close()
  }
}

async function withEndpoints(merchants: readonly Post[], { origin }: Receiver): Promise<void> {
  for (const [index, post] of merchants.entries()) await post('POST /v1/webhooks', { url: `${origin}/${index}` })
}

async function measure(
  print: (line: string) => void,
  counted: Counted,
  merchants: readonly Post[],
): Promise<ProofReport> {
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
    if (WITH_STATEMENTS)
      showStatements(print, await statementsOf(client, PAYMENTS, () => payAll(client, kind, merchants, PAYMENTS)))
  }
  return { findings: [], figures: { payments: PAYMENTS, eachPayment: figures } }
}

/** Of one payment, without what idle processes take. */
function forEach(cost: Cost, idle: Cost) {
  const of = (part: 'gateway' | 'worker' | 'server' | 'log') =>
    Math.round((cost[part] - (idle[part] / idle.seconds) * cost.seconds) / PAYMENTS)
  return { gateway: of('gateway'), worker: of('worker'), server: of('server'), log: of('log') }
}

/** Makes so many payments, and waits until all have ended and each of their events has been sent. */
async function payAll(client: Client, kind: Kind, merchants: readonly Post[], payments: number): Promise<void> {
  const before = await ended(client, kind)
  let next = 0
  const lane = async () => {
    while (next < payments) await payOne(kind, merchants[next++ % merchants.length] as Post)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const haveEnded = async () => (await ended(client, kind)) >= before + payments
  await until(`${kind.name}: all have ended`, haveEnded, PATIENCE)
  await until(`${kind.name}: all webhooks are sent`, async () => (await unsent(client)) === 0, PATIENCE)
}

async function payOne({ sample, kind }: Kind, post: Post): Promise<void> {
  const { id } = await post(`POST ${sample.path}`, sample.body())
  const paid = kind === 'collection' ? (await post(`POST /v1/pay/${id}`, START_SESSION)).id : id
  await post(...sample.fund(paid))
}

const count = async (client: Client, text: string, values: unknown[] = []): Promise<number> =>
  (await client.query<{ count: number }>(text, values)).rows[0]?.count ?? 0

const ended = (client: Client, { kind, sample }: Kind): Promise<number> =>
  count(client, 'select count(*)::int as count from transactions where kind = $1 and status = $2', [kind, sample.ended])

const deliveries = (client: Client): Promise<number> =>
  count(client, 'select count(*)::int as count from webhook_deliveries')

const unsent = (client: Client): Promise<number> =>
  count(
    client,
    `select (select count(*) from events where drained_at is null)::int
          + (select count(*) from webhook_deliveries where status = 'pending')::int as count`,
  )
