import { assetOf, toDecimal } from '@payments/kernel'

const decimalsOf = (symbol: string): number => {
  const asset = assetOf(symbol)
  if (!asset) throw new Error(`No asset ${symbol}`)
  return asset.decimals
}

/** Minor units of Paycrest's decimal text. Digits beyond the asset's precision are cut off. */
export function unitsOf(text: string, symbol: string): bigint {
  const decimals = decimalsOf(symbol)
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(decimals, '0').slice(0, decimals))
}

/** Decimal text of minor units. */
export const textOf = (units: bigint, symbol: string): string =>
  toDecimal(units, { symbol, decimals: decimalsOf(symbol) })
