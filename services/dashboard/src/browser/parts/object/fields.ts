import { exact, words } from '../format.ts'

/** What fields of the API are called where their own words would not say it. */
const TITLES: Readonly<Record<string, string>> = {
  accountCheck: 'Name at the bank',
  amountUsd: 'Value in US dollars',
  bvn: 'BVN',
  convertedAmount: 'Receives',
  customerName: 'Name of the customer',
  depositedAmount: 'Arrived',
  destinationAddress: 'Destination address',
  estimatedSettlement: 'Expected settlement',
  expectedAmount: 'Expected',
  failureReason: 'Why it failed',
  ip: 'Address',
  minimumAmount: 'At least',
  receivedAmount: 'Received',
  refundTo: 'Goes back to',
  txHash: 'Transaction',
  relayUpdatedAt: 'Changed at the provider',
  updatedAt: 'Changed',
  url: 'URL',
}

/** Endings of names that the value shows by itself, and what stands for them. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?<=.)At$/, ''],
  [/(?<=.)Id$/, ''],
  [/^(.+)TxHash$/, 'TransactionOfThe-$1'],
  [/^(?:network|(.+)Chain|(.+)Network)Key$/, '$1$2Network'],
]

/** What a field of the API is called on every screen: `createdAt` is Created, and `depositTxHash` Transaction of the deposit. */
export function titleOf(field: string): string {
  const known = TITLES[field]
  if (known) return known
  return words(ENDINGS.reduce((name, [ending, instead]) => name.replace(ending, instead), field))
}

/** Fields that name the currency of an amount, by the field of the amount, in the order in which an object may have them. */
const CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  amount: ['sourceCurrency', 'fromCurrency', 'currency', 'symbol', 'asset'],
  balance: ['asset'],
  convertedAmount: ['destinationCurrency', 'toCurrency'],
  depositedAmount: ['sourceCurrency'],
  expectedAmount: ['toCurrency'],
  fee: ['sourceCurrency'],
  fees: ['toCurrency'],
  minimumAmount: ['toCurrency'],
  receivedAmount: ['toCurrency'],
}

/** Fields with names of the service: a reason, a network, a kind. What merchants and providers write stays as it is. */
const NAMED =
  /^(status|kind|condition|failureReason|reasonCode|networkKey|\w+ChainKey|network|methods?|providerOutcome|outcome|access|purpose|role|state)$/

const AMOUNT = /^-?\d+(\.\d+)?$/

/** A value that is text, as every screen shows it: an amount with its currency, and names of the service in words. */
export function textOf(field: string, value: string, of: Readonly<Record<string, unknown>>): string {
  const currencies = CURRENCIES[field]
  if (currencies && AMOUNT.test(value)) {
    const currency = currencies.map((name) => of[name]).find((each) => typeof each === 'string')
    return exact(currency === undefined ? value : `${value} ${currency}`)
  }
  return NAMED.test(field) ? words(value) : value
}
