import { system } from '@payments/kernel'
import { queryContext } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { checkedRate } from './checked-rate.ts'

const service = useService()
beforeEach(async () => void (await service.runtime.pool.query('delete from provider_prices')))

async function begin() {
  const { organisationId } = await newMerchant(service)
  const context = queryContext(service.runtime, system(organisationId, 'test'))
  return (rate: string, currency = 'NGN') => checkedRate(context, 'fake', { asset: 'USDC', currency, rate })
}
const refused = { status: 503, code: 'fiat_provider_failed' }

const listed = async () =>
  (
    await service.runtime.pool.query(
      'select pair, refused_reason as reason from provider_prices where refused_at is not null',
    )
  ).rows

test.each(['0', '0.00', '-1', 'NaN', ''])('a rate of %j is refused with 503, and operators are told', async (rate) => {
  await expect((await begin())(rate)).rejects.toMatchObject(refused)
  expect(await listed()).toEqual([{ pair: 'USDC>NGN', reason: 'fake: A price of zero' }])
})

test('a rate is compared with the last one of its pair: a band around it is accepted, and one wrong by 10⁹ is not', async () => {
  const check = await begin()
  expect(await check('1500.50')).toBe('1500.5')
  for (const rate of ['1500500000000', '0.0000015', '1801', '1200'])
    await expect(check(rate)).rejects.toMatchObject(refused)
  expect(await listed()).toHaveLength(1)
  expect(await check('1650')).toBe('1650')
  expect(await listed()).toEqual([])
  // The band moves with the market, and each currency has its own.
  expect(await check('1900')).toBe('1900')
  expect(await check('3700', 'UGX')).toBe('3700')
})
