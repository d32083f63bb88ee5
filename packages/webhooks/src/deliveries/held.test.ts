import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Runtime } from '@payments/platform'
import { afterAll, afterEach, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents, endpoint, until } from '../../test/deliveries.ts'
import { fanOutTask } from '../events/fan-out.ts'
import { deliverTask } from './dispatcher.ts'

/** So many requests are responded to at once, and all others when the test says so. */
let atOnce = Number.POSITIVE_INFINITY
/** How long those take, ms. */
let latency = () => 2
/** Requests that have no response yet, and how many there were at most at a time. */
const open = new Set<ServerResponse>()
let most = 0
const arrived: string[] = []
const server = createServer((req, res) => {
  arrived.push(String(req.headers['x-service-delivery']))
  open.add(res)
  most = Math.max(most, open.size)
  req.resume().on('end', () => {
    if (arrived.length <= atOnce) setTimeout(() => open.has(res) && respond(200, [res]), latency())
  })
})
function respond(status: number, to: Iterable<ServerResponse> = [...open]): void {
  for (const res of to) {
    open.delete(res)
    res.writeHead(status).end()
  }
}
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => void server.close())

// No worker: nothing but the tests' own dispatchers delivers.
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: origin } })
const processes: Runtime[] = []
const newProcess = (): Runtime => {
  const runtime = { ...service.runtime }
  processes.push(runtime)
  return runtime
}
afterEach(async () => {
  atOnce = Number.POSITIVE_INFINITY
  latency = () => 2
  respond(200)
  await Promise.all(processes.splice(0).map((runtime) => deliverTask.stop?.(runtime)))
  await service.runtime.pool.query("update webhook_queues set due_at = 'infinity'")
  arrived.length = 0
  most = 0
})

/** An endpoint at the receiver with so many deliveries. */
async function newQueue(events: number) {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url: `${origin}/hooks` })
  await emitEvents(service.runtime, merchant, events)
  while (await fanOutTask.run(service.runtime));
  const deliveries = async () => {
    const { rows } = await service.runtime.pool.query(
      `select id, status, attempts, claim is not null as claimed, abs(extract(epoch from due_at - next_attempt_at)) < 0.001 as "asBefore", next_attempt_at as next
         from webhook_deliveries where endpoint_id = $1 order by id`,
      [id],
    )
    return rows
  }
  const claimed = async () => (await deliveries()).filter((each) => each.claimed).length
  return { merchant, id, deliveries, claimed }
}

const EVENTS = 200

/** A process that has five attempts in flight, which last, and has claimed ten more deliveries ahead. */
async function newAhead() {
  const queue = await newQueue(EVENTS)
  const runtime = newProcess()
  atOnce = 10
  await deliverTask.run(runtime)
  // The first ten have ended, and five others are in flight.
  const inFlight = () => open.size === 5 && arrived.length === atOnce + 5
  const ahead = async () => {
    const count = await queue.claimed()
    if (count === 15 && inFlight()) return true
    // A busy machine was not quick enough: ten more.
    if (count === 5 && inFlight()) {
      atOnce = arrived.length + 10
      respond(200)
    }
    return false
  }
  await until(ahead, (is) => is)
  return { ...queue, runtime }
}

test('workers that claim ahead have five attempts to an endpoint in flight in all, and deliver everything once', async () => {
  const { deliveries, claimed } = await newQueue(400)
  const [one, other] = [newProcess(), newProcess()]
  const counts: number[] = []
  await until(
    async () => {
      await Promise.all([one, other].map((runtime) => deliverTask.run(runtime)))
      counts.push(await claimed())
      return arrived.length
    },
    (count) => count === 400,
  )
  expect(most).toBe(5)
  expect(Math.max(...counts)).toBeGreaterThan(5)
  const all = await until(deliveries, (rows) => rows.every(({ status }) => status === 'delivered'))
  expect(all.map(({ attempts }) => attempts.length)).toEqual(Array(400).fill(1))
  expect(arrived.toSorted()).toEqual(all.map(({ id }) => id))
})

test('what was claimed ahead is returned when an attempt fails: it was not attempted, and is as due as before', async () => {
  const { deliveries, claimed } = await newAhead()
  const before = await deliveries()
  const sent = new Set(arrived)
  respond(500)
  // A failing endpoint has one attempt in flight.
  await until(claimed, (count) => count === 1)
  const after = await deliveries()
  const unsent = (rows: typeof before) => rows.filter(({ id }) => !sent.has(id))
  expect(unsent(after).map(({ id, status, attempts, next }) => ({ id, status, attempts, next }))).toEqual(
    unsent(before).map(({ id, next }) => ({ id, status: 'pending', attempts: [], next })),
  )
  expect(unsent(after).filter((each) => !each.claimed && !each.asBefore)).toEqual([])
  await until(
    async () => open.size,
    (size) => size === 1,
  )
  expect(arrived).toHaveLength(sent.size + 1)
})

test('what was claimed ahead is returned when the process ends, while its attempts are still in flight', async () => {
  const { claimed, runtime, deliveries } = await newAhead()
  const sent = arrived.length
  const stopped = deliverTask.stop?.(runtime)
  await until(claimed, (count) => count === 5)
  respond(200)
  await stopped
  expect(await claimed()).toBe(0)
  expect(arrived).toHaveLength(sent)
  const left = (await deliveries()).filter(({ status }) => status === 'pending')
  expect(left).toHaveLength(EVENTS - sent)
  // Another process sends them at once.
  atOnce = Number.POSITIVE_INFINITY
  await deliverTask.run(newProcess())
  await until(deliveries, (rows) => rows.every(({ status }) => status === 'delivered'))
  expect(new Set(arrived).size).toBe(EVENTS)
  expect(arrived).toHaveLength(EVENTS)
})

test('of an endpoint that was disabled meanwhile nothing is sent that was claimed ahead, and it ends with the reason', async () => {
  const { merchant, id, deliveries } = await newAhead()
  const sent = new Set(arrived)
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
  await new Promise((resolve) => setTimeout(resolve, 100))
  respond(200)
  const ended = await until(deliveries, (rows) => rows.every(({ status }) => status !== 'pending'))
  expect(arrived).toHaveLength(sent.size)
  for (const each of ended)
    expect([each.status, each.attempts.map(({ error }: { error: string | null }) => error)]).toEqual(
      sent.has(each.id)
        ? ['delivered', [null]]
        : ['failed', [expect.stringMatching(/^The endpoint (was|is) disabled$/)]],
    )
})

test('what was claimed ahead is due again at once when it is returned, also when its retry was brought forward in the sandbox', async () => {
  const { id } = await newAhead()
  await service.runtime.pool.query(
    "update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where endpoint_id = $1 and claim is not null",
    [id],
  )
  atOnce = Number.POSITIVE_INFINITY
  respond(200)
  await until(
    async () => {
      const { rows } = await service.runtime.pool.query(
        "select from webhook_deliveries where endpoint_id = $1 and status = 'pending' and next_attempt_at > now()",
        [id],
      )
      return rows.length
    },
    (count) => count === 0,
  )
})

test.each([1, 2])(
  'deliveries start in order in %i processes, although slow answers make them return what they have claimed ahead and others hold the queue',
  async (count) => {
    const { id, deliveries } = await newQueue(EVENTS)
    latency = () => (Math.random() < 0.15 ? 70 : Math.random() * 30)
    const others = await service.runtime.pool.connect()
    let over = false
    const holding = (async () => {
      while (!over) {
        await others.query('begin')
        await others.query('select from webhook_queues where endpoint_id = $1 for update', [id])
        await new Promise((resolve) => setTimeout(resolve, 3))
        await others.query('commit')
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
    })().finally(() => others.release())
    const runtimes = Array.from({ length: count }, newProcess)
    const all = await until(
      async () => {
        await Promise.all(runtimes.map((runtime) => deliverTask.run(runtime)))
        return deliveries()
      },
      (rows) => rows.every(({ status }) => status === 'delivered'),
    ).finally(() => {
      over = true
    })
    await holding
    const started = all.map(({ attempts }) => attempts[0].attemptedAt)
    expect(started).toEqual(started.toSorted())
  },
)
