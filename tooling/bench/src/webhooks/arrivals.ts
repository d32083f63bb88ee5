import { setTimeout as sleep } from 'node:timers/promises'
import { system } from '@payments/kernel'
import { type EventMerchant, type EventStand, median, percentile, type Receivers, samples } from '@payments/stand'

const IDLE_EVENTS = 200
const BUSY_SECONDS = 10
export const EVENTS_PER_SECOND = 500
/** Of so many organisations, each with an endpoint of its own. */
const BUSY_MERCHANTS = 10
const TICK_MS = 20
const ORDERS = 40

/** From a commit, or from a reply, to the arrival at the merchant's receiver, ms. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

/** Times of commits or replies by the id of the event, epoch milliseconds. */
type Committed = ReadonlyMap<string, number>

const now = (): number => performance.timeOrigin + performance.now()

/** One event at a time, without other load. */
export async function idleArrivals(stand: EventStand, receivers: Receivers): Promise<Times> {
  const merchant = await stand.merchant(receivers.origins.slice(0, 1))
  await receivers.reset()
  const committed = new Map<string, number>()
  for (let n = 0; n < IDLE_EVENTS; n++) {
    committed.set(await merchant.emit(), now())
    await sleep(50 + Math.random() * 100)
  }
  return timesOf(committed, receivers)
}

/** Events of several organisations, {@link EVENTS_PER_SECOND} together. */
export async function busyArrivals(stand: EventStand, receivers: Receivers): Promise<Times> {
  const merchants: EventMerchant[] = []
  for (const origin of receivers.origins.slice(0, BUSY_MERCHANTS)) merchants.push(await stand.merchant([origin]))
  await receivers.reset()
  const committed = new Map<string, number>()
  const emitting: Promise<unknown>[] = []
  const emit = async (merchant: EventMerchant) => committed.set(await merchant.emit(), now())
  const started = performance.now()
  for (let tick = 1; tick <= (BUSY_SECONDS * 1000) / TICK_MS; tick++) {
    const due = Math.round((tick * TICK_MS * EVENTS_PER_SECOND) / 1000)
    while (emitting.length < due) emitting.push(emit(merchants[emitting.length % merchants.length] as EventMerchant))
    await sleep(Math.max(0, started + tick * TICK_MS - performance.now()))
  }
  await Promise.all(emitting)
  return timesOf(committed, receivers)
}

/** Money that arrives at the sandbox's provider of local fiat: from the reply that it has, over the poll of its order, to the event about it. */
export async function providerArrivals(stand: EventStand, receivers: Receivers): Promise<Times> {
  const { organisationId } = await stand.merchant(receivers.origins.slice(0, 1))
  const caller = stand.process.createCaller(system(organisationId, 'test'))
  await receivers.reset()
  const arrived = new Map<string, number>()
  for (let n = 0; n < ORDERS; n++) {
    const { id } = await caller.offramps.create(samples.offramp.body() as never)
    await sleep(200)
    await caller.sandbox.offramps.deposit({ orderId: id })
    arrived.set(id, now())
  }
  await sleep(1000)
  const { rows } = await stand.process.runtime.pool.query<{ id: string; order: string }>(
    `select distinct on (resource_id) id, resource_id as order from events
      where organisation_id = $1 and payload -> 'data' ->> 'previousStatus' is not null order by resource_id, id`,
    [organisationId],
  )
  return timesOf(new Map(rows.map(({ id, order }) => [id, arrived.get(order) ?? Number.NaN])), receivers)
}

/** @throws Error when an event has not arrived within ten seconds */
async function timesOf(committed: Committed, receivers: Receivers): Promise<Times> {
  for (const deadline = Date.now() + 10_000; ; await sleep(100)) {
    const arrivals = (await receivers.arrivals()).flatMap((each) => [...each])
    const first = new Map(arrivals.map(([id, [at]]) => [id, at]))
    const times = [...committed].flatMap(([id, at]) => (first.has(id) ? [(first.get(id) as number) - at] : []))
    if (times.length === committed.size)
      return { p50: Math.round(median(times)), p99: Math.round(percentile(times, 0.99)) }
    if (Date.now() > deadline) throw new Error(`${committed.size - times.length} events did not arrive`)
  }
}
