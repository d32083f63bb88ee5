import type { Loop, Runtime } from '@payments/kernel'
import { isDue, judge } from './judge.ts'
import { claim, type Failing, notMade, type Outcome, type Parcel, settle } from './queue.ts'
import { nextDelay } from './schedule.ts'
import { createSender, type Sent } from './send.ts'

/** Channel on which new deliveries wake the workers. */
export const DELIVER = 'webhooks.deliver'

/** Attempts under way in one process, and how many of them may belong to endpoints that fail or dawdle. */
const SLOTS = 200
const IMPAIRED_SLOTS = 100
/** Settled in one transaction, at most. */
const BATCH = 200
/** An answer that takes longer costs the endpoint its full share of slots until it is quick again. */
const SLOW_MS = 2000

/** What happens after an attempt: the table of the delivery's fate. */
function outcomeOf(parcel: Parcel, sent: Sent): Outcome {
  const { attempt, final, gone } = sent
  const answered = attempt.error === null
  const delay = answered || final || gone ? undefined : nextDelay(parcel.made + 1, sent.retryAfter)
  return {
    parcel,
    attempt,
    status: answered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
    delay: delay ?? null,
    answered,
    gone,
    fast: attempt.durationMs < SLOW_MS,
  }
}

const unsent = (parcel: Parcel): Outcome => ({
  parcel,
  attempt: notMade(`The endpoint is ${parcel.status}`),
  status: 'failed',
  delay: null,
  answered: null,
  gone: false,
  fast: true,
})

interface Pump {
  fill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Keeps a process's slots full: claims, sends without waiting for each other, and settles results in batches: those that
 * come in while one batch is being written make the next. A result that cannot be written is dropped; its lease ends and
 * the delivery is attempted again.
 */
function createPump(runtime: Runtime): Pump {
  const sender = createSender(runtime)
  const flights = new Set<Promise<void>>()
  const results: { outcome: Outcome; landed: () => void }[] = []
  const verdicts = new Set<Promise<void>>()
  let impaired = 0
  let filling: Promise<void> | undefined
  let again = false
  let landing = false
  let stopping = false

  async function refill(): Promise<void> {
    do {
      again = false
      const room = SLOTS - flights.size
      if (room <= 0 || stopping) return
      const parcels = await claim(runtime.pool, room, IMPAIRED_SLOTS - impaired)
      for (const parcel of parcels) take(parcel)
      again ||= parcels.length > 0
    } while (again)
  }

  function fill(): Promise<void> {
    again = true
    filling ??= refill().finally(() => {
      filling = undefined
    })
    return filling
  }

  function take(parcel: Parcel): void {
    if (parcel.impaired) impaired++
    const flight = fly(parcel)
      .catch((error: unknown) => runtime.log.error({ err: error, delivery: parcel.id }, 'delivery lost its way'))
      .finally(() => {
        flights.delete(flight)
        if (parcel.impaired) impaired--
      })
    flights.add(flight)
  }

  async function fly(parcel: Parcel): Promise<void> {
    const sent = parcel.status === 'enabled' ? await sender.send(parcel) : undefined
    const outcome = sent ? outcomeOf(parcel, sent) : unsent(parcel)
    await new Promise<void>((landed) => {
      results.push({ outcome, landed })
      if (!landing) void land()
    })
  }

  async function land(): Promise<void> {
    landing = true
    while (results.length > 0) {
      const batch = results.splice(0, BATCH)
      const outcomes = batch.map(({ outcome }) => outcome)
      await settle(runtime.pool, outcomes).then(
        (failing) => judgeAll(outcomes, failing),
        (error: unknown) => runtime.log.error({ err: error, deliveries: batch.length }, 'results not written'),
      )
      for (const { landed } of batch) landed()
      // Not before the flights have left their slots.
      setImmediate(() => void fill().catch((error: unknown) => runtime.log.error({ err: error }, 'claim failed')))
    }
    landing = false
  }

  /** Beside the landings: a verdict waits for the endpoint's row, which a merchant's request may hold. */
  function judgeAll(outcomes: readonly Outcome[], failing: readonly Failing[]): void {
    const byEndpoint = new Map(outcomes.map((outcome) => [outcome.parcel.endpointId, outcome.parcel]))
    for (const [endpointId, parcel] of byEndpoint) {
      const late = failing.find((each) => each.endpointId === endpointId)
      const gone = outcomes.some((outcome) => outcome.gone && outcome.parcel.endpointId === endpointId)
      if (!gone && !(late && isDue(late))) continue
      const verdict = judge(runtime, parcel, gone)
        .catch((error: unknown) => runtime.log.error({ err: error, endpoint: endpointId }, 'verdict not written'))
        .finally(() => verdicts.delete(verdict))
      verdicts.add(verdict)
    }
  }

  return {
    fill,
    async stop() {
      stopping = true
      await filling?.catch(() => undefined)
      await Promise.all(flights)
      await Promise.all(verdicts)
      await sender.close()
    },
  }
}

const pumps = new WeakMap<Runtime, Pump>()

function pumpOf(runtime: Runtime): Pump {
  const known = pumps.get(runtime)
  if (known) return known
  const pump = createPump(runtime)
  pumps.set(runtime, pump)
  return pump
}

/** Attempts what is due, in every worker at once. */
export const deliver: Loop = {
  name: DELIVER,
  everyMs: 1000,
  shared: true,
  async run(runtime) {
    await pumpOf(runtime).fill()
    return false
  },
  stop: (runtime) => pumpOf(runtime).stop(),
}
