import { expect, test } from 'vitest'
import { textOf, titleOf } from './fields.ts'

test('a field of the API is called on a screen what the product calls it', () => {
  const titles = {
    amount: 'Amount',
    createdAt: 'Created',
    customerId: 'Customer',
    depositTxHash: 'Transaction of the deposit',
    destinationChainKey: 'Destination network',
    failureReason: 'Why it failed',
    networkKey: 'Network',
    txHash: 'Transaction',
    virtualAccount: 'Virtual account',
    apiKeyId: 'API key',
    id: 'Id',
    at: 'At',
  }
  expect(Object.fromEntries(Object.keys(titles).map((field) => [field, titleOf(field)]))).toEqual(titles)
})

test('an amount is shown with its currency, every digit of it, and a name of the service in words', () => {
  const swap = { amount: '1234567.000000000000000001', fromCurrency: 'EURC', toCurrency: 'USDC' }
  expect(textOf('amount', swap.amount, swap)).toBe('1,234,567.000000000000000001 EURC')
  expect(textOf('fees', '0.5', swap)).toBe('0.5 USDC')
  expect(textOf('failureReason', 'bank_account_invalid', {})).toBe('Bank account invalid')
  expect(textOf('failureReason', 'The bank is closed', {})).toBe('The bank is closed')
})

test('what a merchant or a provider wrote is shown as it is', () => {
  for (const field of ['reference', 'name', 'memo']) expect(textOf(field, 'order_2026-11', {})).toBe('order_2026-11')
})
