import { assetNamed, toDecimal } from '@payments/kernel'

/** Minor units of Paycrest's decimal text. Digits beyond the asset's precision are cut off. */
export function unitsOf(text: string, symbol: string): bigint {
  const { decimals } = assetNamed(symbol)
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(decimals, '0').slice(0, decimals))
}

/** Decimal text of minor units. */
export const textOf = (units: bigint, symbol: string): string => toDecimal(units, assetNamed(symbol))
