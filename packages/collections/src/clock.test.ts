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
import { deadlocks, getSession, inOrder, poll, whileLocked } from '../test/sessions.ts'

const service = useService()

test('the sandbox clock waits for a session that changes, and meanwhile holds no session', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  expect((await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })).status).toBe(200)
  const change = await connected(service)
  try {
    // The clock moves only what has a time.
    await change.query("update collections set ends_at = now() + interval '1 day' where id = $1", [id])
    await change.query('begin')
    await change.query('select from collections where id = $1 for update', [id])
    const moved = merchant.call('POST /v1/sandbox/advance', { body: { seconds: 10 } })
    await statementsWaiting(service, 1)
    const { rowCount } = await change.query('select from checkout_sessions where parent_id = $1 for update nowait', [
      id,
    ])
    expect(rowCount).toBe(1)
    await change.query('commit')
    expect((await moved).status).toBe(200)
  } finally {
    await change.end()
  }
})

test('the sandbox clock and the report of a payment end one after the other, and neither is aborted', async () => {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant)
  const session = await startSession(service, collection.id)
  await paySession(merchant, session.id)
  const before = await deadlocks(service)
  await service.runtime.pool.query("update collections set ends_at = now() + interval '1 day' where id = $1", [
    collection.id,
  ])
  const [moved] = await whileLocked(service, { table: 'collections', id: collection.id }, async () => {
    const advanced = merchant.call('POST /v1/sandbox/advance', { body: { seconds: 1 } })
    await statementsWaiting(service, 1)
    const polled = poll(service, merchant)
    await statementsWaiting(service, 2)
    return [advanced, polled] as const
  })
  expect(moved.status).toBe(200)
  await poll(service, merchant)
  expect((await getSession(merchant, session.id)).status).toMatch(/^(processing|paid)$/)
  expect(await deadlocks(service)).toBe(before)
  await inOrder(service)
})
