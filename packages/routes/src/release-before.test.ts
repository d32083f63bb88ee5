import { newId } from '@payments/kernel'
import type { ClaimedPoll } from '@payments/platform'
import { expect, test } from 'vitest'
import { foundOrganisation, newMerchant, newRoute, someWallet, useService } from '#testing'
import { migrations } from './migrations.ts'
import { budget } from './schedule/rate-budget.ts'

const service = useService()
const query = (text: string, values: unknown[] = []) => service.runtime.pool.query(text, values)
const claim = (): Promise<ClaimedPoll[]> =>
  budget.claim(service.runtime.pool, { provider: 'sandbox', environment: 'test', callsPerMinute: 60_000 }, 100)

/** Writes a route as processes of the release before do. */
async function writeRoute(): Promise<string> {
  const id = newId()
  await query(
    `insert into payment_routes (id, organisation_id, environment, provider, name, status, origin_chain_key, origin_currency, destination_chain_key, destination_currency,
       destination_address, refund_address, refund_owner, deposit_address, hidden, watched_until, next_poll_at, poll_seconds, created_at, updated_at)
     values ($1, $2, 'test', 'sandbox', 'Route', 'active', 'ethereum', 'USDC', 'base', 'USDC', $3, $3, 'organisation', $4, true, now() + interval '1 hour',
       now() + interval '15 seconds', 15, now(), now())`,
    [id, await foundOrganisation(service.runtime), someWallet(), someWallet()],
  )
  return id
}

const pollOf = async (id: string) => {
  const { rows } = await query(
    'select poll_seconds as seconds, next_poll_at <= now() as due, watched_until > now() as watched from payment_route_polls where id = $1',
    [id],
  )
  return rows
}

test('a route that a process of the release before creates, makes due or watches is polled by this one', async () => {
  const id = await writeRoute()
  expect(await pollOf(id)).toEqual([{ seconds: 15, due: false, watched: true }])
  // A claim of such a process takes nothing from this one.
  await query("update payment_routes set next_poll_at = now() + interval '1 hour' where id = $1", [id])
  expect(await pollOf(id)).toEqual([{ seconds: 15, due: false, watched: true }])
  await query(
    "update payment_routes set next_poll_at = timestamptz '1970-01-01 00:00Z', poll_seconds = 2 where id = $1",
    [id],
  )
  expect(await pollOf(id)).toEqual([{ seconds: 2, due: true, watched: true }])
  await query('update payment_routes set watched_until = now() where id = $1', [id])
  expect(await pollOf(id)).toEqual([{ seconds: 2, due: true, watched: false }])
  expect((await claim()).map((claimed) => claimed.id)).toEqual([id])
})

test('a process of the release before polls a route that this one creates', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const { rows } = await query(
    `select poll_seconds as seconds, next_poll_at between now() and now() + interval '16 seconds' as soon from payment_routes where id = $1`,
    [id],
  )
  expect(rows).toEqual([{ seconds: 15, soon: true }])
  expect(await pollOf(id)).toEqual([{ seconds: 15, due: false, watched: null }])
})

test('the polls of routes that exist are taken over, also by a step that was interrupted, and changes of this release stay', async () => {
  const [taken, changed] = [await writeRoute(), await writeRoute()]
  await query('delete from payment_route_polls where id = $1', [taken])
  await query('update payment_route_polls set poll_seconds = 3600 where id = $1', [changed])
  const step = migrations.find(({ name }) => name.endsWith('route_polls_taken_over'))
  for (const statement of step?.up ?? []) await query(statement)
  expect(await pollOf(taken)).toEqual([{ seconds: 15, due: false, watched: true }])
  expect(await pollOf(changed)).toEqual([{ seconds: 3600, due: false, watched: true }])
})

test('a process of the release before needs no right in the new table, which it has only after the last step of the migration', async () => {
  const { rows } = await query("select prosecdef as as_owner from pg_proc where proname = 'follow_payment_route_polls'")
  expect(rows).toEqual([{ as_owner: true }])
})
