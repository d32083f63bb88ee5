import { beforeAll, expect, test } from 'vitest'
import { call, cngnBodies, newCngn, newMerchant, signedIn, useService } from '#testing'
import { enabled, moveOn, sendWaiting } from '../test/money.ts'
import { books, compareTreasuries, differenceOf } from './treasury.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
const treasury = async () =>
  (await call(service, 'GET /v1/admin/ops/cngn/treasury', { token: operator })).body.data.treasuries[0]

test('the treasury agrees with the journal while money is in flight and at rest; while it is short, no money is sent', async () => {
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

  // Somebody takes cNGN out of the provider's account behind the service's back.
  await service.runtime.pool.query(
    `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, times_out, at, settles_from)
     values ('stolen', 'nobody', 'withdrawal', 'cNGN', 50000000, 0, '{}', false, now(), now())`,
  )
  await compareTreasuries(service.runtime)
  expect(await treasury()).toMatchObject({ difference: '-50', differsSince: expect.any(String) })
  expect(service.logs.join('')).toContain('treasury differs from the journal')
  const out = { fromCurrency: 'cNGN', toCurrency: 'USDC', destinationAddress: cngnBodies.withdrawals.address }
  const attempts = [
    merchant.call('POST /v1/cngn/payouts', { body: { customerId, ...cngnBodies.payouts } }),
    merchant.call('POST /v1/cngn/withdrawals', { body: { customerId, ...cngnBodies.withdrawals } }),
    merchant.call('POST /v1/cngn/converts', { body: { customerId, ...cngnBodies.converts, ...out } }),
  ]
  for (const { status, body } of await Promise.all(attempts))
    expect([status, body.message]).toEqual([
      503,
      'cNGN cannot be sent at the moment: the balance at the provider is being checked',
    ])
  await service.runtime.pool.query("delete from sandbox_cngn_transactions where reference = 'stolen'")
  await compareTreasuries(service.runtime)
  expect((await treasury()).difference).toBe('0')
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
