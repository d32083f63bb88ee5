import { isAddressOf, networkOf } from '@payments/kernel'
import { describe, expect, test } from 'vitest'
import { newMerchant, newOfframp, useService } from '#testing'
import type { Corridor, Institution, Offers } from './provider/provider.ts'
import { checkFiatLimits, corridorOver, type Plan } from './quotes/rules.ts'

const service = useService()

const offers = { currencies: [{ code: 'NGN', minAmount: 50_000n, maxAmount: 200_000n }], corridors: [] } as Offers
const attempt = (run: () => unknown) => {
  try {
    run()
    return 'accepted'
  } catch (error) {
    return (error as { fields: Record<string, string> }).fields
  }
}

describe('an amount', () => {
  test.each<[bigint, unknown]>([
    [49_999n, { amount: 'Converts to 499.99 NGN: must be at least 500 NGN' }],
    [50_000n, 'accepted'],
    [200_000n, 'accepted'],
    [200_001n, { amount: 'Converts to 2000.01 NGN: must be at most 2000 NGN' }],
  ])('of %s kobo is within the limits of the currency, or names the one that it breaks', (fiat, expected) =>
    expect(attempt(() => checkFiatLimits(offers, 'NGN', fiat))).toEqual(expected),
  )

  test.each<[bigint, unknown]>([
    [999_999n, { amount: 'Must be at least 1 USDC' }],
    [1_000_000n, 'accepted'],
    [5_000_000n, 'accepted'],
    [5_000_001n, { amount: 'Must be at most 5 USDC' }],
  ])('of %s millionths is within the limits of the channel, or names the one that it breaks', (amount, expected) => {
    const corridor = { channel: 'bank', minAmount: 1_000_000n, maxAmount: 5_000_000n } as Corridor
    const plan = { corridors: [corridor], amount, asset: 'USDC', network: networkOf('base'), currency: 'NGN' }
    const bank = { type: 'bank', name: 'GTB' } as Institution
    expect(attempt(() => corridorOver(plan as unknown as Plan, bank, 'bankCode', 'USDC'))).toEqual(expected)
  })
})

test.each([
  ['evm', 'base', 'USDC'],
  ['svm', 'solana', 'USDC'],
  ['tvm', 'tron', 'USDT'],
] as const)(
  'the deposit of an offramp from a network of type %s that names no refund address goes back to one of that type',
  async (type, networkKey, sourceCurrency) => {
    const { id } = await newOfframp(await newMerchant(service), { networkKey, sourceCurrency })
    const { rows } = await service.runtime.pool.query('select refund_address as address from offramps where id = $1', [
      id,
    ])
    expect([networkOf(networkKey)?.type, isAddressOf(type, rows[0].address)]).toEqual([type, true])
  },
)
