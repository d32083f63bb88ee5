import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { deliveriesOf, endpoint, finished, receiverPool, stored } from '../test/deliveries.ts'

const receivers = await receiverPool(4)
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })
const HEADER = 'x-service-challenge'

test('a receiver that returns the signed challenge of a delivery is proven, and gets no other challenge', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start(({ headers }) => ({
    status: 204,
    headers: { [HEADER]: String(headers[HEADER] ?? '') },
  }))
  const { id, secret } = await endpoint(merchant, { url: receiver.url })
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  await deliveriesOf(merchant, id, finished)
  const [first] = receiver.received
  const expected = createHmac('sha256', secret)
    .update(`challenge.${first?.headers['x-service-delivery']}`)
    .digest('hex')
  expect(first?.headers[HEADER]).toBe(expected)
  const [queue] = await stored(service, 'webhook_queues', 'endpoint_id', id)
  expect(queue.proven_at).not.toBeNull()
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  await deliveriesOf(merchant, id, (all) => all.length === 2 && finished(all))
  expect(receiver.received.at(-1)?.headers[HEADER]).toBeUndefined()
})

test.each([
  ['nothing', () => undefined],
  ['another value', () => 'f'.repeat(64)],
  ['the header beside a failure', (challenge: string) => challenge],
] as const)('a receiver that returns %s is not proven, and gets its events', async (what, reply) => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start(({ headers }, count) => {
    const value = reply(String(headers[HEADER]))
    return {
      status: what === 'the header beside a failure' && count === 1 ? 500 : 200,
      ...(value && count === 1 ? { headers: { [HEADER]: value } } : {}),
    }
  })
  const { id } = await endpoint(merchant, { url: receiver.url })
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  await deliveriesOf(merchant, id, (all) => all.some(({ status }) => status === 'delivered'))
  const [queue] = await stored(service, 'webhook_queues', 'endpoint_id', id)
  expect([queue.proven_at, queue.answered_at === null]).toEqual([null, false])
})
