import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { deliveriesOf, emitEvents, endpoint, finished, receiverPool } from '../../test/deliveries.ts'

const receivers = await receiverPool()
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })

test('deliveries of one endpoint start in order of creation, and a failing one does not block the others', async () => {
  const merchant = await newMerchant(service)
  let poison = ''
  const receiver = await receivers.start(({ body }) => (JSON.parse(body).id === poison ? 500 : 200))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await service.runtime.pool.query('update webhook_queues set slots = 1 where endpoint_id = $1', [id])
  const [first] = await emitEvents(service.runtime, merchant)
  poison = first ?? ''
  const rest = await emitEvents(service.runtime, merchant, 30)
  await receiver.until((received) => received.length >= 31)
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).id))).toEqual(new Set([poison, ...rest]))
  const all = await deliveriesOf(
    merchant,
    id,
    (each) => each.filter(({ status }) => status === 'delivered').length === 30,
  )
  expect(all.map((each) => each.eventId)).toEqual([poison, ...rest])
  const started = all.map((each) => each.attempts[0].attemptedAt)
  expect(started).toEqual(started.toSorted())
})

test('an endpoint that never answers has few attempts in flight and delays no other endpoint', async () => {
  const merchant = await newMerchant(service)
  const dead = await receivers.start(() => 'hang')
  const well = await receivers.start()
  const hanging = await endpoint(merchant, { url: dead.url })
  await endpoint(merchant, { url: well.url })
  await emitEvents(service.runtime, merchant, 100)
  await well.until((received) => received.length === 100)
  expect(dead.received.length).toBeLessThanOrEqual(5)
  const claimed = await service.runtime.pool.query(
    'select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and claim is not null',
    [hanging.id],
  )
  expect(claimed.rows[0].n).toBeLessThanOrEqual(5)
  const [late] = await deliveriesOf(merchant, hanging.id, ([one]) => one?.attempts.length === 1)
  expect(late.attempts[0]).toMatchObject({ responseStatus: null, error: 'No response within 10 seconds' })
})

test('a delivery claimed by a dead worker is attempted again when its lease ends', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  const [delivery] = await deliveriesOf(merchant, id, finished)
  // As a killed process leaves it: claimed, the lease over, the queue due.
  await service.runtime.pool.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, claim, created_at, updated_at)
     select gen_random_uuid(), organisation_id, environment, endpoint_id, event_id, event_type, 'pending', now(), now() - interval '1 second', gen_random_uuid(), now(), now()
       from webhook_deliveries where id = $1`,
    [delivery.id],
  )
  await service.runtime.pool.query(
    'update webhook_queues set due_at = now() - make_interval(secs => 1) where endpoint_id = $1',
    [id],
  )
  await deliveriesOf(merchant, id, (all) => all.length === 2 && finished(all))
  expect(receiver.received.map(({ body }) => body)).toEqual([delivery, delivery].map(() => receiver.received[0]?.body))
})
