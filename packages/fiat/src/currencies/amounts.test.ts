import { assetNamed, toMinor } from '@payments/kernel'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bought, canonicalRate, cost, decimal, fiatConversions, needed, sold, soldWhole } from './amounts.ts'

/** Currencies with 0, 2 and 3 decimals. */
const CURRENCIES = ['UGX', 'NGN', 'TND'] as const

const rates = fc
  .tuple(fc.bigInt({ min: 1n, max: 9_999_999n }), fc.integer({ min: 0, max: 6 }))
  .map(([digits, decimals]) => {
    const text = digits.toString().padStart(decimals + 1, '0')
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
  })
const stablecoin = fc.bigInt({ min: 0n, max: 999_999_999_999_999n })

/** The exact quotient of a product, by long arithmetic on decimal text: `amount × rate` cut to `decimals`. */
function byHand(amount: bigint, rate: string, decimals: number): bigint {
  const [whole = '', part = ''] = rate.split('.')
  const exact = amount * BigInt(whole + part)
  const places = 6 + part.length
  return places >= decimals ? exact / 10n ** BigInt(places - decimals) : exact * 10n ** BigInt(decimals - places)
}

describe.each(CURRENCIES)('%s', (currency) => {
  test('a sale is the exact product, cut to the last decimal of the currency', () => {
    fc.assert(
      fc.property(stablecoin, rates, (amount, rate) => {
        fc.pre(!/^0+(\.0*)?$/.test(rate))
        expect(sold(amount, 'USDC', currency, rate)).toBe(byHand(amount, rate, assetNamed(currency).decimals))
      }),
    )
  })

  test('what a purchase gives is worth no more than its price, and one minor unit more would be worth more', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), rates, (price, rate) => {
        fc.pre(!/^0+(\.0*)?$/.test(rate))
        const amount = bought(price, currency, 'USDC', rate)
        expect(sold(amount, 'USDC', currency, rate) <= price).toBe(true)
        const [whole = '', part = ''] = rate.split('.')
        const scale = 10n ** BigInt(6 + part.length)
        const worth = (amount + 1n) * BigInt(whole + part) * 10n ** BigInt(assetNamed(currency).decimals)
        expect(worth > price * scale).toBe(true)
      }),
    )
  })

  test('what an amount costs buys it, and one minor unit less would not', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), rates, (amount, rate) => {
        fc.pre(!/^0+(\.0*)?$/.test(rate))
        const price = cost(amount, 'USDC', currency, rate)
        expect([price, price - 1n].map((each) => bought(each, currency, 'USDC', rate) >= amount)).toEqual([true, false])
      }),
    )
  })

  test('the smallest and the largest amounts keep every digit', () => {
    for (const text of ['1', '999999999999', ...edges(assetNamed(currency).decimals)])
      expect(decimal(toMinor(text, assetNamed(currency)), currency)).toBe(text)
    const tooMany = `0.${'0'.repeat(assetNamed(currency).decimals)}1`
    expect(() => toMinor(tooMany, assetNamed(currency))).toThrow(`${currency} has at most`)
  })
})

const edges = (decimals: number): string[] =>
  decimals === 0 ? [] : [`0.${'0'.repeat(decimals - 1)}1`, `999999999999.${'9'.repeat(decimals)}`]

test('a rate has one spelling', () => {
  for (const [text, canonical] of [
    ['1580.50', '1580.5'],
    ['1580.00', '1580'],
    ['1500', '1500'],
    ['0.10', '0.1'],
    ['007.5', '7.5'],
  ] as const)
    expect(canonicalRate(text)).toBe(canonical)
  for (const wrong of ['0', '0.00', '00', '000.0', '-1', '1e3', '', 'NaN', '1.'])
    expect(() => canonicalRate(wrong)).toThrow('No rate')
})

test('a symbol that no corridor can have is refused by its name, and other domains convert as this one', () => {
  expect(() => assetNamed('XYZ')).toThrow('No asset XYZ')
  expect(fiatConversions).toEqual({ sold, soldWhole, bought, needed, cost })
})

test.each([
  ['25000000', '1580.25', '3950600'],
  ['10000000', '1580.25', '1580200'],
  ['10000000', '1580.35', '1580400'],
  ['2000000', '1580.75', '316200'],
  ['10', '1580.25', '0'],
])(
  '%s minor units at %s are paid out as %s: whole units of the currency, halves to the even one',
  (units, rate, whole) => {
    expect(soldWhole(BigInt(units), 'USDC', 'NGN', rate)).toBe(BigInt(whole))
  },
)
