import { assets, toMinor } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, payPageOf, paySession, startService, startSession, useService } from '#testing'
import { getSession, settle } from '../../test/sessions.ts'
import { fiatValue, partOfPrice } from './prices.ts'

const service = useService()
const create = (merchant: Awaited<ReturnType<typeof newMerchant>>, more: object) =>
  merchant.call('POST /v1/collections', {
    body: {
      type: 'checkout',
      title: 'Order 1042',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      ...more,
    },
  })

test('a price in naira asks for as much of the stablecoin as sells for it, and is paid and shown to the unit', async () => {
  const merchant = await newMerchant(service)
  const quote = { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '100' }
  const { rate } = (await merchant.call('POST /v1/fiat/quotes/sell', { body: quote })).body.data
  const { status, body } = await create(merchant, { pricing: { currency: 'NGN', amount: '15000' } })
  expect([status, body.data]).toMatchObject([
    201,
    { amount: null, pricing: { currency: 'NGN', amount: '15000' }, status: 'open' },
  ])
  expect(await payPageOf(service, body.data.id)).toMatchObject({
    amount: null,
    pricing: { currency: 'NGN', amount: '15000' },
    fiatValue: { currency: 'NGN', amount: '15000.00' },
  })
  const session = await startSession(service, body.data.id)
  // As much as sells for the price, and not a millionth more.
  const units = toMinor(session.amount, assets.USDC)
  const [whole = '', part = ''] = rate.split('.')
  const [numerator, denominator] = [BigInt(whole + part), 10n ** BigInt(part.length)]
  const worth = (amount: bigint) => amount * numerator >= 15_000n * 1_000_000n * denominator
  expect([worth(units), worth(units - 1n)]).toEqual([true, false])
  expect(session).toMatchObject({
    pricing: { currency: 'NGN', amount: '15000', rate },
    fiatValue: { currency: 'NGN', amount: '15000.00' },
  })
  await paySession(merchant, session.id)
  await settle(service, merchant)
  const paid = await getSession(merchant, session.id)
  expect(paid).toMatchObject({ status: 'paid', receivedAmount: session.amount, remainingAmount: '0', fiatValue: null })
  expect((await merchant.call(`GET /v1/collections/${body.data.id}`)).body.data).toMatchObject({
    status: 'paid',
    receivedAmount: session.amount,
  })
})

test('each session holds the rate of its start, whatever the rate becomes', async () => {
  const own = await startService()
  try {
    const merchant = await newMerchant(own)
    const { body } = await create(merchant, { type: 'link', pricing: { currency: 'EUR', amount: '90' } })
    const first = await startSession(own, body.data.id)
    expect(first.pricing).toMatchObject({ currency: 'EUR', rate: '0.92546295' })
    // The market moves: a dollar buys half as many euros.
    await own.runtime.pool.query(
      "update swap_rates set amount_out = 50000000, quoted_at = now() + interval '1 minute' where from_currency = 'USDC'",
    )
    const second = await startSession(own, body.data.id)
    expect([second.pricing.rate, second.amount]).toEqual(['0.5', '180'])
    expect(await getSession(merchant, first.id)).toMatchObject({ amount: first.amount, pricing: first.pricing })
  } finally {
    await own.stop()
  }
})

test('dollars and euros are one to one with the stablecoin that stands for them', async () => {
  const merchant = await newMerchant(service)
  for (const [currency, price] of [
    ['USDC', 'USD'],
    ['EURC', 'EUR'],
  ] as const) {
    const { body } = await create(merchant, { currency, pricing: { currency: price, amount: '19.99' } })
    const session = await startSession(service, body.data.id, { currency })
    expect(session).toMatchObject({ amount: '19.99', pricing: { currency: price, amount: '19.99', rate: '1' } })
  }
})

test('what is left of a partly paid price is shown in the money of the country, to the cent', async () => {
  const merchant = await newMerchant(service)
  const { body } = await create(merchant, { pricing: { currency: 'USD', amount: '30' } })
  const session = await startSession(service, body.data.id)
  await paySession(merchant, session.id, { amount: '10' })
  await settle(service, merchant)
  expect(await getSession(merchant, session.id)).toMatchObject({
    status: 'underpaid',
    remainingAmount: '20',
    fiatValue: { currency: 'USD', amount: '20.00' },
  })
  expect(partOfPrice({ currency: 'NGN', amount: '100' }, 1n, 3n)).toEqual({ currency: 'NGN', amount: '33.33' })
  expect(partOfPrice({ currency: 'NGN', amount: '100' }, 2n, 3n)).toEqual({ currency: 'NGN', amount: '66.67' })
  expect(partOfPrice({ currency: 'NGN', amount: '100' }, 0n, 3n)).toBeNull()
  expect(fiatValue(0n, 'USDC')).toBeNull()
})

test('a price that is wrong, or beside an amount, is refused with its field and creates nothing', async () => {
  const merchant = await newMerchant(service)
  const wrong = async (more: object) => (await create(merchant, more)).body.errors
  const pricing = { currency: 'NGN', amount: '15000' }
  expect(await wrong({ pricing, amount: '25' })).toEqual({ pricing: 'Must be left out: the amount is given' })
  expect(
    await wrong({ type: 'invoice', pricing, items: [{ description: 'Day', quantity: 1, unitAmount: '4' }] }),
  ).toEqual({ 'pricing.amount': 'Must be left out: it follows from the items' })
  expect(await wrong({ pricing: { currency: 'NGN' } })).toEqual({
    'pricing.amount': 'Required: only with items it follows from them',
  })
  expect(await wrong({ pricing: { currency: 'NGN', amount: '0.001' } })).toEqual({
    'pricing.amount': 'NGN has at most 2 decimals',
  })
  expect(await wrong({ pricing: { currency: 'NGN', amount: '0' } })).toEqual({
    'pricing.amount': 'Must be greater than zero',
  })
  expect(await wrong({ pricing: { currency: 'GBP', amount: '5' } })).toHaveProperty(['pricing.currency'])
  expect(await wrong({ pricing, currency: 'EURC' })).toEqual({ 'pricing.currency': 'Not available for EURC' })
  expect((await merchant.call('GET /v1/collections')).body.data.total).toBe(0)
  const { body } = await create(merchant, { type: 'link', pricing })
  const start = { action: 'start', networkKey: 'ethereum', currency: 'USDC', amount: '1' }
  expect(
    (await merchant.call(`POST /v1/pay/${body.data.id}`, { body: start, token: null, key: null })).body.errors,
  ).toEqual({
    amount: 'Must be left out: the amount is fixed',
  })
})
