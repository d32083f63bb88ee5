import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrivals, Receivers, Role } from '@payments/stand'
import { type EventStand, end } from '@payments/stand'

/** The deliveries to the healthy endpoints of one run. */
export interface Outcome {
  readonly events: number
  readonly healthy: number
  /** Pairs of event and healthy endpoint without a delivery. */
  readonly missing: number
  /** Deliveries beyond the first of such a pair. */
  readonly duplicates: number
  /** Milliseconds from commit to arrival, of every first delivery. */
  readonly latencies: readonly number[]
  readonly seconds: number
  readonly kills: number
}

export interface Plan {
  readonly events: number
  /** Which receivers of the receivers have an endpoint. */
  readonly roles: readonly Role[]
  /** Events per second; as fast as they commit without it. */
  readonly rate?: number
  /** How often the worker is killed (SIGKILL) at random moments and started again. */
  readonly kills?: number
  /** How long to wait for missing deliveries, in seconds. */
  readonly patience?: number
}

/** Emits events to a new merchant's endpoints and waits until each healthy one has them all. The caller runs the workers, unless they are to be killed. */
export async function runEvents(
  stand: EventStand,
  receivers: Receivers,
  all: readonly Role[],
  plan: Plan,
): Promise<Outcome> {
  await receivers.reset()
  const used = all.map((role, index) => ({ role, index })).filter(({ role }) => plan.roles.includes(role))
  const merchant = await stand.merchant(used.map(({ index }) => receivers.origins[index] ?? ''))
  const healthy = used.filter(({ role }) => role === 'well').map(({ index }) => index)
  const committed = new Map<string, number>()
  const started = performance.now()
  let emitting = true
  const emission = emitAll(merchant, plan, committed, started).finally(() => {
    emitting = false
  })
  const complete = async () => {
    if (emitting) return false
    const progress = await receivers.progress()
    return healthy.every((index) => progress[index] === plan.events)
  }
  const killing = new AbortController()
  const kills = plan.kills ? killNow(stand, plan.kills, killing.signal) : undefined
  const deadline =
    performance.now() + (plan.patience ?? 120) * 1000 + (plan.rate ? (plan.events / plan.rate) * 1000 : 0)
  while (!(await complete()) && performance.now() < deadline) await sleep(100)
  const seconds = (performance.now() - started) / 1000
  await emission
  // Time for deliveries that must not arrive any more.
  await sleep(500)
  const arrivals = await receivers.arrivals()
  killing.abort()
  const killed = (await kills) ?? 0
  await merchant.leave()
  return {
    ...count(
      committed,
      healthy.map((index) => arrivals[index] ?? new Map()),
    ),
    events: plan.events,
    seconds,
    kills: killed,
  }
}

async function emitAll(
  merchant: { emit(): Promise<string> },
  { events, rate }: Plan,
  committed: Map<string, number>,
  started: number,
): Promise<void> {
  const emitOne = async () => {
    const id = await merchant.emit()
    committed.set(id, performance.timeOrigin + performance.now())
  }
  for (let n = 0; n < events; n += rate ? 1 : 4) {
    if (rate) {
      await sleep(Math.max(0, started + (n / rate) * 1000 - performance.now()))
      await emitOne()
    } else {
      await Promise.all(Array.from({ length: Math.min(4, events - n) }, emitOne))
    }
  }
}

/** Keeps one worker running and kills it `times` times, 2 to 6 seconds into its life. Resolves after the end is signalled. */
async function killNow(stand: EventStand, times: number, stop: AbortSignal): Promise<number> {
  let killed = 0
  while (killed < times && !stop.aborted) {
    const worker = stand.worker()
    await sleep(2000 + Math.random() * 4000)
    await end(worker, 'SIGKILL')
    killed++
  }
  const last = stand.worker()
  if (!stop.aborted)
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  await end(last, 'SIGTERM')
  return killed
}

function count(committed: ReadonlyMap<string, number>, arrivals: readonly Arrivals[]) {
  let missing = 0
  let duplicates = 0
  const latencies: number[] = []
  for (const receiver of arrivals) {
    for (const [id, at] of committed) {
      const times = receiver.get(id) ?? []
      if (times[0] === undefined) missing++
      else latencies.push(times[0] - at)
      duplicates += Math.max(0, times.length - 1)
    }
  }
  return { healthy: arrivals.length, missing, duplicates, latencies }
}
