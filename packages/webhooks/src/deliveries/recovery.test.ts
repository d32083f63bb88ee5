import { afterEach, expect, test } from 'vitest'
import { bookOf, type Merchant, newMerchant, useService } from '#testing'
import { emitEvents, endpoint } from '../../test/deliveries.ts'
import { manyEndpoints } from '../../test/endpoints.ts'
import { fanOutTask } from '../events/fan-out.ts'
import { UNANSWERED_PER_MINUTE } from '../queue/pace.ts'
import { claim, type DeliveryAttempt, notMade, type Outcome, settle } from '../queue/queue.ts'
import { recover, replay } from './deliveries.ts'
import { OF_EVENT_PER_DAY, RECOVERED_PER_DAY } from './recovery.ts'

const url = 'https://merchant.example/hooks'
const service = useService()
const since = '2026-01-01T00:00:00Z'
afterEach(() => service.runtime.pool.query("update webhook_queues set due_at = 'infinity'"))

const rows = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows
const missed = (merchant: Merchant, count: number) =>
  rows(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     select gen_random_uuid(), $1, $2, 'payment_route.created', gen_random_uuid(), '{}', now() + interval '1 s', now() from generate_series(1, $3)`,
    [merchant.organisationId, merchant.environment, count],
  )
const recoverOf = (merchant: Merchant, webhookEndpointId: string) =>
  bookOf(service.runtime, merchant.organisationId).do((unit) =>
    recover(unit, { webhookEndpointId, since, dryRun: false }),
  )
const answer = (delivery: DeliveryAttempt, more: Partial<Outcome>): Outcome => ({
  ...{ delivery, status: 'pending', delay: 0, attempt: notMade('x'), answered: false, gone: false, fast: true },
  ...more,
})
const claimOf = async (endpointId: string) =>
  (await claim(service.runtime.pool, { room: 200, impairedRoom: 200, busy: new Map() })).filter(
    (each) => each.endpointId === endpointId,
  )

test('an organisation repeats at most so many deliveries a day, and another is not affected', async () => {
  const [merchant, other] = [await newMerchant(service), await newMerchant(service)]
  const { id } = await endpoint(merchant, { url })
  const { id: otherId } = await endpoint(other, { url })
  for (const each of [merchant, other]) await missed(each, 5)
  await rows("insert into webhook_recoveries values ($1, 'test', (now() at time zone 'utc')::date, $2)", [
    merchant.organisationId,
    RECOVERED_PER_DAY - 2,
  ])
  const call = () => merchant.call(`POST /v1/webhooks/${id}/recover`, { body: { since } })
  expect((await call()).body.data).toEqual({ found: 5, queued: 2, dryRun: false })
  const refused = await call()
  expect([refused.status, refused.body.message]).toEqual([
    429,
    'Too many deliveries are pending or were repeated today',
  ])
  expect((await recoverOf(other, otherId)).queued).toBe(5)
  await rows('update webhook_recoveries set day = day - 1 where organisation_id = $1', [merchant.organisationId])
  expect((await call()).body.data).toEqual({ found: 3, queued: 3, dryRun: false })
})

test('one event is repeated a few times a day and not for ever', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  await missed(merchant, 1)
  const queued: number[] = []
  for (let n = 0; n < OF_EVENT_PER_DAY + 2; n++) {
    queued.push((await recoverOf(merchant, id)).queued)
    await rows(
      "update webhook_deliveries set status = 'failed', due_at = null, next_attempt_at = null where endpoint_id = $1 and status = 'pending'",
      [id],
    )
  }
  expect(queued).toEqual([...Array(OF_EVENT_PER_DAY).fill(1), 0, 0])
})

test('one replay of an organisation queues no more than one recovery, whatever its number of endpoints', async () => {
  const merchant = await newMerchant(service)
  await manyEndpoints(service, merchant, 3, url)
  await rows("update webhook_endpoints set created_at = '2026-01-01' where organisation_id = $1", [
    merchant.organisationId,
  ])
  await missed(merchant, 4000)
  const run = () => bookOf(service.runtime, merchant.organisationId).do((unit) => replay(unit, merchant, since))
  expect(await run()).toEqual({ endpoints: 3, found: 12_000, queued: 10_000 })
  expect(await run()).toEqual({ endpoints: 3, found: 2000, queued: 2000 })
})

test('repeated deliveries to a receiver that is not proven are due ten a minute, also over several recoveries; to a proven one at once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const due = async () =>
    (
      await rows(
        'select round(extract(epoch from due_at - created_at))::int as n from webhook_deliveries where endpoint_id = $1 order by created_at, due_at',
        [id],
      )
    ).map(({ n }) => n)
  await missed(merchant, 15)
  await recoverOf(merchant, id)
  expect(await due()).toEqual([...Array(10).fill(0), 6, 12, 18, 24, 30])
  await missed(merchant, 15)
  await recoverOf(merchant, id)
  const last = (await due()).at(-1)
  expect([last > 110, last <= 120]).toEqual([true, true])
  const { id: proven } = await endpoint(merchant, { url })
  await rows('update webhook_queues set proven_at = now() where endpoint_id = $1', [proven])
  await missed(merchant, 15)
  await recoverOf(merchant, proven)
  expect(await rows('select from webhook_deliveries where endpoint_id = $1 and due_at > now()', [proven])).toEqual([])
})

test('an endpoint that has never answered 2xx gets ten attempts a minute at most; its first answer ends that, and a new URL begins anew', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  await emitEvents(service.runtime, merchant, 30)
  while (await fanOutTask.run(service.runtime));
  let attempts = 0
  const fail = async () => {
    for (let n = 0; n < 12; n++) {
      const claimed = await claimOf(id)
      attempts += claimed.length
      await settle(
        service.runtime.pool,
        claimed.map((each) => answer(each, { delay: 3600 })),
      )
      await rows('update webhook_queues set due_at = now() - make_interval(secs => 1) where endpoint_id = $1', [id])
    }
  }
  await fail()
  // A minute of passing time, twelve seconds at a time.
  for (let n = 0; n < 5; n++) {
    await rows(
      "update webhook_queues set paced_until = paced_until - interval '12 s', due_at = now() - make_interval(secs => 1) where endpoint_id = $1",
      [id],
    )
    await fail()
  }
  expect(attempts).toBe(UNANSWERED_PER_MINUTE)
  const [before] = await rows('select answered_at from webhook_queues where endpoint_id = $1', [id])
  await rows(
    "update webhook_queues set paced_until = '-infinity', due_at = now() - make_interval(secs => 1) where endpoint_id = $1",
    [id],
  )
  const [one] = await claimOf(id)
  await settle(service.runtime.pool, [
    answer(one as DeliveryAttempt, { status: 'delivered', answered: true, delay: null }),
  ])
  const [after] = await rows(
    'select answered_at is not null as answered, proven_at from webhook_queues where endpoint_id = $1',
    [id],
  )
  expect([before.answered_at, after]).toEqual([null, { answered: true, proven_at: null }])
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { url: `${url}/new` } })
  const [anew] = await rows('select answered_at, proven_at from webhook_queues where endpoint_id = $1', [id])
  expect(anew).toEqual({ answered_at: null, proven_at: null })
})
