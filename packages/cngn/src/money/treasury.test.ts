import { beforeAll, expect, test } from 'vitest'
import { call, cngnBodies, newCngn, newMerchant, signedIn, useService } from '#testing'
import { enabled, moveOn, sendWaiting } from '../../test/money.ts'
import { books, compareTreasuries, differenceOf } from './treasury.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
const treasury = async () =>
  (await call(service, 'GET /v1/admin/ops/cngn/treasury', { token: operator })).body.data.treasuries[0]
const attention = async () =>
  (
    await call(service, 'POST /v1/admin/ops/attention', {
      token: operator,
      key: null,
      body: { kind: 'cngn_treasury' },
    })
  ).body.data.objects

test('the treasury agrees with the journal while money is in flight and at rest; while it is short, as much is held back, and an operator books the difference', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({
    balance: '1000',
    journal: '1000',
    leaving: '0',
    difference: '0',
    differsSince: null,
  })
  await newCngn(merchant, 'payouts', customerId)
  await sendWaiting(service, merchant)
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({ balance: '900', journal: '1000', leaving: '100', difference: '0' })
  await moveOn(service, merchant, 3)
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({ balance: '900', journal: '900', leaving: '0', difference: '0' })

  // A person takes cNGN out of the provider's account behind the service's back.
  await service.runtime.pool.query(
    `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, times_out, at, settles_from)
     values ('stolen', 'nobody', 'withdrawal', 'cNGN', 50000000, 0, '{}', false, now(), now())`,
  )
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({ difference: '-50', differsSince: expect.any(String) })
  expect(service.logs.join('')).toContain('treasury differs from the journal')
  // As much as is missing is held back beside it: 900 are left of 1000, less 50 that went, less 50 in doubt.
  const other = await newMerchant(service)
  const otherId = await enabled(service, other, '100')
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({ balance: '950', difference: '-50' })
  await newCngn(other, 'payouts', otherId, { amount: '50' })
  const out = { fromCurrency: 'cNGN', toCurrency: 'USDC', destinationAddress: cngnBodies.withdrawals.address }
  const attempts = () => [
    merchant.call('POST /v1/cngn/payouts', { body: { customerId, ...cngnBodies.payouts, amount: '901' } }),
    merchant.call('POST /v1/cngn/withdrawals', { body: { customerId, ...cngnBodies.withdrawals, amount: '901' } }),
    merchant.call('POST /v1/cngn/converts', { body: { customerId, ...cngnBodies.converts, ...out, amount: '901' } }),
  ]
  for (const { status, body } of await Promise.all(attempts()))
    expect([status, body.message]).toEqual([
      503,
      'cNGN cannot be sent at the moment: the balance at the provider is being checked',
    ])
  expect(await attention()).toMatchObject([{ status: 'short', reason: 'Differs from the journal by -50 cNGN' }])

  // It is looked at again when an order is claimed: what was queued before is not sent blindly.
  await service.runtime.pool.query('update cngn_treasuries set balance = 60 * 1000000')
  await sendWaiting(service, other)
  const waiting = async () =>
    (
      await service.runtime.pool.query('select sent_at, error from cngn_sends where organisation_id = $1', [
        other.organisationId,
      ])
    ).rows
  expect(await waiting()).toEqual([{ sent_at: null, error: 'cngn_float_short' }])
  await compareTreasuries(service.runtime)
  await sendWaiting(service, other)
  expect((await waiting())[0].sent_at).not.toBe(null)
  await moveOn(service, other, 3)

  const book = (amount: string) =>
    call(service, 'POST /v1/admin/ops/cngn/treasury/book', {
      ...{ token: operator, key: null },
      body: { environment: 'test', amount, evidence: 'Sent by mistake on 31 January', reason: 'Asked for' },
    })
  for (const amount of ['50', '-51', '-0']) expect((await book(amount)).status).toBe(422)
  const booked = await book('-50')
  expect([booked.status, booked.body.data], booked.text).toEqual([200, { environment: 'test', difference: '0' }])
  await compareTreasuries(service.runtime)
  expect([(await treasury()).difference, await attention()]).toEqual(['0', []])
  await newCngn(merchant, 'payouts', customerId)
})

test('what may have moved between two reads is no difference, anything beyond is', async () => {
  const of = (journal: bigint, leaving = 0n, arriving = 0n) => ({ journal, leaving, arriving })
  expect(differenceOf(100n, of(100n), of(100n))).toBe(0n)
  expect(differenceOf(60n, of(100n, 40n), of(60n))).toBe(0n)
  expect(differenceOf(59n, of(100n, 40n), of(60n))).toBe(0n - 1n)
  expect(differenceOf(130n, of(100n, 0n, 30n), of(130n))).toBe(0n)
  expect(differenceOf(131n, of(100n, 0n, 30n), of(130n))).toBe(1n)
  expect((await books(service.runtime, 'live')).journal).toBe(0n)
})
