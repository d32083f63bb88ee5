import { timeOfId } from '@payments/kernel'
import { histograms, type Runtime, type Slots, slotsTask } from '@payments/platform'
import { disableIfFailing, isDue } from '../endpoints/endpoint-health.ts'
import { sendBy } from '../queue/hand-over.ts'
import {
  claim,
  DELIVER,
  type DeliveryAttempt,
  type Failing,
  LEASE_SECONDS,
  notMade,
  type Outcome,
  settle,
} from '../queue/queue.ts'
import { createHeld } from './held.ts'
import { nextDelay } from './schedule.ts'
import type { createSender, Sent } from './send.ts'

/**
 * Maximum attempts in flight in one process, and how many of them may belong to failing or slow endpoints. One organisation
 * gets at most half of each.
 */
const SLOTS = 400
const IMPAIRED_SLOTS = 200
/** While so many slots are taken, nothing is claimed ahead or by a fan-out: the others are for deliveries that are sent at once. */
const AHEAD_SLOTS = 200
/** While no more slots are taken, no delivery waits for one but those of its own endpoint: every organisation gets what it asks for. */
const FEW = 20
/** Maximum number of results settled in one transaction. */
const BATCH = 200
/** An endpoint slower than this, ms, is limited to one slot until it answers faster. */
const SLOW_MS = 2000
/** An endpoint is claimed ahead while it answers within this time, ms: the slots of a slower one are filled without that. */
const QUICK_MS = 50

/** How long the result of an attempt waits before its locked queue is tried again, ms. */
const LOCKED_MS = 10
/** Endpoints that are notified of or disabled at once, so that rows which they wait for do not take all connections. */
const HEALTH_UPDATES = 4

/** A result that has to be written, and when the attempt ended. */
interface Result {
  readonly outcome: Outcome
  readonly settled: () => void
  readonly since: number
}

/** The outcome of an attempt. */
function outcomeOf(delivery: DeliveryAttempt, sent: Sent): Outcome {
  const { attempt, final, gone, proven } = sent
  const answered = attempt.error === null
  const delay = answered || final || gone ? undefined : nextDelay(delivery.made + 1, sent.retryAfter)
  return {
    delivery,
    attempt,
    status: answered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
    delay: delay ?? null,
    answered,
    gone,
    fast: attempt.durationMs < SLOW_MS,
    proven,
  }
}

const NOT_CALLED = { delay: null, answered: null, gone: false, fast: true }

const unsent = (delivery: DeliveryAttempt): Outcome => ({
  delivery,
  attempt: notMade(delivery.over ? 'The endpoint was disabled' : `The endpoint is ${delivery.status}`),
  status: 'failed',
  ...NOT_CALLED,
})

/** It was claimed ahead, and will be claimed again. */
const returned = (delivery: DeliveryAttempt): Outcome => ({
  delivery,
  attempt: null,
  status: 'pending',
  ...NOT_CALLED,
})

/**
 * Keeps a process's slots filled: claims deliveries, those of quick endpoints ahead, attempts them without waiting for each other, and settles the
 * results in batches: results that arrive while a batch is written form the next one. A result that cannot be written is
 * dropped; its claim lapses and the delivery is attempted again. Claims and batches take turns, because each leaves out the queues that
 * the other has locked.
 */
function createDispatcher(runtime: Runtime): Slots {
  const inFlight = new Set<Promise<void>>()
  let results: Result[] = []
  /** Endpoints whose queues another transaction held a moment ago. */
  const locked = new Set<string>()
  const healthUpdates = new Map<string, Promise<void>>()
  const busy = new Map<string, { all: number; impaired: number }>()
  const held = createHeld()
  let impaired = 0
  let claims: PromiseWithResolvers<void> | undefined
  let turns: Promise<void> | undefined
  let sender: Promise<ReturnType<typeof createSender>> | undefined
  let stopping = false

  const logged = (message: string, fields: object) => (error: unknown) => {
    if (!runtime.database.report(error)) runtime.log.error({ err: error, ...fields }, message)
  }

  /** The HTTP client is loaded with the first delivery. */
  const send = async (delivery: DeliveryAttempt): Promise<Sent> => {
    sender ??= import('./send.ts').then((loaded) => loaded.createSender(runtime))
    return (await sender).send(delivery)
  }

  async function takeTurns(): Promise<void> {
    // By then `turns` is set, which is unset at the end.
    await undefined
    for (;;) {
      const batch = nextBatch()
      if (batch.length === 0 && !claims) break
      if (batch.length > 0) await settleBatch(batch)
      const asked = claims
      claims = undefined
      if (asked) await claimBatch().then(asked.resolve, asked.reject)
    }
    turns = undefined
  }

  /** Results of an endpoint are written in the order of their ends: what is to be returned no later than what ended after it, which frees slots. */
  function nextBatch(): Result[] {
    const [batch, later]: [Result[], Result[]] = [[], []]
    for (const result of results) {
      const isNext = batch.length < BATCH && !locked.has(result.outcome.delivery.endpointId)
      ;(isNext ? batch : later).push(result)
    }
    results = later
    return batch
  }

  async function claimBatch(): Promise<void> {
    const room = SLOTS - inFlight.size
    if (room <= 0 || stopping) return
    const ahead = { room: AHEAD_SLOTS - inFlight.size, endpoints: held.ahead(), claims: held.claims() }
    const claimed = await claim(runtime.pool, { room, impairedRoom: IMPAIRED_SLOTS - impaired, busy, ahead })
    held.add(claimed, ahead.endpoints)
    for (const delivery of claimed) start(delivery)
    if (claimed.length > 0) fillSoon()
  }

  function fill(): Promise<void> {
    claims ??= Promise.withResolvers()
    const { promise } = claims
    turns ??= takeTurns()
    return promise
  }

  const fillSoon = (): void => void fill().catch(logged('claim failed', {}))

  function start(delivery: DeliveryAttempt): void {
    occupy(delivery, 1)
    const running = attempt(delivery)
      .catch(logged('delivery attempt crashed', { delivery: delivery.id }))
      .finally(() => {
        inFlight.delete(running)
        held.remove(delivery)
        occupy(delivery, -1)
      })
    inFlight.add(running)
  }

  function occupy({ organisationId, impaired: isImpaired }: DeliveryAttempt, change: 1 | -1): void {
    const own = busy.get(organisationId) ?? { all: 0, impaired: 0 }
    own.all += change
    if (isImpaired) {
      own.impaired += change
      impaired += change
    }
    if (own.all > 0) busy.set(organisationId, own)
    else busy.delete(organisationId)
  }

  async function attempt(delivery: DeliveryAttempt): Promise<void> {
    const outcome = await attemptInSlot(delivery)
    if (outcome.answered && delivery.made === 0)
      histograms.arrivals.observe(
        { environment: delivery.environment },
        (Date.now() - timeOfId(delivery.eventId)) / 1000,
      )
    await new Promise<void>((settled) => settleSoon({ outcome, settled, since: performance.now() }))
  }

  async function attemptInSlot(delivery: DeliveryAttempt): Promise<Outcome> {
    if (delivery.status !== 'enabled' || delivery.over) return unsent(delivery)
    if (!(await held.slot(delivery))) return returned(delivery)
    let quick = false
    try {
      const sent = await send(delivery)
      const outcome = outcomeOf(delivery, sent)
      quick = outcome.answered === true && sent.attempt.durationMs < QUICK_MS
      return outcome
    } finally {
      held.sent(delivery, quick)
    }
  }

  function settleSoon(result: Result): void {
    results.push(result)
    turns ??= takeTurns()
  }

  /** The queues of their endpoints are locked. After the lease a result would change nothing. */
  function settleLater(waiting: readonly Result[]): void {
    const endpoints = new Set(waiting.map(({ outcome }) => outcome.delivery.endpointId))
    for (const id of endpoints) locked.add(id)
    results = [...waiting, ...results]
    setTimeout(() => {
      for (const id of endpoints) locked.delete(id)
      turns ??= takeTurns()
    }, LOCKED_MS)
  }

  async function settleBatch(batch: readonly Result[]): Promise<void> {
    const outcomes = batch.map(({ outcome }) => outcome)
    const waiting: Outcome[] = []
    const due: string[] = []
    let written = true
    await settle(runtime.pool, outcomes, waiting, due).then(
      (failing) => updateHealth(outcomes, failing),
      (error) => {
        written = false
        waiting.length = 0
        logged('delivery results not written', { deliveries: batch.length })(error)
      },
    )
    const isLate = ({ since }: Result) => performance.now() - since > LEASE_SECONDS * 1000
    const again = batch.filter((result) => waiting.includes(result.outcome) && !isLate(result))
    if (again.length > 0) settleLater(again)
    for (const result of batch) if (!again.includes(result)) result.settled()
    // These attempts have freed their slots by then.
    await new Promise((resolve) => setImmediate(resolve))
    // Nothing else can have waited for these slots, and nothing is to be claimed ahead.
    if (!written || due.length > 0 || held.ahead().size > 0 || inFlight.size > FEW) fillSoon()
  }

  /** Runs beside the settling: it waits for the endpoint's row, which a merchant's request may hold. */
  function updateHealth(outcomes: readonly Outcome[], failing: readonly Failing[]): void {
    const byEndpoint = new Map(outcomes.map((outcome) => [outcome.delivery.endpointId, outcome.delivery]))
    for (const [endpointId, delivery] of byEndpoint) {
      const late = failing.find((each) => each.endpointId === endpointId)
      const gone = outcomes.some((outcome) => outcome.gone && outcome.delivery.endpointId === endpointId)
      if (!gone && !(late && isDue(late))) continue
      // A later attempt says the same.
      if (healthUpdates.has(endpointId) || healthUpdates.size >= HEALTH_UPDATES) continue
      const update = disableIfFailing(runtime, delivery, gone)
        .catch(logged('endpoint update failed', { endpoint: endpointId }))
        .finally(() => healthUpdates.delete(endpointId))
      healthUpdates.set(endpointId, update)
    }
  }

  sendBy(runtime, {
    free: () => (stopping ? 0 : AHEAD_SLOTS - inFlight.size),
    inFlight: busy,
    start(claimed) {
      held.add(claimed)
      for (const delivery of claimed) start(delivery)
    },
  })
  return {
    fill,
    async stop() {
      stopping = true
      sendBy(runtime, undefined)
      held.close()
      // A claim that is under way.
      await turns
      await Promise.all(inFlight)
      await turns
      await Promise.all(healthUpdates.values())
      await (await sender)?.close()
    },
  }
}

/** Attempts the deliveries that are due, in every worker at once. */
export const deliverTask = slotsTask(
  {
    name: DELIVER,
    because: 'Deliveries of an endpoint start in order, and a dead endpoint costs others nothing',
    due: () => 'select min(due_at) from webhook_queues',
  },
  createDispatcher,
)
