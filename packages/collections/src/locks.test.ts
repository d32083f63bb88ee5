import { expect, test } from 'vitest'
import {
  act,
  connected,
  newCollection,
  newMerchant,
  paySession,
  startSession,
  statementsWaiting,
  useService,
} from '#testing'
import { deadlocks, getSession, inOrder, poll, settle } from '../test/sessions.ts'

const service = useService()

/** Two sessions of an invoice, of which the second has a payment that its next poll finds. */
async function begin() {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, { type: 'invoice' })
  const [first, second] = [await startSession(service, collection.id), await startSession(service, collection.id)]
  return { merchant, collection, first, second }
}

test('a deletion and a report that both wait for the invoice end one after the other, and neither is aborted', async () => {
  const { merchant, collection, second } = await begin()
  await paySession(merchant, second.id)
  const before = await deadlocks(service)
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query('select from collections where id = $1 for update', [collection.id])
    // It cancels both sessions once it has the invoice.
    const deleted = merchant.call(`DELETE /v1/collections/${collection.id}`)
    await statementsWaiting(service, 1)
    // It has locked the route of the second session.
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    await holder.query('commit')
    expect((await deleted).status).toBe(200)
    await polled
  } finally {
    await holder.end()
  }
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
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query('select from collections where id = $1 for update', [collection.id])
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    await holder.query('commit')
    await polled
  } finally {
    await holder.end()
  }
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
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query('select from checkout_sessions where id = $1 for update', [second.id])
    const cancelled = act(service, second.id, { action: 'cancel' })
    await statementsWaiting(service, 1)
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    await holder.query('commit')
    expect((await cancelled).status).toBe(200)
    await polled
  } finally {
    await holder.end()
  }
  await settle(service, merchant)
  expect(await deadlocks(service)).toBe(before)
  await inOrder(service)
})
