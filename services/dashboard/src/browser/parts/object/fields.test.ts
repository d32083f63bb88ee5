import { expect, test } from 'vitest'
import { currencyOf, textOf, titleOf } from './fields.ts'

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

test('an amount without a currency of its own has that of what is around it, and a rate says what it is for', () => {
  const convert = { fromCurrency: 'USDC', toCurrency: 'cNGN' }
  expect(textOf('amount', '100', { address: '0x1' }, convert)).toBe('100 USDC')
  expect(textOf('fee', '5', {}, currencyOf('cngn_transfer'))).toBe('5 cNGN')
  expect(textOf('amount', '25000', { bankCode: '044' }, currencyOf('admin.cngn.settle'))).toBe('25,000 NGN')
  expect(textOf('tax', '60', { currency: 'USDC', pricing: { currency: 'NGN' } })).toBe('60 NGN')
  expect(textOf('rate', '1580.25', convert)).toBe('1,580.25 cNGN for 1 USDC')
  expect(textOf('rate', '1580.25', { sourceCurrency: 'NGN', destinationCurrency: 'USDT' })).toBe(
    '1,580.25 NGN for 1 USDT',
  )
  expect(textOf('amount', '25', {}, currencyOf('admin.swaps.settle'))).toBe('25')
})

test('what a merchant or a provider wrote is shown as it is', () => {
  for (const field of ['reference', 'name', 'memo']) expect(textOf(field, 'order_2026-11', {})).toBe('order_2026-11')
})
