import { expect, test } from 'vitest'
import type { FiatCurrency } from '../currencies/currencies.ts'
import { accountMistakes, accountRule } from './account-rules.ts'

const mistake = (currency: FiatCurrency, accountNumber: string, code = 'WALLET') =>
  accountMistakes(accountRule(currency, { code, type: 'mobile_money' }), { accountNumber }).accountNumber

test.each<[FiatCurrency, string]>([
  ['UGX', '+256712345678'],
  ['KES', '+254712345678'],
  ['KES', '+254110345678'],
  ['TZS', '+255612345678'],
  ['TZS', '+255754345678'],
  ['NGN', '+2348031234567'],
  ['TND', '+21620123456'],
])('a mobile number of %s is accepted: %s', (currency, number) => {
  expect(mistake(currency, number)).toBeUndefined()
})

test.each<[FiatCurrency, string]>([
  // With the trunk zero, which no call from abroad has.
  ['UGX', '+2560712345678'],
  ['KES', '+2540712345678'],
  ['TZS', '+2550754345678'],
  ['NGN', '+23408031234567'],
  // Too short, too long, a landline, another country's.
  ['UGX', '+25671234567'],
  ['UGX', '+2567123456789'],
  ['KES', '+254202345678'],
  ['TZS', '+255222345678'],
  ['UGX', '+254712345678'],
])('a number of %s that no phone can have is refused before a payout: %s', (currency, number) => {
  expect(mistake(currency, number)).toMatch(/^Must be E\.164 with the calling code of the country, like \+/)
  if (currency === 'KES') expect(mistake(currency, number, 'SAFAKEPC')).toMatch(/^Must be a phone number/)
})

test('the example of each rule fits it', () => {
  for (const currency of ['NGN', 'KES', 'UGX', 'TZS', 'TND'] as const) {
    const { description, pattern } = accountRule(currency, { code: 'WALLET', type: 'mobile_money' })
    expect(description.split('like ')[1]).toMatch(new RegExp(pattern))
  }
})
