import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofReport } from '@payments/proof'
import {
  type EventMerchant,
  type EventStand,
  embeddedEventStand,
  median,
  type Receivers,
  startReceivers,
} from '@payments/stand'
import { busyArrivals, EVENTS_PER_SECOND, idleArrivals, providerArrivals, type Times } from './arrivals.ts'
import { createFloor, deliverAll } from './floor.ts'

const ENDPOINTS = 20
/** Attempts in flight to one endpoint, in the service and in the floor. */
const CONCURRENCY = 5
const EVENTS = 300
const ROUNDS = 5

/** Of the throughput of the floor. */
const LEAST = 0.8
/**
 * The times until an event arrives, and what is promised of each, ms. Most of a half is what the service waits for on purpose; the slowest wait for the processors,
 * which senders and receivers share here.
 */
const ARRIVALS = [
  { name: 'idle', line: 'commit to arrival', measure: idleArrivals, most: { p50: 20, p99: 100 } },
  { name: 'busy', line: `at ${EVENTS_PER_SECOND} events/s`, measure: busyArrivals, most: { p50: 100, p99: 1000 } },
  { name: 'provider', line: 'money to its webhook', measure: providerArrivals, most: { p50: 100, p99: Infinity } },
]

/** Throughput against the floor, and the times until an event arrives, on an embedded, durable database of its own. Rounds alternate; the first warms up. */
export async function benchWebhooks(print: (line: string) => void): Promise<ProofReport> {
  const receivers = await startReceivers(Array.from({ length: ENDPOINTS }, () => 'well' as const))
  const stand = await embeddedEventStand(receivers.origins)
  try {
    await createFloor(stand.ownerUrl)
    await stand.process.startWorker()
    const rounds: { floor: number; service: number }[] = []
    for (let round = 0; round <= ROUNDS; round++) rounds.push(await measure(stand, receivers))
    const measured = rounds.slice(1)
    const rate = (of: 'floor' | 'service') => median(measured.map((round) => round[of])).toFixed(0)
    const ratio = Math.round(100 * median(measured.map(({ service, floor }) => service / floor))) / 100
    print(`webhook deliveries    ${rate('service')}/s   floor ${rate('floor')}/s   ratio ${ratio.toFixed(2)}`)
    const findings = ratio < LEAST ? [`deliveries have ${ratio} of the throughput of their floor`] : []
    const milliseconds: Record<string, Times> = {}
    for (const { name, line, measure, most } of ARRIVALS) {
      const { p50, p99 } = await measure(stand, receivers)
      milliseconds[name] = { p50, p99 }
      print(`${line.padEnd(22)}p50 ${p50} ms   p99 ${p99} ms`)
      if (p50 > most.p50) findings.push(`${line}: half take more than ${most.p50} ms, up to ${p50}`)
      if (p99 > most.p99) findings.push(`${line}: one of 100 takes more than ${most.p99} ms, ${p99}`)
    }
    return { findings, figures: { throughputToThatOfTheFloor: { deliveries: ratio }, milliseconds } }
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
