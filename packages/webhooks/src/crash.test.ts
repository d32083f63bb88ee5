import type { Runtime, Task } from '@payments/platform'
import { expect, test } from 'vitest'
import { dyingEverywhere, newMerchant, useService } from '#testing'
import { advance, emitEvents, endpoint } from '../test/deliveries.ts'
import { changesTask } from './endpoints/changes.ts'
import { fanOutTask } from './events/fan-out.ts'

const service = useService()
const url = 'https://merchant.example/hooks'
const rows = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows

/** Runs a task to its end, again and again, with a connection that is lost before one commit later each time. */
const dying = (task: Task): Promise<number> => dyingEverywhere(service, (runtime) => toItsEnd(task, runtime))
async function toItsEnd(task: Task, runtime: Runtime): Promise<void> {
  while (await task.run(runtime));
}

/** An endpoint with so many deliveries that are due in ten hours. */
async function waiting(count: number) {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const [event = ''] = await emitEvents(service.runtime, merchant, 1)
  await toItsEnd(fanOutTask, service.runtime)
  await rows(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, $4, 'payment_route.created', 'pending', now(), date_trunc('hour', now()) + interval '10 h', now(), now()
       from generate_series(1, $5)`,
    [merchant.organisationId, merchant.environment, id, event, count],
  )
  return { merchant, id }
}

test('a crash before any statement of the fan-out loses and doubles no delivery', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const events = await emitEvents(service.runtime, merchant, 3)
  expect(await dying(fanOutTask)).toBeGreaterThan(0)
  expect(
    (await rows('select event_id from webhook_deliveries where endpoint_id = $1 order by id', [id])).map(
      ({ event_id }) => event_id,
    ),
  ).toEqual(events)
})

test('a crash before any statement of a moved sandbox clock moves each delivery and the queue once', async () => {
  const { merchant, id } = await waiting(3500)
  await rows("update webhook_queues set failing_since = date_trunc('hour', now()) where endpoint_id = $1", [id])
  await advance(merchant, 3600)
  expect(await dying(changesTask)).toBeGreaterThan(2)
  const due = await rows(
    `select count(*)::int as n, extract(epoch from webhook_deliveries.due_at - date_trunc('hour', failing_since))::int / 3600 as hours
       from webhook_deliveries join webhook_queues using (endpoint_id) where endpoint_id = $1 and webhook_deliveries.due_at > now() + interval '1 h' group by 2`,
    [id],
  )
  expect(due).toEqual([{ n: 3500, hours: 10 }])
  expect(await rows('select from webhook_changes')).toEqual([])
})

test('a crash before any statement of the end of deliveries ends each of them once', async () => {
  const { merchant, id } = await waiting(3500)
  await merchant.call(`DELETE /v1/webhooks/${id}`)
  expect(await dying(changesTask)).toBeGreaterThan(2)
  expect(
    await rows(
      'select status, jsonb_array_length(attempts) as reasons, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by 1, 2',
      [id],
    ),
  ).toEqual([{ status: 'failed', reasons: 1, n: 3501 }])
})
