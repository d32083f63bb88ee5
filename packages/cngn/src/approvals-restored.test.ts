import { expect, test } from 'vitest'
import {
  call,
  cngnBodies,
  dyingEverywhere,
  expectConsistent,
  forgetApprovals,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { balanceOf, enabled, moveOn, readList, sendWaiting, show } from '../test/money.ts'
import { restore } from './operators/restore.ts'

// A database that was restored to before approvals, with a provider that knows orders by their ids.

const service = useService()

const convert = {
  ...{ fromCurrency: 'cNGN', toCurrency: 'USDC', networkKey: 'base' },
  destinationAddress: cngnBodies.withdrawals.address,
}

/** A merchant with 20,000 cNGN whose payouts need a second person, and who that is. */
async function begin() {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '20000')
  await merchant.call('PATCH /v1/payout-controls', { body: { approval: { from: { cNGN: '1000' } } } })
  const second = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'finance' })
  const answer = async (id: string, how: 'approve' | 'reject') =>
    (await call(service, `POST /v1/payout-approvals/${id}/${how}`, { token: second.accessToken, key: null, body: {} }))
      .status
  return { merchant, customerId, answer }
}

test('a crash before any statement, while it is found out whether payouts were approved before a restore, sends and frees nothing twice', async () => {
  const { merchant, customerId, answer } = await begin()
  const sent = [
    await newCngn(merchant, 'withdrawals', customerId, { amount: '1000' }),
    await newCngn(merchant, 'converts', customerId, { ...convert, amount: '2000' }),
  ].map(({ id }) => id as string)
  const kept = [
    await newCngn(merchant, 'withdrawals', customerId, { amount: '1000' }),
    await newCngn(merchant, 'payouts', customerId, { amount: '1500' }),
  ].map(({ id }) => id as string)
  const began = new Date(Date.now() - 1000)
  for (const id of sent) expect(await answer(id, 'approve')).toBe(200)
  await sendWaiting(service, merchant)
  await forgetApprovals(service, sent)
  const forgotten = { from: began, to: new Date() }
  expect((await restore.secure?.(service.runtime.pool, forgotten, service.runtime.settings))?.join('\n')).toContain(
    '4 cNGN payouts (test) were waiting for approval',
  )
  const refused = async (ids: readonly string[]) => {
    for (const id of ids) expect([await answer(id, 'approve'), await answer(id, 'reject')]).toEqual([409, 409])
  }
  await refused([...sent, ...kept])
  // Two equal ones are in doubt one after the other.
  for (let rounds = 0; rounds < 3; rounds++) {
    await dyingEverywhere(service, (runtime) => sendWaiting(service, merchant, runtime))
    await service.runtime.pool.query(
      `update cngn_sends set sent_at = sent_at - interval '10 seconds', maybe_sent_until = maybe_sent_until - interval '10 seconds'
        where organisation_id = $1 and reference is null`,
      [merchant.organisationId],
    )
    if (rounds === 0) {
      await readList(service, merchant)
      // One list that lacks them frees nothing.
      await refused(kept)
    }
    await dyingEverywhere(service, (runtime) => readList(service, merchant, runtime))
    await readList(service, merchant)
  }
  const { rows } = await service.runtime.pool.query('select id from cngn_sends where id = any ($1)', [kept])
  expect(rows).toEqual([])
  const [again, back] = kept as [string, string]
  expect([await answer(again, 'approve'), await answer(back, 'reject')]).toEqual([200, 200])
  for (let times = 0; times < 4; times++) await moveOn(service, merchant, 5)
  const objects = [
    await show(merchant, 'withdrawals', sent[0] ?? ''),
    await show(merchant, 'converts', sent[1] ?? ''),
    await show(merchant, 'withdrawals', again),
    await show(merchant, 'payouts', back),
  ]
  expect(objects.map(({ status, approval }) => `${status} ${approval.status}`)).toEqual([
    'completed approved',
    'completed approved',
    'completed approved',
    'failed rejected',
  ])
  const left = await service.runtime.pool.query(
    "select count(*)::int as count, sum(amount)::text as sum from sandbox_cngn_transactions where account = $1 and channel in ('payout', 'withdrawal')",
    [merchant.organisationId],
  )
  expect(left.rows).toEqual([{ count: 3, sum: '4000000000' }])
  expect(await balanceOf(merchant, customerId)).toEqual(['16000', '0'])
  await expectConsistent(service, 'others')
})

test('an operator settles a payout of which a restored database does not know whether it was approved, either way', async () => {
  const { merchant, customerId } = await begin()
  const ids = [
    (await newCngn(merchant, 'withdrawals', customerId, { amount: '1000' })).id,
    (await newCngn(merchant, 'payouts', customerId, { amount: '1500' })).id,
  ] as const
  await restore.secure?.(
    service.runtime.pool,
    { from: new Date(Date.now() - 1000), to: new Date() },
    service.runtime.settings,
  )
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const settle = async (id: string, outcome: string) => {
    const { status, text } = await call(service, `POST /v1/admin/ops/cngn/transfers/${id}/settle`, {
      ...{ token, key: null },
      body: { outcome, evidence: 'The bank has it', reason: 'After a restore' },
    })
    expect(status, text).toBe(200)
  }
  await settle(ids[0], 'completed')
  await settle(ids[1], 'failed')
  expect((await show(merchant, 'withdrawals', ids[0])).approval.status).toBe('approved')
  expect((await show(merchant, 'payouts', ids[1])).approval.status).toBe('rejected')
  expect(await balanceOf(merchant, customerId)).toEqual(['19000', '0'])
  await expectConsistent(service, 'others')
})
