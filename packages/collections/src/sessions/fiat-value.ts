import { assetOf, toDecimal } from '@payments/kernel'

/** The money of a country that a stablecoin stands for, by its symbol. */
const STANDS_FOR: Readonly<Record<string, string>> = { USDC: 'USD', USDT: 'USD', EURC: 'EUR' }

const CENTS = { symbol: '', decimals: 2 }

/**
 * About how much money of a country an amount is, to the cent: a stablecoin is one to one with what it stands for. Null for nothing and for a
 * currency that stands for no other.
 * @param units minor units of the currency
 */
export function fiatValue(units: bigint, symbol: string): { amount: string; currency: string } | null {
  const [asset, currency] = [assetOf(symbol), STANDS_FOR[symbol]]
  if (!asset || !currency || units <= 0n) return null
  const cent = 10n ** BigInt(asset.decimals - CENTS.decimals)
  const [whole = '0', decimals = ''] = toDecimal((units + cent / 2n) / cent, CENTS).split('.')
  return { amount: `${whole}.${decimals.padEnd(CENTS.decimals, '0')}`, currency }
}
