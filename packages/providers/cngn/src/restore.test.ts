import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, connected, pause, restoredTo, signedIn, soon, useService } from '#testing'
import { QUICK, startCngn } from '../test/server.ts'

// A database that was restored to an earlier point does not know what was sent since. The provider's lists do, without our references.

const world = await startCngn(QUICK)
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })
const { begin, after, hurry, forget, tryNow, settle, secure, compare } = restoredTo(service, world)

test.each([
  ['oldest', '0123400001'],
  ['newest', '0123400003'],
])(
  'of equal orders that a restored database has as waiting, those that were sent are found, and the others are sent once: the %s is due first',
  {
    timeout: 60_000,
  },
  async (first, accountNumber) => {
    const { payout, sent, row, show } = await begin(accountNumber)
    const began = new Date()
    const ids = [await payout(), await payout()]
    await expect.poll(() => after(sent), soon).toBe(2)
    for (const id of ids) await expect.poll(async () => (await row(id)).known, soon).toBe(true)
    await forget(ids)
    // No worker claims the third meanwhile: what it looks at before is locked.
    const owner = await connected(service)
    await owner.query('begin')
    await owner.query('lock table cngn_forgotten in access exclusive mode')
    const third = await payout()
    await service.runtime.pool.query("update cngn_sends set next_send_at = 'infinity' where id = $1", [third])
    await secure(began)
    await owner.query('commit')
    await owner.end()
    expect(sent()).toBe(2)
    expect(await compare(began, accountNumber)).toEqual([])
    await tryNow(first === 'oldest' ? (ids[0] ?? '') : third)
    const known = async () => {
      await hurry()
      await world.settle()
      return Promise.all([...ids, third].map(async (id) => (await row(id)).known))
    }
    await expect.poll(known, soon).toEqual([true, true, true])
    for (const id of [...ids, third]) await expect.poll(() => show('payouts', id), soon).toBe('completed')
    expect(sent()).toBe(3)
  },
)

test('an order that the database has forgotten altogether is not sent again when it is requested again; an operator settles it', {
  timeout: 60_000,
}, async () => {
  const { sendForgotten, payout, sent, row, show } = await begin('0123400002')
  const began = new Date()
  await sendForgotten()
  expect(await secure(began)).toEqual([])
  const found = await compare(began, '0123400002')
  expect(found).toEqual([
    expect.stringMatching(/^A payout of 100 cNGN \(live\) to …0002 left at .+ without an order: /),
  ])
  // Asked twice, it is kept once.
  expect(await compare(began, '0123400002')).toEqual(found)
  const again = await payout()
  await expect.poll(async () => (await after(() => row(again))).attention, soon).toBe('outcome_unknown')
  const other = await payout('150')
  await expect.poll(async () => (await after(() => row(other))).known, soon).toBe(true)
  for (let lists = 0; lists < 3; lists++) {
    await hurry()
    await pause(700)
  }
  expect(sent()).toBe(2)
  expect(await row(again)).toMatchObject({
    sent: true,
    known: false,
    status: 'processing',
    attention: 'outcome_unknown',
  })
  await settle(again, { outcome: 'completed' })
  // What was forgotten is accounted for: the next equal order is a new one.
  const next = await payout()
  await expect.poll(async () => (await after(() => row(next))).known, soon).toBe(true)
  await world.settle()
  await expect.poll(() => show('payouts', next), soon).toBe('completed')
  expect(sent()).toBe(3)
})

test('an order that was held, released and sent in the time that a restored database has forgotten is not sent again when it is released again', {
  timeout: 60_000,
}, async () => {
  const { merchant, payout, sent, row, show } = await begin('0123400004')
  const began = new Date()
  const id = await payout()
  await expect.poll(async () => (await after(() => row(id))).known, soon).toBe(true)
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const ops = async (path: string) => {
    const { status, text } = await call(service, `POST /v1/admin/ops/${path}`, {
      ...{ token, key: null, body: { reason: 'A stolen key' } },
    })
    expect(status, text).toBe(200)
  }
  await ops(`organisations/${merchant.organisationId}/suspend`)
  await forget([id])
  await service.runtime.pool.query(
    "update cngn_sends set status = 'held', error = 'organisation_suspended' where id = $1",
    [id],
  )
  await secure(began)
  await ops(`organisations/${merchant.organisationId}/reactivate`)
  await ops(`cngn/transfers/${id}/release`)
  const found = async () => {
    await hurry()
    await world.settle()
    return (await row(id)).known
  }
  await expect.poll(found, soon).toBe(true)
  await expect.poll(() => show('payouts', id), soon).toBe('completed')
  expect(sent()).toBe(1)
})
