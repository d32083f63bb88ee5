import { exact, networkName, words } from '../format.ts'

/** What fields of the API are called where their own words would not say it. */
const TITLES: Readonly<Record<string, string>> = {
  accountCheck: 'Name at the bank',
  amountUsd: 'Value in US dollars',
  approvalStatus: 'Approval',
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
  deliveredAmount: ['destinationCurrency'],
  depositedAmount: ['sourceCurrency', 'fromCurrency'],
  expectedAmount: ['toCurrency'],
  fee: ['sourceCurrency', 'fromCurrency', 'asset'],
  fees: ['toCurrency', 'destinationCurrency'],
  heldAmount: ['fromCurrency'],
  minimumAmount: ['toCurrency', 'currency'],
  receivedAmount: ['toCurrency', 'currency', 'sourceCurrency'],
  refundedAmount: ['origin.symbol', 'origin.currency', 'currency'],
  remainingAmount: ['currency'],
  subtotal: ['pricing.currency', 'currency'],
  tax: ['pricing.currency', 'currency'],
  unexplainedAmount: ['fromCurrency'],
}

/** Fields of amounts whose currency has no field. */
const FIXED: Readonly<Record<string, string>> = { amountUsd: 'USD', estimatedFee: 'USD' }

/** Currencies of which a rate is for one unit. */
const QUOTED = ['USDC', 'USDT', 'EURC']

/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>

/** What names the currency of objects and commands that have no field for it: those of cNGN. */
export const currencyOf = (kind: string): Fields => (/(^|\.)cngn[._]/.test(kind) ? { asset: 'cNGN' } : {})

/** Fields with names of the service: a reason, a network, a kind. What merchants and providers write stays as it is. */
const NAMED =
  /^(status|approvalStatus|kind|condition|failureReason|reasonCode|networkKey|\w+ChainKey|network|methods?|providerOutcome|outcome|access|purpose|role|state)$/

const AMOUNT = /^-?\d+(\.\d+)?$/

/**
 * A value that is text, as every screen shows it: an amount with its currency, a rate with what it is for, and names of the service in words.
 * @param within the fields around the object, which name the currency where its own do not
 */
export function textOf(field: string, value: string, of: Fields, within: Fields = {}): string {
  if (AMOUNT.test(value)) {
    const unit = unitOf(field, of, within)
    return unit === undefined ? value : exact(`${value} ${unit}`)
  }
  return NAMED.test(field) ? networkName(value) : value
}

/** An amount of which no field says the currency: one that is typed into a command, whose description says it. */
export const isBare = (field: string, value: unknown, of: Fields): boolean =>
  typeof value === 'string' && AMOUNT.test(value) && field in CURRENCIES && unitOf(field, of, {}) === undefined

/** The value of a field, or of a field in it: `pricing.currency`. */
const valueAt = (of: unknown, path: string): unknown =>
  path.split('.').reduce((each, name) => (each as Fields | null | undefined)?.[name], of)

/** What an amount or a rate is of: `USDC`, or `NGN for 1 USDC`. */
function unitOf(field: string, of: Fields, within: Fields): string | undefined {
  const named = (...names: readonly string[]) =>
    [of, within].flatMap((each) => names.map((name) => valueAt(each, name))).find((each) => typeof each === 'string')
  // Naira are paid into a bank account, also for cNGN.
  if (field === 'amount' && 'bankCode' in of && named('asset') === 'cNGN') return 'NGN'
  if (field === 'rate') {
    const ends = [
      named('fromCurrency', 'sourceCurrency', 'currency'),
      named('toCurrency', 'destinationCurrency'),
    ] as const
    const quoted = ends.find((each) => each !== undefined && QUOTED.includes(each))
    const other = ends.find((each) => each !== quoted)
    return quoted && other && `${other} for 1 ${quoted}`
  }
  return FIXED[field] ?? named(...(CURRENCIES[field] ?? []))
}
