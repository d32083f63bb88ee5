import { expect, test } from 'vitest'
import { readAmount } from './amount.ts'
import { locales } from './data.ts'

test.each([
  ['25', '25'],
  ['12.50', '12.5'],
  ['12,5', '12.5'],
  ['0.500', '0.5'],
  ['0,125', '0.125'],
  ['.5', '0.5'],
  ['1 500', '1500'],
  ['1 500', '1500'],
  ['1 500,25', '1500.25'],
  ['1 500.250', '1500.25'],
  ["1'500", '1500'],
  ['1.500,00', '1500'],
  ['1,500.00', '1500'],
  ['1,500,000', '1500000'],
  ['1.500.000', '1500000'],
  ['1,234,567.891', '1234567.891'],
  ['1500,250', '1500.25'],
  ['1,5000', '1.5'],
  ['007', '7'],
  ['١٬٥٠٠٫٢٥', '1500.25'],
  ['٢٥', '25'],
])('%s is %s in every language', (written, amount) => {
  for (const locale of locales) expect([locale, readAmount(written, locale)]).toEqual([locale, { amount }])
})

test('one separator before three digits groups where the language groups with it, and is never taken for decimals', () => {
  expect(readAmount('1,500', 'en')).toEqual({ amount: '1500' })
  expect(readAmount('1,000', 'en')).toEqual({ amount: '1000' })
  expect(readAmount('1.500', 'pt')).toEqual({ amount: '1500' })
  expect(readAmount('1.500', 'en')).toEqual({ error: 'unclear', whole: '1500', decimal: '1.5' })
  expect(readAmount('1,500', 'fr')).toEqual({ error: 'unclear', whole: '1500', decimal: '1.5' })
  expect(readAmount('12.345', 'en')).toEqual({ error: 'unclear', whole: '12345', decimal: '12.3450' })
  expect(readAmount('1.000', 'en')).toEqual({ error: 'unclear', whole: '1000', decimal: '1' })
})

test.each([
  '',
  '-5',
  '+5',
  '1e3',
  '25 USDC',
  '1,50,000',
  '15 00',
  '1 5',
  '1,500,00',
  '1.5.0',
  ',',
  '1,,5',
  '1 500,000.5',
  'abc',
])('“%s” is refused', (written) => {
  for (const locale of locales) expect(readAmount(written, locale)).toEqual({ error: 'format' })
})

test('what is offered for an unclear amount is read as it was meant, and every amount written plainly is read as itself', () => {
  for (const locale of locales)
    for (const whole of [0, 1, 9, 10, 999, 1000, 123_456, 1_000_000_000])
      for (const part of ['000001', '100000', '123456', '500000', '001000', '999999']) {
        const trimmed = part.replace(/0+$/, '')
        for (const sign of ['.', ',']) {
          expect(readAmount(`${whole}${sign}${part}`, locale)).toEqual({ amount: `${whole}.${trimmed}` })
          const read = readAmount(`${(whole % 999) + 1}${sign}${part.slice(0, 3)}`, locale)
          if (!('error' in read) || read.error !== 'unclear') continue
          expect(readAmount(read.whole, locale)).toEqual({ amount: read.whole })
          const meant = read.decimal.replace(/(\.\d*?)0+$/, '$1')
          expect(readAmount(read.decimal, locale)).toEqual({ amount: meant })
        }
      }
})
