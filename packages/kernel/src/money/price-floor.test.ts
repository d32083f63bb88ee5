import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryFloor, isWithinPercent, priceProblem, rateBetween } from './price-floor.ts'

const rules = { maxLossPercent: 10, bandPercent: 20, last: undefined, strict: true }
const usdc = (units: bigint) => ({ symbol: 'USDC', units })
const ether = (units: bigint, dollars?: string) => ({ symbol: 'ETH', units, dollars: dollars ?? null })
const rate = (wei: bigint, units: bigint) => rateBetween(ether(wei), usdc(units))

describe('a price is refused', () => {
  test.each([
    ['of 1 wei for 25 USDC', ether(1n, '0'), usdc(25_000_000n), rules],
    ['of 1 wei for 25 USDC, without dollars and anything before', ether(1n), usdc(25_000_000n), rules],
    ['of zero', usdc(25_000_000n), usdc(0n), rules],
    ['of nothing given', usdc(0n), usdc(25_000_000n), rules],
    ['that loses more than it may', usdc(25_000_000n), usdc(22_499_999n), rules],
    ['that gives more than it may', usdc(25_000_000n), usdc(27_500_001n), rules],
    ['below the band', ether(10n ** 16n, '19.9'), usdc(19_900_000n), { ...rules, last: rate(10n ** 16n, 25_000_000n) }],
    ['above the band', ether(10n ** 16n, '30.1'), usdc(30_100_000n), { ...rules, last: rate(10n ** 16n, 25_000_000n) }],
    [
      'wrong by 10⁹',
      usdc(1_000_000n),
      { symbol: 'NGN', units: 150_000n * 10n ** 9n },
      { ...rules, strict: false, last: rateBetween(usdc(1_000_000n), { symbol: 'NGN', units: 150_000n }) },
    ],
  ])('%s', (_name, from, to, given) => {
    expect(priceProblem(from, to, given)).toEqual(expect.any(String))
  })
})

describe('a price is accepted', () => {
  test.each([
    ['at the limit of its loss', usdc(25_000_000n), usdc(22_500_000n), rules],
    ['with equal dollars and no rate before', ether(10n ** 16n, '25.1'), usdc(25_000_000n), rules],
    ['in the band', ether(10n ** 16n, '29'), usdc(29_000_000n), { ...rules, last: rate(10n ** 16n, 25_000_000n) }],
    [
      'the first one of money without dollars',
      usdc(1_000_000n),
      { symbol: 'NGN', units: 150_000n },
      { ...rules, strict: false },
    ],
  ])('%s', (_name, from, to, given) => {
    expect(priceProblem(from, to, given)).toBeUndefined()
  })
})

test.each([
  [25_000_000n, 25_000_000n, 24_750_000n, 24_750_000n],
  // A part may cost as much as the whole.
  [4_000_000n, 25_000_000n, 24_750_000n, 3_750_000n],
  [50_000_000n, 25_000_000n, 24_750_000n, 49_500_000n],
  [25_000_000n, 25_000_000n, null, 24_250_000n],
  [100_000n, 25_000_000n, null, 0n],
])('of %s for %s with %s guaranteed, at least %s must arrive', (worth, target, guaranteed, floor) => {
  expect(deliveryFloor(worth, { target, guaranteed }, 3)).toBe(floor)
})

test('the floor of a delivery never exceeds what was paid, and never falls below the guarantee for the whole', () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  fc.assert(
    fc.property(amount, amount, fc.bigInt(0n, 10n ** 30n), (worth, target, promised) => {
      const guaranteed = promised % (target + 1n)
      const floor = deliveryFloor(worth, { target, guaranteed }, 3)
      expect(floor >= 0n && floor <= worth).toBe(true)
      expect(deliveryFloor(target, { target, guaranteed }, 3)).toBe(guaranteed)
    }),
  )
})

test('what is within some percent is so in both directions', () => {
  expect(isWithinPercent(100n, 110n, 10)).toBe(true)
  expect(isWithinPercent(100n, 90n, 10)).toBe(true)
  expect(isWithinPercent(100n, 89n, 10)).toBe(false)
})
