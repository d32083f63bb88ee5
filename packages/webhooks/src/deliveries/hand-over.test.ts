import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { dyingEverywhere, type Merchant, newMerchant, useService } from '#testing'
import { emitEvents, endpoint, receiverPool, until } from '../../test/deliveries.ts'
import { manyEndpoints } from '../../test/endpoints.ts'
import { fanOutTask } from '../events/fan-out.ts'
import { sendBy } from '../queue/hand-over.ts'
import type { DeliveryAttempt } from '../queue/queue.ts'
import { deliverTask } from './dispatcher.ts'

const receivers = await receiverPool()
// No worker: nothing but the tests' own processes fans out and delivers.
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })
const rows = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows

async function fanOut(runtime: Runtime): Promise<void> {
  while (await fanOutTask.run(runtime));
}

/** Endpoints that answered when they were called last, and of which nothing is due. */
async function idleEndpoints(merchant: Merchant, count = 1): Promise<string[]> {
  const ids = await manyEndpoints(service, merchant, count, 'https://merchant.example/hooks')
  await answered(ids)
  return ids
}

const answered = (ids: readonly string[]) =>
  rows('update webhook_queues set answered_at = now() where endpoint_id = any ($1)', [ids])

const deliveriesOf = (endpointId: string) =>
  rows(
    `select event_id, status, claim is not null as claimed, due_at > now() + interval '20 s' as leased from webhook_deliveries where endpoint_id = $1 order by id`,
    [endpointId],
  )
const claimedOf = async (endpointId: string) => (await deliveriesOf(endpointId)).filter((each) => each.claimed).length

/** A process that sends nothing of what its fan-out claims; `inFlight`: what it is sending already. */
function collecting(runtime: Runtime = { ...service.runtime }, inFlight = new Map<string, { all: number }>()) {
  const claimed: DeliveryAttempt[] = []
  sendBy(runtime, { free: () => 200, inFlight, start: (given) => void claimed.push(...given) })
  return { runtime, claimed }
}

test('the process that fans out events sends those to an idle endpoint itself, in order and once, and the endpoint is idle again', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  const { id } = await endpoint(merchant, { url: receiver.url })
  const runtime = { ...service.runtime }
  await deliverTask.run(runtime)
  const state = async () =>
    (await rows('select due_at::text as due from webhook_queues where endpoint_id = $1', [id]))[0]
  // One that never answered is claimed in its turn.
  await emitEvents(service.runtime, merchant)
  await fanOut(runtime)
  await deliverTask.run(runtime)
  await until(state, ({ due }) => due === 'infinity' && receiver.received.length === 1)

  // Nothing claims these.
  const events = await emitEvents(service.runtime, merchant, 3)
  await fanOut(runtime)
  await receiver.until((received) => received.length === 4)
  await until(state, ({ due }) => due === 'infinity')
  await deliverTask.stop?.(runtime)
  expect(await deliveriesOf(id)).toEqual(
    [expect.anything(), ...events].map((event_id) => ({ event_id, status: 'delivered', claimed: false, leased: null })),
  )
  expect(receiver.received.slice(1).map(({ body }) => JSON.parse(body).id)).toEqual(events)
})

const NOT_IDLE: Readonly<Record<string, string>> = {
  'never answered': 'answered_at = null',
  'keeps failing': "failing_since = now() - interval '1 hour'",
  'failed or was slow': 'slots = 1',
  'has a delivery to repeat': "due_at = now() + interval '1 hour'",
  'has deliveries that are due': 'due_at = now()',
}
test.each(Object.keys(NOT_IDLE))('deliveries to an endpoint that %s wait for a claim', async (name) => {
  const merchant = await newMerchant(service)
  const [id = ''] = await idleEndpoints(merchant)
  await rows(`update webhook_queues set ${NOT_IDLE[name]} where endpoint_id = $1`, [id])
  await emitEvents(service.runtime, merchant)
  const { runtime, claimed } = collecting()
  await fanOut(runtime)
  expect([await claimedOf(id), claimed]).toEqual([0, []])
})

test('deliveries to an endpoint with a change that is not made yet, and more than it has slots, wait for a claim', async () => {
  const merchant = await newMerchant(service)
  const [changing = '', many = ''] = await idleEndpoints(merchant, 2)
  await rows(
    "insert into webhook_changes values (gen_random_uuid(), $1, 'test', 'advance', 60, null, 0, null, null, now())",
    [changing],
  )
  await emitEvents(service.runtime, merchant)
  const { runtime } = collecting()
  await fanOut(runtime)
  expect([await claimedOf(changing), await claimedOf(many)]).toEqual([0, 1])
  const other = await newMerchant(service)
  const [flooded = ''] = await idleEndpoints(other)
  await emitEvents(service.runtime, other, 6)
  await fanOut(runtime)
  expect(await claimedOf(flooded)).toBe(0)
  await rows('delete from webhook_changes where endpoint_id = $1', [changing])
})

test('of an organisation few deliveries are sent at once, and none while it occupies slots, so that others find some', async () => {
  const [one, busy] = [await newMerchant(service), await newMerchant(service)]
  const ids = await idleEndpoints(one, 30)
  const [other = ''] = await idleEndpoints(busy)
  await emitEvents(service.runtime, one)
  await emitEvents(service.runtime, busy)
  const { runtime, claimed } = collecting({ ...service.runtime }, new Map([[busy.organisationId, { all: 11 }]]))
  await fanOut(runtime)
  expect(new Set(claimed.map(({ endpointId }) => endpointId)).size).toBe(10)
  expect(ids).toEqual(expect.arrayContaining(claimed.map(({ endpointId }) => endpointId)))
  expect(await claimedOf(other)).toBe(0)
})

test('what the fan-out of a process claimed that died is sent by another when its lease ends', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  const { id } = await endpoint(merchant, { url: receiver.url })
  await answered([id])
  const events = await emitEvents(service.runtime, merchant, 2)
  await fanOut(collecting().runtime)
  expect(await deliveriesOf(id)).toEqual(
    events.map((event_id) => ({ event_id, status: 'pending', claimed: true, leased: true })),
  )
  const other = { ...service.runtime }
  await deliverTask.run(other)
  expect(receiver.received).toEqual([])
  await rows("update webhook_deliveries set due_at = due_at - interval '31 s' where endpoint_id = $1", [id])
  await rows("update webhook_queues set due_at = due_at - interval '31 s' where endpoint_id = $1", [id])
  await deliverTask.run(other)
  await receiver.until((received) => received.length === 2)
  await deliverTask.stop?.(other)
  expect(await deliveriesOf(id)).toEqual(
    events.map((event_id) => ({ event_id, status: 'delivered', claimed: false, leased: null })),
  )
  expect(receiver.received).toHaveLength(2)
})

test('a crash before any statement of a fan-out that claims loses and doubles no delivery, and nothing is sent that was not committed', async () => {
  const merchant = await newMerchant(service)
  const [id = ''] = await idleEndpoints(merchant)
  const events = await emitEvents(service.runtime, merchant, 3)
  const sent: string[] = []
  const crashes = await dyingEverywhere(service, async (runtime) => {
    const { claimed } = collecting(runtime)
    await fanOut(runtime).finally(() => sent.push(...claimed.map(({ eventId }) => eventId)))
  })
  expect(crashes).toBe(1)
  expect(sent).toEqual(events)
  expect(await deliveriesOf(id)).toEqual(
    events.map((event_id) => ({ event_id, status: 'pending', claimed: true, leased: true })),
  )
})
