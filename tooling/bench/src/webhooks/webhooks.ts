// Webhooks against a hand-written floor: `node tooling/bench/src/webhooks/webhooks.ts`.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EventMerchant,
  type EventStand,
  embeddedEventStand,
  median,
  percentile,
  type Receivers,
  startReceivers,
} from '@payments/stand'
import { createFloor, deliverAll } from './floor.ts'

const ENDPOINTS = 20
/** Attempts in flight to one endpoint, in the service and in the floor. */
const CONCURRENCY = 5
const EVENTS = 300
const ROUNDS = 5
const IDLE_EVENTS = 60

/** The results. Rates are deliveries per second, times are milliseconds. */
interface WebhookFigures {
  readonly service: number
  readonly floor: number
  /** Median of the rounds' ratios; the target is at least 0.5. */
  readonly ratio: number
  /** From the commit of an event to its arrival, without other load; the target is a p50 below 100 ms. */
  readonly idle: { readonly p50: number; readonly p99: number }
}

/** Measures on an embedded, durable database of its own. Rounds alternate; the first warms up; medians are reported. */
async function figures(): Promise<WebhookFigures> {
  const receivers = await startReceivers(Array.from({ length: ENDPOINTS }, () => 'well' as const))
  const stand = await embeddedEventStand(receivers.origins)
  try {
    await createFloor(stand.ownerUrl)
    await stand.process.startWorker()
    const rounds: { floor: number; service: number }[] = []
    for (let round = 0; round <= ROUNDS; round++) rounds.push(await measure(stand, receivers))
    const measured = rounds.slice(1)
    return {
      service: median(measured.map(({ service }) => service)),
      floor: median(measured.map(({ floor }) => floor)),
      ratio: median(measured.map(({ service, floor }) => service / floor)),
      idle: await idle(stand, receivers),
    }
  } finally {
    await stand.close()
    await receivers.close()
  }
}

/** The same bodies through the floor and through the service: deliveries per second, the attempt stored. */
async function measure(stand: EventStand, receivers: Receivers): Promise<{ floor: number; service: number }> {
  const { pool } = stand.process.runtime
  const merchant = await stand.merchant(receivers.origins)
  for (let n = 0; n < EVENTS; n++) await merchant.emit('held')
  const { rows } = await pool.query<{ body: string }>(
    'select payload::text as body from events where organisation_id = $1',
    [merchant.organisationId],
  )
  const floorStarted = performance.now()
  await deliverAll(
    pool,
    receivers.origins,
    rows.map(({ body }) => body),
    CONCURRENCY,
  )
  const floorSeconds = (performance.now() - floorStarted) / 1000
  await receivers.reset()
  const started = performance.now()
  await merchant.release()
  await settled(stand, merchant)
  const seconds = (performance.now() - started) / 1000
  await merchant.leave()
  return { floor: (EVENTS * ENDPOINTS) / floorSeconds, service: (EVENTS * ENDPOINTS) / seconds }
}

async function settled(stand: EventStand, merchant: EventMerchant): Promise<void> {
  for (;;) {
    await sleep(20)
    // Two steps on indexes: to count what was delivered would take part of the machine that is measured.
    const { rows } = await stand.process.runtime.pool.query<{ done: boolean }>(
      `select not exists (select from events where organisation_id = $1 and drained_at is null) and not exists (
         select from webhook_queues q join webhook_deliveries d on d.endpoint_id = q.endpoint_id and d.status = 'pending'
          where q.organisation_id = $1) as done`,
      [merchant.organisationId],
    )
    if (rows[0]?.done) break
  }
  const { rows } = await stand.process.runtime.pool.query<{ delivered: number }>(
    "select count(*)::int as delivered from webhook_deliveries where organisation_id = $1 and status = 'delivered'",
    [merchant.organisationId],
  )
  if (rows[0]?.delivered !== EVENTS * ENDPOINTS) throw new Error(`${rows[0]?.delivered} deliveries were delivered`)
}

async function idle(stand: EventStand, receivers: Receivers): Promise<WebhookFigures['idle']> {
  const merchant = await stand.merchant(receivers.origins.slice(0, 1))
  await receivers.reset()
  const committed = new Map<string, number>()
  for (let n = 0; n < IDLE_EVENTS; n++) {
    const id = await merchant.emit()
    committed.set(id, performance.timeOrigin + performance.now())
    await sleep(150 + Math.random() * 100)
  }
  const [arrivals] = await receivers.arrivals()
  const times = [...committed].map(([id, at]) => (arrivals?.get(id)?.[0] ?? Number.POSITIVE_INFINITY) - at)
  return { p50: median(times), p99: percentile(times, 0.99) }
}

/** Throughput against the floor, and the latency from commit to receiver. */
export async function benchWebhooks(print: (line: string) => void): Promise<void> {
  const { service, floor, ratio, idle: quiet } = await figures()
  print(`webhook deliveries    ${service.toFixed(0)}/s   floor ${floor.toFixed(0)}/s   ratio ${ratio.toFixed(2)}`)
  print(`commit to arrival     p50 ${quiet.p50.toFixed(0)} ms   p99 ${quiet.p99.toFixed(0)} ms (idle)`)
}

if (import.meta.main) await benchWebhooks((line) => void process.stdout.write(`${line}\n`))
