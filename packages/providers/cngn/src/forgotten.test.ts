import { cngnProvider } from '@payments/cngn'
import { bind, newId } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connected, restoredTo, soon, useService } from '#testing'
import { QUICK, startCngn } from '../test/server.ts'

// Money that left without an order of a database that was restored, and requests that look like it.

const world = await startCngn(QUICK)
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })
// While money is missing that no order explains yet, the comparison of the treasury holds back other orders of these tests.
beforeAll(() => service.runtime.boss.unschedule('cngn.compare-treasury'))
const { begin, after, triggerAll, stopLists, forget, settle, compare } = restoredTo(service, world)

/** The movements of an account without an order, as `compare` kept them, for which no request is held. */
async function freeMovements(accountNumber: string): Promise<string[]> {
  const { rows } = await service.runtime.pool.query<{ reference: string }>(
    'select reference from cngn_forgotten where targets = array[$1] and order_id is null order by at, reference',
    [accountNumber],
  )
  return rows.map(({ reference }) => reference)
}

test('a request is held for a movement that was forgotten, also after an operator gave an equal one to the request that was held for it', {
  timeout: 60_000,
}, async () => {
  const { sendForgotten, payout, sent, isHeld } = await begin('0123400004')
  const began = new Date()
  await sendForgotten(2)
  expect(await compare(began, '0123400004')).toHaveLength(2)
  const first = await payout()
  await expect.poll(() => isHeld(first), soon).toBe(true)
  const [other] = await freeMovements('0123400004')
  await settle(first, { outcome: 'completed', reference: other })
  const [left] = (await freeMovements('0123400004')).filter((reference) => reference !== other)
  expect(left).toBeDefined()
  const second = await payout()
  await expect.poll(() => isHeld(second), soon).toBe(true)
  expect(sent()).toBe(2)
  await settle(second, { outcome: 'completed', reference: left })
})

test('a request is held for a movement that was forgotten, also after an operator found that it was not that of another', {
  timeout: 60_000,
}, async () => {
  const { sendForgotten, payout, sent, isHeld } = await begin('0123400005')
  const began = new Date()
  await sendForgotten()
  expect(await compare(began, '0123400005')).toHaveLength(1)
  const first = await payout()
  await expect.poll(() => isHeld(first), soon).toBe(true)
  await settle(first, { outcome: 'failed' })
  const second = await payout()
  await expect.poll(() => isHeld(second), soon).toBe(true)
  expect(sent()).toBe(1)
  await settle(second, { outcome: 'completed' })
})

test('a request is held for a movement that was forgotten, also when the provider lists it after its lists were compared', {
  timeout: 60_000,
}, async () => {
  const { sendForgotten, payout, sent, isHeld } = await begin('0123400008')
  const began = new Date()
  expect(await compare(began, '0123400008')).toEqual([])
  const restore = newId()
  await service.runtime.pool.query(
    "insert into restores (id, reason, found_at, restored_to, secured_at, reconciled_at) values ($1, 'declared', now(), $2, now(), now())",
    [restore, began],
  )
  try {
    await sendForgotten()
    await expect.poll(() => after(() => freeMovements('0123400008')), soon).toHaveLength(1)
    const order = await payout()
    await expect.poll(() => isHeld(order), soon).toBe(true)
    expect(sent()).toBe(1)
    await settle(order, { outcome: 'completed' })
  } finally {
    await service.runtime.pool.query('delete from restores where id = $1', [restore])
  }
})

/** Makes an order what it was before its reference was known, whatever its state: no edge leads back. */
async function loseReference(id: string): Promise<void> {
  const owner = await connected(service)
  try {
    await owner.query('begin; alter table cngn_sends disable trigger cngn_sends_status_moves')
    await owner.query(
      "update cngn_sends set status = 'unresolved', reference = null, next_check_at = null where id = $1",
      [id],
    )
    await owner.query('alter table cngn_sends enable trigger cngn_sends_status_moves; commit')
  } finally {
    await owner.end()
  }
}

test.each([
  ['was forgotten and is made again', '0123400006'],
  ['may have been sent', '0123400007'],
])(
  'an order that %s is not sent because an equal one is found while it is looked at',
  {
    timeout: 60_000,
  },
  async (what, accountNumber) => {
    const { sendForgotten, payout, sent, row, isHeld } = await begin(accountNumber)
    const began = new Date()
    const { pool } = service.runtime
    const unresolved = await payout()
    await expect.poll(async () => (await after(() => row(unresolved))).known, soon).toBe(true)
    const isForgotten = what.includes('forgotten')
    let order = ''
    if (isForgotten) {
      await sendForgotten()
      expect(await compare(began, accountNumber)).toHaveLength(1)
    } else {
      order = await payout()
      await expect.poll(async () => (await after(() => row(order))).known, soon).toBe(true)
      await forget([order])
      await pool.query('update cngn_sends set maybe_sent_from = created_at, maybe_sent_until = now() where id = $1', [
        order,
      ])
    }
    const { rows } = await pool.query<{ reference: string }>('select reference from cngn_sends where id = $1', [
      unresolved,
    ])
    await stopLists()
    await loseReference(unresolved)
    if (isForgotten) order = await payout()
    // Between what is read of the order and its claim the treasury is looked at.
    const [owner, watching] = [await connected(service), await connected(service)]
    try {
      await owner.query('begin')
      await owner.query('lock table cngn_treasuries in access exclusive mode')
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like 'select exists (select from cngn_treasuries t%'`
      const looks = async () => {
        const { rowCount } = await watching.query(waiting)
        if (rowCount) return rowCount
        // A worker that took the order when it was made postpones it, perhaps only now.
        await pool.query(
          `update cngn_sends set next_send_at = now() - make_interval(secs => 1)
            where id = (select id from cngn_sends where id = $1 for no key update skip locked)`,
          [order],
        )
        triggerAll()
        return rowCount
      }
      await expect.poll(looks, soon).toBe(1)
      await pool.query("update cngn_sends set status = 'accepted', reference = $2 where id = $1", [
        unresolved,
        rows[0]?.reference,
      ])
      await owner.query('commit')
    } finally {
      await Promise.all([owner.end(), watching.end()])
    }
    const seen = async () => (isForgotten ? isHeld(order) : (await after(() => row(order))).known)
    await expect.poll(seen, soon).toBe(true)
    expect(sent()).toBe(2)
  },
)
