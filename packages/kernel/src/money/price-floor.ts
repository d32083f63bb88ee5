import { assetNamed, assetOf } from './networks.ts'

// What bounds prices and deliveries of every provider. Pure: settings and the rates before come from the caller.

/** An amount of a quote, in minor units, with what the provider says that it is worth in US dollars, where it does. */
export interface Side {
  readonly symbol: string
  readonly units: bigint
  readonly dollars?: string | null
}

const PLACES = 18
const ONE = 10n ** BigInt(PLACES)
/** Money that is worth its number of US dollars. */
const ARE_DOLLARS: readonly string[] = ['USD', 'USDC', 'USDT']
const DECIMAL = /^\d{1,30}(\.\d+)?$/

/** Decimal text as a whole number of 10⁻¹⁸; undefined for what is no decimal. */
export function scaled(text: string | null | undefined): bigint | undefined {
  if (text === null || text === undefined || !DECIMAL.test(text)) return undefined
  const [whole = '0', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.slice(0, PLACES).padEnd(PLACES, '0'))
}

/** The worth of a side in 10⁻¹⁸ dollars: of dollars by their number, of other money as the provider says. */
function worthOf({ symbol, units, dollars }: Side): bigint | undefined {
  return ARE_DOLLARS.includes(symbol) ? (units * ONE) / 10n ** BigInt(assetNamed(symbol).decimals) : scaled(dollars)
}

/** How much of `to` one unit of `from` is, in 10⁻¹⁸; undefined for money that this service does not know, and for none. */
export function rateBetween(from: Side, to: Side): bigint | undefined {
  const [given, got] = [assetOf(from.symbol), assetOf(to.symbol)]
  if (!given || !got || from.units <= 0n) return undefined
  return (to.units * ONE * 10n ** BigInt(given.decimals)) / (from.units * 10n ** BigInt(got.decimals))
}

/** Is `other` at most so many percent away from `value`? */
export const isWithinPercent = (value: bigint, other: bigint, percent: number): boolean => {
  const away = value > other ? value - other : other - value
  return away * 10_000n <= value * BigInt(Math.round(percent * 100))
}

/** What is known about the price of a pair before. */
export interface PriceRules {
  /** How far the sides of a quote may differ in dollars, percent. */
  readonly maxLossPercent: number
  /** How far a rate may be from the last one, percent. */
  readonly bandPercent: number
  /** The last rate that was accepted, in 10⁻¹⁸; undefined without one that still counts. */
  readonly last: bigint | undefined
  /** Where there is nothing to compare with, the quote is refused, and not taken for the first one. */
  readonly strict: boolean
}

/**
 * Why a price must not be used, as an operator reads it; undefined where it may. Nothing is given for nothing, the sides differ in dollars by no more
 * than is allowed, in either direction, and the rate is in a band around the last one.
 */
export function priceProblem(
  from: Side,
  to: Side,
  { maxLossPercent, bandPercent, last, strict }: PriceRules,
): string | undefined {
  if (from.units <= 0n || to.units <= 0n) return 'A price of zero'
  const [given, got] = [worthOf(from), worthOf(to)]
  if (given !== undefined && got !== undefined && !isWithinPercent(given, got, maxLossPercent))
    return `The sides differ by more than ${maxLossPercent} % in dollars`
  if (from.symbol === to.symbol) return undefined
  const rate = rateBetween(from, to)
  if (rate === undefined) return 'Money that is not known here'
  if (last !== undefined)
    return isWithinPercent(last, rate, bandPercent)
      ? undefined
      : `The rate is more than ${bandPercent} % away from the last one`
  return strict && (given === undefined || got === undefined) ? 'Nothing to compare the rate with' : undefined
}

/**
 * The least that must be delivered of a payment, in minor units. What the quote of the whole could cost is what it left below its target: by its
 * guarantee, else by the tolerance. A part may cost as much as the whole, since fees have a fixed part, and more than the whole in proportion.
 * @param worth what the payment is worth at the rate of the quote
 * @param target what the whole is to deliver; `guaranteed`: the least that the quote promised of it, null where it promised nothing
 */
export function deliveryFloor(
  worth: bigint,
  { target, guaranteed }: { readonly target: bigint; readonly guaranteed: bigint | null },
  tolerancePercent: number,
): bigint {
  const promised = guaranteed ?? target - (target * BigInt(Math.round(tolerancePercent * 100))) / 10_000n
  const cost = promised < target ? target - promised : 0n
  const share = worth > target ? (cost * worth + target - 1n) / target : cost
  return worth > share ? worth - share : 0n
}
