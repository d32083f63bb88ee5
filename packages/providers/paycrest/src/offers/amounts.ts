import { fiatConversions } from '@payments/fiat'
import { assetNamed, toDecimal } from '@payments/kernel'

/** Minor units of Paycrest's decimal text, which may be negative. Digits beyond the asset's precision are cut off. */
export function unitsOf(text: string, symbol: string): bigint {
  const { decimals } = assetNamed(symbol)
  const [whole = '', part = ''] = text.replace('-', '').split('.')
  const units = BigInt(whole + part.padEnd(decimals, '0').slice(0, decimals))
  return text.startsWith('-') ? -units : units
}

/**
 * What Paycrest transfers for an amount at a rate: whole units of every currency, halves to the even one. Source: paycrest/aggregator at 476372c,
 * services/priority_queue.go and services/common/order.go, `Amount.Mul(Rate).RoundBank(0)`.
 */
export const payoutOf = (amount: bigint, asset: string, currency: string, rate: string): bigint =>
  amount > 0n ? fiatConversions.soldWhole(amount, asset, currency, rate) : 0n

/** Decimal text of minor units. */
export const textOf = (units: bigint, symbol: string): string => toDecimal(units, assetNamed(symbol))
