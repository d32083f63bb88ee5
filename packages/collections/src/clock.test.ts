import { expect, test } from 'vitest'
import { act, connected, newCollection, newMerchant, statementsWaiting, useService } from '#testing'

const service = useService()

test('the sandbox clock waits for a session that changes, and meanwhile holds nothing that the change still needs', async () => {
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
    for (const [table, where] of [
      ['checkout_sessions', 'parent_id = $1'],
      ['payment_routes', 'id in (select route_id from checkout_sessions where parent_id = $1)'],
    ]) {
      const { rowCount } = await change.query(`select from ${table} where ${where} for update nowait`, [id])
      expect([table, rowCount]).toEqual([table, 1])
    }
    await change.query('commit')
    expect((await moved).status).toBe(200)
  } finally {
    await change.end()
  }
})
