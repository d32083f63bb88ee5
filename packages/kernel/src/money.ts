import Big from 'big.js'
import { z } from 'zod'

/** Something that can be owned and counted. `decimals` is the number of decimal places of its minor unit. */
export interface Asset {
  readonly symbol: string
  readonly decimals: number
}

/** The assets of this service, with the precision that the ledger keeps. One table; nothing else knows decimals. */
export const assets = {
  USDC: { symbol: 'USDC', decimals: 6 },
  USDT: { symbol: 'USDT', decimals: 6 },
  EURC: { symbol: 'EURC', decimals: 6 },
  cNGN: { symbol: 'cNGN', decimals: 6 },
  ETH: { symbol: 'ETH', decimals: 18 },
  SOL: { symbol: 'SOL', decimals: 9 },
  NGN: { symbol: 'NGN', decimals: 2 },
  USD: { symbol: 'USD', decimals: 2 },
} as const satisfies Record<string, Asset>

export type AssetSymbol = keyof typeof assets

const DECIMAL = /^(0|[1-9]\d{0,29})(\.\d{1,18})?$/

/**
 * A positive decimal amount as merchants write it, e.g. `"12.5"`. Text only: a JSON number would already have been a float.
 * The asset's own precision is checked by {@link toMinor}, which knows the asset.
 */
export const Amount = z
  .string()
  .regex(DECIMAL, 'Must be a decimal amount as a string, like "12.50"')
  .refine((text) => !/^0(\.0*)?$/.test(text), 'Must be greater than zero')
  .meta({ id: 'Amount', description: 'Exact decimal amount as text', example: '12.50' })

/** Why a decimal text is not an amount of an asset. */
export class AmountError extends Error {
  override name = 'AmountError'
}

/**
 * Decimal text → integer minor units, exactly.
 * @throws AmountError when the text is not a plain decimal or has more decimals than the asset.
 */
export function toMinor(text: string, asset: Asset): bigint {
  if (!DECIMAL.test(text)) throw new AmountError('Must be a decimal amount as a string, like "12.50"')
  const units = new Big(text).times(new Big(10).pow(asset.decimals))
  if (!units.round(0).eq(units)) {
    throw new AmountError(`${asset.symbol} has at most ${asset.decimals} decimals`)
  }
  return BigInt(units.toFixed(0))
}

/** Integer minor units → the shortest exact decimal text: `12500000n` USDC → `"12.5"`. */
export function toDecimal(units: bigint, asset: Asset): string {
  return new Big(units.toString()).div(new Big(10).pow(asset.decimals)).toFixed()
}

/** Amount with its symbol, as the ledger's list shows it: `"12.5 USDC"`. */
export const withSymbol = (units: bigint, asset: Asset): string => `${toDecimal(units, asset)} ${asset.symbol}`

// Division never happens on a path that could round: a power of ten always divides exactly within this precision.
Big.DP = 40
