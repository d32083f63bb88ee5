import { expect, test } from 'vitest'
import { act, newCollection, newMerchant, paySession, startSession, statementsWaiting, useService } from '#testing'
import { deadlocks, getSession, inOrder, poll, settle, whileLocked } from '../test/sessions.ts'

const service = useService()

/** Another payer than the first: the same one would get its session again. */
const OTHER = { payerEmail: 'other@example.com' }

/** Two sessions of an invoice, of which the second has a payment that its next poll finds. */
async function begin() {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, { type: 'invoice' })
  const [first, second] = [
    await startSession(service, collection.id),
    await startSession(service, collection.id, OTHER),
  ]
  return { merchant, collection, first, second }
}

test('a deletion and a report that both wait for the invoice end one after the other, and neither is aborted', async () => {
  const { merchant, collection, second } = await begin()
  await paySession(merchant, second.id)
  const before = await deadlocks(service)
  const [deleted] = await whileLocked(service, { table: 'collections', id: collection.id }, async () => {
    // It cancels both sessions once it has the invoice.
    const deletion = merchant.call(`DELETE /v1/collections/${collection.id}`)
    await statementsWaiting(service, 1)
    // It has locked the route of the second session.
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    return [deletion, polled] as const
  })
  expect(deleted.status).toBe(200)
  await settle(service, merchant)
  expect(await getSession(merchant, second.id)).toMatchObject({ status: 'cancelled', receivedAmount: '25' })
  expect(await deadlocks(service)).toBe(before)
  await inOrder(service)
})

test('two payments of one invoice, of which the first cancels the session of the other, are applied one after the other, and neither is aborted', async () => {
  const { merchant, collection, first, second } = await begin()
  for (const { id } of [first, second]) await paySession(merchant, id)
  await service.runtime.pool.query('update sandbox_relay_requests set settles_at = now()')
  const before = await deadlocks(service)
  await whileLocked(service, { table: 'collections', id: collection.id }, async () => {
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    return [polled] as const
  })
  const sessions = await Promise.all([first, second].map(({ id }) => getSession(merchant, id)))
  expect(sessions.map(({ status, receivedAmount }) => [status, receivedAmount]).sort()).toEqual([
    ['cancelled', '25'],
    ['paid', '25'],
  ])
  expect(await deadlocks(service)).toBe(before)
  await inOrder(service)
})

test('a cancellation and a report of the same session end one after the other, and neither is aborted', async () => {
  const { merchant, second } = await begin()
  await paySession(merchant, second.id)
  const before = await deadlocks(service)
  const [cancelled] = await whileLocked(service, { table: 'checkout_sessions', id: second.id }, async () => {
    const cancellation = act(service, second.id, { action: 'cancel' })
    await statementsWaiting(service, 1)
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    return [cancellation, polled] as const
  })
  expect(cancelled.status).toBe(200)
  await settle(service, merchant)
  expect(await deadlocks(service)).toBe(before)
  await inOrder(service)
})
