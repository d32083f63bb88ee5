import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { emitEvents, endpoint } from '../../test/deliveries.ts'
import { fanOutTask } from '../events/fan-out.ts'
import type { DeliveryAttempt } from '../queue/queue.ts'
import { disableIfFailing, isDue } from './endpoint-health.ts'

const url = 'http://127.0.0.1:9/hooks'
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: 'http://127.0.0.1:9' } })
const HOUR = 3600

/** An endpoint that has failed so long, and what its merchant has been told. */
async function newEndpoint() {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const { organisationId, environment } = merchant
  return {
    id,
    merchant,
    failing: (seconds: number, notices = 0) =>
      service.runtime.pool.query(
        'update webhook_queues set failing_since = now() - make_interval(secs => $2), notices = $3 where endpoint_id = $1',
        [id, seconds, notices],
      ),
    check: (gone = false) =>
      disableIfFailing(service.runtime, { organisationId, environment, endpointId: id } as DeliveryAttempt, gone),
    notices: async () =>
      (await service.runtime.pool.query('select notices from webhook_queues where endpoint_id = $1', [id])).rows[0]
        .notices,
    status: async () => (await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status,
    told: async () =>
      (await merchant.call('GET /v1/notifications')).body.data.notifications.map(
        ({ type, title, body, resource }: Record<string, unknown>) => ({ type, title, body, resource }),
      ),
  }
}

test('a notice is due after 1, 24 and 72 hours of failing, each once, and the end after five days', () => {
  const due = (hours: number, notices: number) => isDue({ seconds: hours * HOUR, notices })
  expect([due(0.99, 0), due(1, 0), due(23, 1), due(24, 1), due(71, 2), due(72, 2)]).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
  ])
  expect([due(119.9, 3), due(120, 3), due(120, 0)]).toEqual([false, true, true])
})

test('the merchant of a failing endpoint is told once for each notice, for how long it has failed', async () => {
  const { check, failing, told, notices, status, id } = await newEndpoint()
  const times = [
    [HOUR, '1 hour'],
    [47.5 * HOUR, '47 hours'],
    [72 * HOUR, '3 days'],
  ] as const
  for (const [index, [seconds, duration]] of times.entries()) {
    await failing(seconds, index)
    await check()
    await failing(seconds, index + 1)
    await check()
    const all = await told()
    expect(all).toHaveLength(index + 1)
    expect(all[0]).toEqual({
      type: 'webhook_endpoint.failing',
      title: 'A webhook endpoint keeps failing',
      body: `Every delivery to ${url} has failed for ${duration}. After 5 days the endpoint will be disabled.`,
      resource: { type: 'webhook_endpoint', id },
    })
    expect([await notices(), await status()]).toEqual([index + 1, 'enabled'])
  }
})

test('48 hours are two days', async () => {
  const { check, failing, told } = await newEndpoint()
  await failing(48 * HOUR, 1)
  await check()
  expect((await told())[0].body).toContain('has failed for 2 days.')
})

test('a notice is counted when it is sent', async () => {
  const { check, failing, told, notices } = await newEndpoint()
  await failing(HOUR)
  await check()
  await check()
  expect([await notices(), (await told()).length]).toEqual([1, 1])
})

test('after five days of failing the endpoint is disabled, its deliveries end, and its merchant is told why', async () => {
  const { check, failing, told, status, merchant, id } = await newEndpoint()
  await emitEvents(service.runtime, merchant)
  while (await fanOutTask.run(service.runtime));
  await failing(120 * HOUR, 3)
  await check()
  expect(await status()).toBe('disabled')
  const reason = 'every delivery has failed for 5 days'
  expect(await told()).toEqual([
    {
      type: 'webhook_endpoint.disabled',
      title: 'A webhook endpoint was disabled',
      body: `${url} no longer receives events: ${reason}. Enable it again, then recover the events that it missed.`,
      resource: { type: 'webhook_endpoint', id },
    },
  ])
  const { body } = await merchant.call(`GET /v1/webhooks/${id}/deliveries`)
  expect(body.data.deliveries).toMatchObject([
    { status: 'failed', attempts: [{ error: `The endpoint was disabled: ${reason}` }] },
  ])
})

test('an endpoint that is gone is disabled at once; one that has recovered, or fails for a short time, is left alone', async () => {
  const gone = await newEndpoint()
  await gone.check(true)
  expect([await gone.status(), (await gone.told())[0].body]).toEqual([
    'disabled',
    `${url} no longer receives events: it answered 410 Gone. Enable it again, then recover the events that it missed.`,
  ])
  const healthy = await newEndpoint()
  await healthy.check()
  await healthy.failing(HOUR - 10)
  await healthy.check()
  expect([await healthy.status(), await healthy.told()]).toEqual(['enabled', []])
})

test('an endpoint that its merchant has disabled or deleted meanwhile is told about no more', async () => {
  for (const change of ['disable', 'delete']) {
    const { id, merchant, check, failing, told, status } = await newEndpoint()
    if (change === 'delete') await merchant.call(`DELETE /v1/webhooks/${id}`)
    else await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
    const before = await told()
    await failing(120 * HOUR, 3)
    await check()
    await check(true)
    expect([await status(), await told()]).toEqual([change === 'delete' ? 'revoked' : 'disabled', before])
  }
})
