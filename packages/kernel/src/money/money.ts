import { z } from 'zod'

/** A currency or token. `decimals` is the number of decimal places of its minor unit. */
export interface Asset {
  readonly symbol: string
  readonly decimals: number
}

/** The assets of this service, with the precision that the ledger keeps. Decimals are defined here only. */
export const assets = {
  USDC: { symbol: 'USDC', decimals: 6 },
  USDT: { symbol: 'USDT', decimals: 6 },
  EURC: { symbol: 'EURC', decimals: 6 },
  cNGN: { symbol: 'cNGN', decimals: 6 },
  ETH: { symbol: 'ETH', decimals: 18 },
  SOL: { symbol: 'SOL', decimals: 9 },
  NGN: { symbol: 'NGN', decimals: 2 },
  KES: { symbol: 'KES', decimals: 2 },
  UGX: { symbol: 'UGX', decimals: 0 },
  TZS: { symbol: 'TZS', decimals: 2 },
  TND: { symbol: 'TND', decimals: 3 },
  USD: { symbol: 'USD', decimals: 2 },
  EUR: { symbol: 'EUR', decimals: 2 },
} as const satisfies Record<string, Asset>

export type AssetSymbol = keyof typeof assets

const TRAILING_ZEROS = /0+$/
/** As many digits as the database keeps: a sum of stored amounts can be read, too. */
const DECIMAL = /^(0|[1-9]\d{0,77})(\.\d{1,18})?$/

/**
 * Every amount of a request, of a provider, and every sum that a request asks for is less, in whole units of its asset: a trillion. More is a
 * mistake or an attack, and what is computed of it no longer fits.
 */
export const AMOUNT_LIMIT = 10n ** 12n
const TOO_LARGE = `Must be less than ${AMOUNT_LIMIT}`

/** Whether an amount, in minor units, is one that can be asked for or delivered. */
export const isBounded = (units: bigint, { decimals }: Asset): boolean => units < AMOUNT_LIMIT * 10n ** BigInt(decimals)

/**
 * A positive decimal amount as merchants write it, for example `"12.5"`. Text only: a JSON number is parsed as a float.
 * The asset's own precision is checked by {@link toMinor}, which knows the asset.
 */
export const Amount = z
  .string()
  .regex(DECIMAL, 'Must be a decimal amount as a string, like "12.50"')
  .refine((text) => !/^0(\.0*)?$/.test(text), 'Must be greater than zero')
  .refine((text) => (text.split('.')[0] ?? '').length <= 12, TOO_LARGE)
  .meta({ id: 'Amount', description: 'Exact decimal amount as text', example: '12.50' })

/** The text is not a valid amount of the asset; the message says why. */
export class AmountError extends Error {}

/**
 * Converts decimal text to integer minor units, exactly, however large it is: what is stored can be read.
 * @throws AmountError when the text is not a plain decimal or has more decimals than the asset.
 */
export function toMinor(text: string, asset: Asset): bigint {
  if (!DECIMAL.test(text)) throw new AmountError('Must be a decimal amount as a string, like "12.50"')
  const [whole, fraction = ''] = text.split('.')
  const decimals = fraction.replace(TRAILING_ZEROS, '')
  if (decimals.length > asset.decimals) throw new AmountError(`${asset.symbol} has at most ${asset.decimals} decimals`)
  return BigInt(`${whole}${decimals.padEnd(asset.decimals, '0')}`)
}

/** {@link toMinor} of what a request asks for. @throws AmountError also when it is not less than {@link AMOUNT_LIMIT} */
export function toBoundedMinor(text: string, asset: Asset): bigint {
  const units = toMinor(text, asset)
  if (!isBounded(units, asset)) throw new AmountError(TOO_LARGE)
  return units
}

/** Converts integer minor units to the shortest exact decimal text: `12500000n` USDC becomes `"12.5"`. */
export function toDecimal(units: bigint, { decimals }: Asset): string {
  const digits = `${units < 0n ? -units : units}`.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(TRAILING_ZEROS, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`
}
