import { expect, test } from 'vitest'
import { newMerchant, newSwap, useService } from '#testing'
import { nextPoll } from '../swaps/schedule.ts'
import { claimDue, isUnchanged } from './poller.ts'

const service = useService()

test.each([205, 2500])(
  'organisations take turns: %s due swaps of one do not delay the swap of another',
  async (many) => {
    const { pool } = service.runtime
    const [busy, other] = [await newMerchant(service), await newMerchant(service)]
    const [one, { id }] = [await newSwap(busy), await newSwap(other)]
    await pool.query(
      `with copies as (
         insert into swaps select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'deposit_address', s.deposit_address || n, 'derivation_index', -10 * $2::int - n))).*
           from swaps s, generate_series(2, $2::int) n where s.id = $1 returning id)
       insert into swap_polls select (jsonb_populate_record(p, jsonb_build_object('id', c.id))).* from copies c, swap_polls p where p.id = $1`,
      [one.id, many],
    )
    await pool.query("update swap_polls set next_poll_at = now() - interval '1 hour'")
    await pool.query("update swap_polls set next_poll_at = now() - interval '1 second' where id = $1", [id])
    const claimed = await claimDue(service.runtime, { provider: 'sandbox', environment: 'test' })
    expect(claimed.map(({ row }) => row.id)).toContain(id)
    expect(claimed).toHaveLength(200)
  },
)

test('swaps of which nothing is new are postponed together, later the older they are, and expire all the same', async () => {
  const { pool } = service.runtime
  const merchant = await newMerchant(service)
  const [young, old, moved] = [await newSwap(merchant), await newSwap(merchant), await newSwap(merchant)]
  await pool.query("update swaps set created_at = now() - interval '15 minutes' where id = $1", [old.id])
  await pool.query('update swap_polls set next_poll_at = now() - make_interval(secs => 1) where id = any ($1)', [
    [young.id, old.id, moved.id],
  ])
  const claimed = (await claimDue(service.runtime, { provider: 'sandbox', environment: 'test' })).filter(({ row }) =>
    [young.id, old.id].includes(row.id),
  )
  expect(claimed).toHaveLength(2)
  const report = { deposits: [], finalizedAt: new Date(), readTo: null, complete: true }
  for (const each of claimed) {
    expect(isUnchanged(service.runtime, each, report)).toBe(true)
    expect(isUnchanged(service.runtime, each, { ...report, complete: false })).toBe(false)
    const late = { ...report, finalizedAt: new Date(each.row.depositsUntil.getTime() + 1) }
    expect(isUnchanged(service.runtime, each, late)).toBe(false)
    const paid = { ...report, deposits: [{ txHash: 'one', amount: 1n, at: new Date() }] }
    expect(isUnchanged(service.runtime, each, paid)).toBe(false)
  }
  const seconds = (id: string) => {
    const row = claimed.find((each) => each.row.id === id)?.row
    return nextPoll(row as NonNullable<typeof row>, false).pollSeconds
  }
  expect([seconds(young.id), seconds(old.id)]).toEqual([5, 45])
})
