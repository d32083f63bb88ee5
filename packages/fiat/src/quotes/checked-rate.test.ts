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

/** The refused rate was seen so many minutes earlier. */
const earlier = (minutes: number) =>
  service.runtime.pool.query(
    'update provider_prices set move_since = move_since - make_interval(mins => $1), move_at = move_at - make_interval(mins => $1)',
    [minutes],
  )

test('a market that has moved is believed after an hour of rates that say so, and operators need not do anything', async () => {
  const check = await begin()
  await check('1500')
  for (let quote = 0; quote < 4; quote++) {
    await expect(check('2000')).rejects.toMatchObject(refused)
    // A second one at the same time says no more.
    await expect(check('2010')).rejects.toMatchObject(refused)
    expect((await listed())[0].reason).toContain(`(seen ${quote + 1} of 5 times in ${quote * 15} of 60 minutes)`)
    await earlier(15)
  }
  expect(await check('2000')).toBe('2000')
  expect(await listed()).toEqual([])
  // The band is around the new one.
  await expect(check('1500')).rejects.toMatchObject(refused)
  expect(await check('2300')).toBe('2300')
})

test('a single wrong quote moves nothing, and one wrong by 10⁹ never does, however often it is given', async () => {
  const check = await begin()
  await check('1500')
  for (let quote = 0; quote < 12; quote++) {
    await expect(check('1500000000000')).rejects.toMatchObject(refused)
    await expect(check('0')).rejects.toMatchObject(refused)
    await earlier(15)
  }
  await expect(check('2000')).rejects.toMatchObject(refused)
  expect(await check('1510')).toBe('1510')
  const { rows } = await service.runtime.pool.query('select move_rate, move_seen from provider_prices')
  expect(rows).toEqual([{ move_rate: null, move_seen: 0 }])
})
