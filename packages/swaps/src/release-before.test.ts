import { expect, test } from 'vitest'
import { newMerchant, newSwap, useService } from '#testing'
import { migrations } from './migrations.ts'

const service = useService()
const query = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows

/** A swap as processes of the release before write it: they set the columns that have defaults now. */
async function writeSwap(): Promise<string> {
  const { id } = await newSwap(await newMerchant(service))
  const [row] = await query(
    `insert into swaps select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'deposit_address', s.deposit_address || 'x', 'derivation_index', -1,
       'next_poll_at', now() + interval '5 seconds', 'poll_seconds', 5, 'read_to', 'there', 'failing_since', now(), 'error', 'why'))).* from swaps s where id = $1 returning id`,
    [id],
  )
  return row.id
}

const pollOf = (id: string) =>
  query(
    'select poll_seconds as seconds, next_poll_at <= now() as due, read_to, failing_since is not null as failing, error from swap_polls where id = $1',
    [id],
  )

const WRITTEN = { seconds: 5, due: false, read_to: 'there', failing: true, error: 'why' }

test('a swap that a process of the release before creates or makes due is processed by this one', async () => {
  const id = await writeSwap()
  expect(await pollOf(id)).toEqual([WRITTEN])
  // A claim of such a process takes nothing from this one.
  await query("update swaps set next_poll_at = now() + interval '1 hour' where id = $1", [id])
  expect(await pollOf(id)).toEqual([WRITTEN])
  await query('update swaps set next_poll_at = now() where id = $1', [id])
  expect(await pollOf(id)).toEqual([{ ...WRITTEN, due: true }])
})

test('a process of the release before processes a swap that this one creates', async () => {
  const { id } = await newSwap(await newMerchant(service))
  expect(
    await query(
      "select poll_seconds as seconds, next_poll_at between now() and now() + interval '6 seconds' as soon, read_to, failing_since from swaps where id = $1",
      [id],
    ),
  ).toEqual([{ seconds: 5, soon: true, read_to: null, failing_since: null }])
  expect(await pollOf(id)).toEqual([{ seconds: 5, due: false, read_to: null, failing: false, error: null }])
})

test('the polls of swaps that exist are taken over, also by a step that was interrupted, and changes of this release stay', async () => {
  const [taken, changed] = [await writeSwap(), await writeSwap()]
  await query('delete from swap_polls where id = $1', [taken])
  await query('update swap_polls set poll_seconds = 3600 where id = $1', [changed])
  const step = migrations.find(({ name }) => name.endsWith('swap_polls_taken_over'))
  for (const statement of step?.up ?? []) await query(statement)
  expect(await pollOf(taken)).toEqual([WRITTEN])
  expect(await pollOf(changed)).toEqual([{ ...WRITTEN, seconds: 3600 }])
})

test('a process of the release before needs no right in the new table, which it has only after the last step of the migration', async () => {
  const rows = await query("select prosecdef as as_owner from pg_proc where proname = 'follow_swap_polls'")
  expect(rows).toEqual([{ as_owner: true }])
})
