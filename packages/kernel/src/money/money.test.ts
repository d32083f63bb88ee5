import Big from 'big.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../errors.ts'
import { requestedAmount } from '../inputs/inputs.ts'
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

test('decimal text is what arbitrary-precision arithmetic makes of the minor units, and the other way round', () => {
  const anyDecimals = fc.integer({ min: 0, max: 18 })
  const scale = (decimals: number) => new Big(10).pow(decimals)
  Big.DP = 60
  fc.assert(
    fc.property(anyDecimals, fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (decimals, units) => {
      expect(toDecimal(units, { symbol: 'any', decimals })).toBe(
        new Big(units.toString()).div(scale(decimals)).toFixed(),
      )
    }),
  )
  fc.assert(
    fc.property(
      anyDecimals,
      fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }),
      fc.stringMatching(/^\d{0,18}$/),
      (decimals, whole, fraction) => {
        const text = fraction ? `${whole}.${fraction}` : `${whole}`
        const units = new Big(text).times(scale(decimals))
        const asset = { symbol: 'any', decimals }
        if (units.round(0).eq(units)) expect(toMinor(text, asset)).toBe(BigInt(units.toFixed(0)))
        else expect(() => toMinor(text, asset)).toThrow(new AmountError(`any has at most ${decimals} decimals`))
      },
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

test('the error of an invalid amount says what would be right', () => {
  const messageOf = (text: string) => Amount.safeParse(text).error?.issues[0]?.message
  expect(messageOf('1,5')).toBe('Must be a decimal amount as a string, like "12.50"')
  expect(messageOf('0.00')).toBe('Must be greater than zero')
  for (const invalid of ['', '-1', '1e3', '01', '1.5x', 'x1.5'])
    expect(() => toMinor(invalid, assets.USDC)).toThrow(
      new AmountError('Must be a decimal amount as a string, like "12.50"'),
    )
})

test('an amount of a request that its asset does not have is refused by the name of its field', () => {
  expect(requestedAmount('12.5', assets.USDC)).toBe(12_500_000n)
  const refused = (text: string) => {
    try {
      return requestedAmount(text, assets.NGN)
    } catch (error) {
      return error instanceof ServiceError ? [error.status, error.fields] : error
    }
  }
  expect(refused('1.005')).toEqual([422, { amount: 'NGN has at most 2 decimals' }])
  expect(refused('1e3')).toEqual([422, { amount: 'Must be a decimal amount as a string, like "12.50"' }])
})

test('an amount has at most 12 digits and 18 decimals', () => {
  const [digits, decimals] = ['9'.repeat(12), '1'.repeat(18)]
  expect(Amount.safeParse(`${digits}.${decimals}`).success).toBe(true)
  expect(Amount.safeParse(`9${digits}`).success).toBe(false)
  expect(Amount.safeParse(`1.${decimals}1`).success).toBe(false)
  expect(toMinor(`${digits}.${decimals}`, assets.ETH)).toBe(BigInt(`${digits}${decimals}`))
  expect(toDecimal(BigInt(`${digits}${decimals}`), assets.ETH)).toBe(`${digits}.${decimals}`)
})

test('an amount is shown in its shortest form, and an asset is named by its symbol', () => {
  expect(toDecimal(12_500_000n, assets.USDC)).toBe('12.5')
  expect(toDecimal(1n, assets.ETH)).toBe('0.000000000000000001')
  expect(toDecimal(0n, assets.USDC)).toBe('0')
  expect(Object.entries(assets).filter(([name, { symbol }]) => name !== symbol)).toEqual([])
})

test('an amount of a request is less than a trillion of its asset, and what is stored is read however large it is', () => {
  for (const asset of Object.values(assets)) {
    expect(requestedAmount('999999999999', asset)).toBe(999_999_999_999n * 10n ** BigInt(asset.decimals))
    for (const text of ['1000000000000', '9'.repeat(31)]) {
      expect(() => requestedAmount(text, asset)).toThrow(ServiceError)
      expect(toDecimal(toMinor(text, asset), asset)).toBe(text)
    }
  }
  expect(Amount.safeParse('999999999999.5').success).toBe(true)
  expect(Amount.safeParse('1000000000000').error?.issues[0]?.message).toBe('Must be less than 1000000000000')
})
