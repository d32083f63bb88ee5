import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decidePrice,
  deliveryFloor,
  isWithinPercent,
  type PriceMove,
  priceProblem,
  rateBetween,
} from './price-floor.ts'

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

describe('a market that moves', () => {
  const MINUTE = 60_000
  const START = Date.UTC(2026, 10, 28, 12)
  const naira = (rate: number) => ({ symbol: 'NGN', units: BigInt(Math.round(rate * 100)) })
  const last = rateBetween(usdc(1_000_000n), naira(1500))
  /** What each rate, seen so many minutes after the start, is: accepted or refused. */
  function seen(observations: readonly (readonly [minute: number, rate: number])[], confirmations = 5): boolean[] {
    let move: PriceMove | undefined
    return observations.map(([minute, rate]) => {
      const decision = decidePrice(usdc(1_000_000n), naira(rate), {
        ...{ ...rules, strict: false, last, move, confirmations, confirmationMinutes: 60 },
        now: new Date(START + minute * MINUTE),
      })
      move = decision.move
      return decision.problem === undefined
    })
  }
  const every = (minutes: number, count: number, rate = 2000) =>
    Array.from({ length: count }, (_, place) => [place * minutes, rate] as const)
  const refusedAll = (count: number) => Array.from({ length: count }, () => false)

  test('is believed once it was seen five times over an hour, and not before', () => {
    expect(seen(every(15, 5))).toEqual([...refusedAll(4), true])
    expect(seen(every(12, 6))).toEqual([...refusedAll(5), true])
    // Seldom asked for, it takes longer.
    expect(seen(every(180, 5))).toEqual([...refusedAll(4), true])
  })

  test('is not believed by many observations at the same time', () => {
    const burst = Array.from({ length: 50 }, (_, place) => [place / 50, 2000] as const)
    expect(seen([...burst, [61, 2000]])).toEqual(refusedAll(51))
  })

  test.each([
    ['by the rate of before, which is accepted', [30, 1510], true],
    ['by a rate that is near neither', [30, 2600], false],
    ['by one that is wrong by 10⁹', [30, 2000e9], false],
  ] as const)('is contradicted %s, and begins anew', (_what, other, isAccepted) => {
    expect(seen([[0, 2000], [15, 2000], other, [45, 2000], [60, 2000], [75, 2000], [90, 2000], [105, 2000]])).toEqual([
      ...[false, false, isAccepted],
      ...refusedAll(4),
      true,
    ])
  })

  test.each([
    ['more than twice the last rate', 3001],
    ['less than half of it', 749],
    ['wrong by 10⁹', 1500e9],
    ['zero', 0],
  ])('is never believed by itself where its rate is %s', (_what, rate) => {
    expect(seen(every(15, 400, rate))).toEqual(refusedAll(400))
  })

  test('is forgotten when it is not seen for a day, and never believed by itself where the setting is 0', () => {
    expect(seen(every(25 * 60, 20))).toEqual(refusedAll(20))
    expect(seen(every(15, 20), 0)).toEqual(refusedAll(20))
  })

  test('is not believed where dollars contradict it', () => {
    const given = { ...rules, last: rate(10n ** 16n, 25_000_000n), confirmations: 1, confirmationMinutes: 0 }
    const decide = (dollars: string) =>
      decidePrice(ether(10n ** 16n, dollars), usdc(33_000_000n), { ...given, move: undefined, now: new Date(START) })
    expect(decide('25').problem).toMatch(/in dollars$/)
    expect(decide('33').problem).toBeUndefined()
  })
})
