import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Amount, AmountError, assets, toDecimal, toMinor } from './money.ts'

const anyAsset = fc.constantFrom(...Object.values(assets))

test('minor units are unchanged after conversion to decimal text and back, for every asset and size', () => {
  fc.assert(
    fc.property(
      anyAsset,
      fc.bigInt({ min: 0n, max: 10n ** 28n }),
      (asset, units) => toMinor(toDecimal(units, asset), asset) === units,
    ),
  )
})

test('decimal text with more decimals than the asset has is refused, never rounded', () => {
  expect(() => toMinor('0.0000001', assets.USDC)).toThrow(new AmountError('USDC has at most 6 decimals'))
  expect(toMinor('0.0000010', assets.USDC)).toBe(1n)
  expect(toMinor('0.1', assets.ETH)).toBe(100_000_000_000_000_000n)
})

test('only plain positive decimal text is accepted as an amount', () => {
  for (const valid of ['1', '0.01', '12.50', '999999999999.999999']) expect(Amount.safeParse(valid).success).toBe(true)
  for (const invalid of ['0', '0.00', '-1', '+1', '01', '1e3', ' 1', '1,5', '.5', '5.', 'NaN', '', 1, 12.5, null])
    expect(Amount.safeParse(invalid).success, String(invalid)).toBe(false)
})
