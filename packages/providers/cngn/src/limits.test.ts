import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { cngnBodies, enabledCustomer, type Merchant, newCngn, newMerchant, REFUSED, useService } from '#testing'
import { startCngn } from '../test/server.ts'

const world = await startCngn({ requestsPerMinute: 6000, pollSeconds: { soonest: 1, longest: 1 } })
afterAll(() => world.close())
const service = useService({
  live: [bind(cngnProvider, 'live', world.provider)],
  worker: true,
  settings: { PAYOUT_DAILY_LIMITS: 'cNGN:150' },
})

async function funded(): Promise<{ merchant: Merchant; customerId: string }> {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const { reference } = await newCngn(merchant, 'payins', customerId, { amount: '1000' })
  await world.pay(reference, 1_000_000_000n)
  await world.settle()
  // The list would be read a quarter of a minute later.
  await service.runtime.pool.query('update cngn_feeds set next_poll_at = now() - make_interval(secs => 1)')
  const balance = async () => (await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).body.data.available
  await expect.poll(balance, { timeout: 30_000 }).toBe('1000')
  return { merchant, customerId }
}
const account = (accountNumber: string) => ({ bankAccount: { accountNumber, bankCode: '058' } })
const attempt = async (merchant: Merchant, kind: 'payouts' | 'withdrawals', customerId: string, given: object) => {
  const { status, body } = await merchant.call(`POST /v1/cngn/${kind}`, {
    body: { customerId, ...cngnBodies[kind], ...given },
  })
  return status === 201 ? status : body.message
}

test('payouts and withdrawals share the daily limit, a refused one reserves nothing, and a failed one gives its part back', async () => {
  const { merchant, customerId } = await funded()
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...account(REFUSED) })
  expect(await attempt(merchant, 'withdrawals', customerId, { amount: '60' })).toBe(
    'Daily limit of live payouts exceeded',
  )
  expect(await attempt(merchant, 'payouts', customerId, { amount: '50.01' })).toBe(
    'Daily limit of live payouts exceeded',
  )
  expect((await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).body.data.available).toBe('900')
  const status = async () => {
    await world.settle()
    return (await merchant.call(`GET /v1/cngn/payouts/${id}`)).body.data.status
  }
  await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe('failed')
  expect(await attempt(merchant, 'withdrawals', customerId, { amount: '150' })).toBe(201)
  expect(await attempt(merchant, 'payouts', customerId, { amount: '1' })).toBe('Daily limit of live payouts exceeded')
})

test('with an allow-list money goes to its destinations only', async () => {
  const { merchant, customerId } = await funded()
  await service.runtime.pool.query(
    `insert into payout_allow_lists (organisation_id, environment, destinations, entries, updated_at)
     values ($1, 'live', '{bank:058:0123456789}', '[]', now())`,
    [merchant.organisationId],
  )
  const refused = 'Destination is not among the allowed destinations'
  expect(await attempt(merchant, 'withdrawals', customerId, { amount: '10' })).toBe(refused)
  expect(await attempt(merchant, 'payouts', customerId, { amount: '10', ...account('1234567890') })).toBe(refused)
  expect(await attempt(merchant, 'payouts', customerId, { amount: '10' })).toBe(201)
})
