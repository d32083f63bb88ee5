import { beforeAll, expect, test } from 'vitest'
import { call, expectConsistent, type Merchant, newCngn, newMerchant, signedIn, useService } from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, sendWaiting, show } from '../test/money.ts'

// An organisation is suspended, for example because a thief has its key. What it has not sent yet must not leave.

const service = useService()
let token: string
beforeAll(async () => {
  token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
const ops = (line: string, body: object = {}) =>
  call(service, line.replace(' ', ' /v1/admin/ops/'), { token, key: null, body: { reason: 'A stolen key', ...body } })

/** What the provider has settles, without the sandbox clock: a suspended organisation cannot move it. */
async function settle(merchant: Merchant): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await moveOn(service, merchant)
    await service.runtime.pool.query(
      "update sandbox_cngn_transactions set settles_from = settles_from - interval '3 seconds' where account = $1",
      [merchant.organisationId],
    )
  }
}

/** A merchant whose organisation was suspended after it had asked for money out, before any of it was sent. */
async function begin() {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '5000')
  const made = {
    payouts: await newCngn(merchant, 'payouts', customerId),
    withdrawals: await newCngn(merchant, 'withdrawals', customerId),
    converts: await newCngn(merchant, 'converts', customerId, {
      ...{ amount: '1600', fromCurrency: 'cNGN', toCurrency: 'USDC', networkKey: 'base' },
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    }),
  }
  const ids = Object.values(made).map(({ id }) => id as string)
  expect((await ops(`POST organisations/${merchant.organisationId}/suspend`)).status).toBe(200)
  await sendWaiting(service, merchant)
  return { merchant, customerId, ids, payout: made.payouts.id as string, withdrawal: made.withdrawals.id as string }
}
const sent = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      "select 1 from sandbox_cngn_transactions where account = $1 and channel in ('payout', 'withdrawal')",
      [organisationId],
    )
  ).rowCount
const states = async (ids: readonly string[]) =>
  (
    await service.runtime.pool.query<{ status: string }>(
      'select status from cngn_sends where id = any ($1) order by array_position($1::uuid[], id)',
      [ids],
    )
  ).rows.map(({ status }) => status)

test('a payout, withdrawal or convert that was not sent is held, and operators see it', async () => {
  const { merchant, ids } = await begin()
  expect([await states(ids), await sent(merchant)]).toEqual([['held', 'held', 'held'], 0])
  const { body } = await call(service, 'POST /v1/admin/ops/attention', {
    ...{ token, key: null },
    body: { kind: 'cngn_transfer' },
  })
  const seen = body.data.objects.filter(({ id }: { id: string }) => ids.includes(id))
  expect(seen).toHaveLength(3)
  for (const each of seen)
    expect(each).toMatchObject({ status: 'pending', condition: 'held', reason: 'organisation_suspended' })
  // It stays so when the organisation is active again: what a thief has asked for does not leave then, either.
  expect((await ops(`POST organisations/${merchant.organisationId}/reactivate`)).status).toBe(200)
  await moveOn(service, merchant, 3)
  expect([await states(ids), await sent(merchant)]).toEqual([['held', 'held', 'held'], 0])
})

test('what an operator releases is sent once, though the organisation is still suspended; what one fails is back in the balance', async () => {
  const { merchant, customerId, ids, payout, withdrawal } = await begin()
  const release = (id: string) => ops(`POST cngn/transfers/${id}/release`)
  const answers = await Promise.all([release(payout), release(payout), release(payout)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body.message).toBe(
    'The object is not held: nothing waits for its release',
  )
  const settled = await ops(`POST cngn/transfers/${withdrawal}/settle`, {
    outcome: 'failed',
    evidence: 'A thief asked',
  })
  expect(settled.status, settled.text).toBe(200)
  await settle(merchant)
  expect(await show(merchant, 'payouts', payout)).toMatchObject({ status: 'completed' })
  expect(await eventsOf(service, payout)).toEqual(['>pending', 'pending>processing', 'processing>completed'])
  expect(await show(merchant, 'withdrawals', withdrawal)).toMatchObject({ status: 'failed' })
  expect([await sent(merchant), await states(ids)]).toEqual([1, ['ended', 'ended', 'held']])
  expect(await balanceOf(merchant, customerId)).toEqual(['3300', '0'])
  await expectConsistent(service)
})

test('what was sent before its organisation was suspended finishes', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await sendWaiting(service, merchant)
  expect((await ops(`POST organisations/${merchant.organisationId}/suspend`)).status).toBe(200)
  await settle(merchant)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
})
