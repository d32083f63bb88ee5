import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, expectConsistent, forgetApprovals, restoredTo, signedIn, soon, useService } from '#testing'
import { QUICK, startCngn } from '../test/server.ts'

// A database that was restored to before an approval has the payout as waiting, though it may have been sent.

const world = await startCngn(QUICK)
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })
const { begin: beginWith, after, hurry, stopLists, secure, compare } = restoredTo(service, world)

/** A merchant whose payouts from 100 cNGN on wait for a second person, and what an owner does with them. */
async function begin(accountNumber: string) {
  const begun = await beginWith(accountNumber)
  const { organisationId } = begun.merchant
  const as = {
    token: (await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken,
    headers: { 'x-service-environment': 'live' },
  }
  const changed = await call(service, 'PATCH /v1/payout-controls', {
    ...{ ...as, body: { approval: { from: { cNGN: '100' } } } },
  })
  expect(changed.status, changed.text).toBe(200)
  const read = async (path: string) => (await begun.merchant.call(path)).body.data
  const answer = (id: string, how: 'approve' | 'reject') =>
    call(service, `POST /v1/payout-approvals/${id}/${how}`, { ...as, body: {} })
  return {
    ...begun,
    answer,
    /** What each answer to a payout is refused with. */
    refusals: async (id: string) => [(await answer(id, 'reject')).status, (await answer(id, 'approve')).status],
    async approve(id: string) {
      const { status, text } = await answer(id, 'approve')
      expect(status, text).toBe(200)
      await expect.poll(async () => (await after(() => begun.row(id)))?.known, soon).toBe(true)
    },
    object: (id: string) => read(`GET /v1/cngn/payouts/${id}`),
    async available() {
      return (await read(`GET /v1/cngn/customers/${begun.customerId}/balance`)).available
    },
    async outcome(id: string) {
      const { approvals } = await read('GET /v1/payout-approvals')
      return approvals.find((each: { id: string }) => each.id === id).providerOutcome
    },
  }
}

const overdue = (id: string) =>
  service.runtime.pool.query(
    "update cngn_transfers set approval_expires_at = now() - interval '1 second' where id = $1",
    [id],
  )

test('a payout that was approved and sent in the time that a restored database has forgotten is neither sent again nor failed: the lists find it', {
  timeout: 120_000,
}, async () => {
  const { payout, approve, refusals, sent, object, available, outcome } = await begin('0123400011')
  const id = await payout()
  const began = new Date()
  await approve(id)
  await stopLists()
  await forgetApprovals(service, [id])
  const [said] = (await secure(began)) ?? []
  expect(said).toMatch(/^1 cNGN payouts \(live\) were waiting for approval/)
  expect(await compare(began, '0123400011')).toEqual([])
  expect(await refusals(id)).toEqual([409, 409])
  await overdue(id)
  const status = async () => {
    await hurry()
    await world.settle()
    return (await object(id)).status
  }
  await expect.poll(status, soon).toBe('completed')
  expect((await object(id)).approval).toMatchObject({ status: 'approved', decidedBy: null })
  expect([sent(), await available(), await outcome(id)]).toEqual([1, '900', null])
  await expectConsistent(service, 'others')
})

test('a payout that was not sent can be answered again once two lists and the treasury have shown that: approved, it is sent once; rejected, its money is back', {
  timeout: 120_000,
}, async () => {
  const { payout, answer, approve, refusals, sent, object, available, outcome } = await begin('0123400012')
  const [approved, rejected, expired] = [await payout(), await payout(), await payout('150')] as const
  const began = new Date()
  await secure(began)
  for (const id of [approved, rejected, expired]) expect(await refusals(id)).toEqual([409, 409])
  await overdue(expired)
  const isFree = async (id: string) => {
    await hurry()
    const { rowCount } = await service.runtime.pool.query('select from cngn_sends where id = $1', [id])
    return rowCount === 0
  }
  for (const id of [approved, rejected, expired]) await expect.poll(() => isFree(id), soon).toBe(true)
  expect(await outcome(approved)).toBe(null)
  await approve(approved)
  expect((await answer(rejected, 'reject')).status).toBe(200)
  // What is due sends the job once a minute, and may have done so already.
  await service.runtime.boss.send('cngn.expire-approval', {})
  await expect.poll(async () => (await object(expired)).failureReason, soon).toBe('approval_expired')
  const status = async () => {
    await hurry()
    await world.settle()
    return (await object(approved)).status
  }
  await expect.poll(status, soon).toBe('completed')
  expect([sent(), await available()]).toEqual([1, '900'])
  await expectConsistent(service, 'others')
})

test('of two equal payouts, one of which was approved and sent, the lists find one, and the other waits again', {
  timeout: 120_000,
}, async () => {
  const { payout, approve, sent, object, available } = await begin('0123400013')
  const ids = [await payout(), await payout()] as const
  const began = new Date()
  await approve(ids[1])
  await stopLists()
  await forgetApprovals(service, [ids[1]])
  await secure(began)
  const statuses = async () => {
    await hurry()
    await world.settle()
    const { rows } = await service.runtime.pool.query(
      `select t.status, approval_status as approval, s.id is not null as ordered
         from cngn_transfers t left join cngn_sends s on s.id = t.id where t.id = any ($1) order by 1`,
      [ids],
    )
    return rows
  }
  await expect.poll(statuses, soon).toEqual([
    { status: 'completed', approval: 'approved', ordered: true },
    { status: 'pending', approval: 'waiting', ordered: false },
  ])
  const [waiting] = [await object(ids[0]), await object(ids[1])].filter(({ status }) => status === 'pending')
  await approve(waiting.id)
  expect([sent(), await available()]).toEqual([2, '800'])
})
