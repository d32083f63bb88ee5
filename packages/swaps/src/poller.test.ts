import { expect, test } from 'vitest'
import { newMerchant, newSwap, useService } from '#testing'
import { claimDue } from './poller.ts'

const service = useService()
/** More than one claim takes. */
const MANY = 55

test('organisations take turns: many due swaps of one do not delay the swap of another', async () => {
  const { pool } = service.runtime
  const [busy, other] = [await newMerchant(service), await newMerchant(service)]
  for (let made = 0; made < MANY; made++) await newSwap(busy)
  const { id } = await newSwap(other)
  await pool.query("update swaps set next_poll_at = now() - interval '1 hour'")
  await pool.query("update swaps set next_poll_at = now() - interval '1 second' where id = $1", [id])
  const claimed = await claimDue(service.runtime, 'test')
  expect(claimed.map((swap) => swap.id)).toContain(id)
  expect(claimed).toHaveLength(50)
})
