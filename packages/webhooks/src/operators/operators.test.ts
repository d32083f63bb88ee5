import { afterEach, expect, test } from 'vitest'
import { call, newMerchant, signedIn, useService } from '#testing'
import { deliveriesOf, emitEvents, endpoint, receiverPool } from '../../test/deliveries.ts'

const receivers = await receiverPool(1)
const service = useService({
  worker: true,
  settings: { OPERATOR_EMAILS: 'operator@example.com', WEBHOOK_DEV_TARGETS: receivers.devTargets },
})
const open = new Set<AbortController>()
afterEach(() => {
  for (const stream of open) stream.abort()
  open.clear()
})

/** Opens the stream of changes. `text` grows with what it says. */
async function watch(token: string, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  open.add(stop)
  const reply = await fetch(`${service.url}/v1/admin/ops/changes/stream`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: stop.signal,
  })
  const stream = { reply, text: '' }
  const read = async () => {
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) stream.text += chunk
  }
  void read().catch(() => undefined)
  await expect.poll(() => stream.text).not.toBe('')
  return stream
}
const changes = ({ text }: { text: string }) => text.split('event: changed').length - 1
/** Waits until what happened before the stream was open, and may not have been read yet, has been announced. */
async function quiet(stream: { text: string }): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 500))
  return changes(stream)
}
const operator = async () =>
  (await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })).accessToken

test('operators learn within a second that something has changed in any organisation, and nothing of what it was', async () => {
  const merchant = await newMerchant(service)
  const stream = await watch(await operator())
  expect(stream.reply.headers.get('content-type')).toMatch('text/event-stream')
  const before = await quiet(stream)
  const [id] = await emitEvents(service.runtime, { organisationId: merchant.organisationId, environment: 'test' })
  await expect.poll(() => changes(stream), { timeout: 10_000 }).toBeGreaterThan(before)
  for (const secret of [merchant.organisationId, id ?? '', 'payment_route']) expect(stream.text).not.toContain(secret)
})

test('operators learn of what another operator did, and a stream that is resumed says at once that something may have changed', async () => {
  const merchant = await newMerchant(service)
  const token = await operator()
  expect((await watch(token, { 'last-event-id': '1' })).text).toContain('event: changed')
  const stream = await watch(token)
  const before = await quiet(stream)
  const suspended = await call(service, `POST /v1/admin/ops/organisations/${merchant.organisationId}/suspend`, {
    token,
    key: null,
    body: { reason: 'Asked for' },
  })
  expect(suspended.status, suspended.text).toBe(200)
  await expect.poll(() => changes(stream), { timeout: 10_000 }).toBeGreaterThan(before)
})

test('what happened just before a stream was opened is announced, because it may not have been read', async () => {
  const { organisationId } = await newMerchant(service)
  const token = await operator()
  await emitEvents(service.runtime, { organisationId, environment: 'test' })
  for (const stream of [await watch(token), await watch(token)])
    await expect.poll(() => changes(stream), { timeout: 10_000 }).toBeGreaterThan(0)
})

test('the reply of a receiver is read by an operator with a reason, which is in the audit log without the reply', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const receiver = await receivers.start(() => ({ status: 200, body: '<b>Ada Obi</b>' }))
  const { id: endpointId } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, { organisationId, environment: 'test' })
  const [{ id }] = await deliveriesOf(merchant, endpointId, ([first]) => first?.status === 'delivered')
  const read = (token: string, body: object) =>
    call(service, `POST /v1/admin/ops/webhooks/deliveries/${id}/read`, { token, key: null, body })
  const token = await operator()
  expect((await read(token, {})).body.errors).toEqual({ reason: 'Required' })
  const { status, body } = await read(token, { reason: 'Ticket 7' })
  expect([status, body.data.attempts[0].responseBody]).toEqual([200, '<b>Ada Obi</b>'])
  const { rows } = await service.runtime.pool.query(
    'select organisation_id, reason, input, after from audit_log where resource_id = $1',
    [id],
  )
  expect(rows).toEqual([{ organisation_id: organisationId, reason: 'Ticket 7', input: { deliveryId: id }, after: {} }])
  const { accessToken: owner } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  expect((await read(owner, { reason: 'Ticket 7' })).status).toBe(403)
})
