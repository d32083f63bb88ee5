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
export const ARE_DOLLARS: readonly string[] = ['USD', 'USDC', 'USDT']
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
  if (last !== undefined) return isWithinPercent(last, rate, bandPercent) ? undefined : awayFromLast(bandPercent)
  return strict && (given === undefined || got === undefined) ? 'Nothing to compare the rate with' : undefined
}

const awayFromLast = (bandPercent: number) => `The rate is more than ${bandPercent} % away from the last one`

/** A market moves so far within a day at the most, up or down: what is further away is a fault, however often it is said. */
const MOST_TIMES = 2n
/** A move that was not seen for so long begins anew, ms. */
const FORGOTTEN_MS = 24 * 3_600_000

/** A rate outside of the band, as it was first seen, and how often others near it were seen since. */
export interface PriceMove {
  readonly rate: bigint
  readonly since: Date
  /** When it counted last. */
  readonly at: Date
  readonly seen: number
}

/** When a rate outside of the band is believed. */
export interface MoveRules extends PriceRules {
  /** The move that is being watched. */
  readonly move: PriceMove | undefined
  /** So often it must be seen, at times apart from each other; 0: an operator alone accepts it. */
  readonly confirmations: number
  /** For so long at least, minutes. */
  readonly confirmationMinutes: number
  readonly now: Date
}

/** `problem`: why the price must not be used; undefined: it may. `move`: what is watched from now on. */
export interface PriceDecision {
  readonly problem: string | undefined
  readonly move: PriceMove | undefined
}

/**
 * {@link priceProblem}, where a market may move: a rate outside of the band is accepted once rates near it were seen so often, over so long a time.
 * A rate near the last one ends that, and one that is near neither begins it anew, so that a single wrong quote moves nothing. Nothing is ever accepted
 * like this that is zero, that dollars contradict, or that is more than twice or less than half of the last rate.
 */
export function decidePrice(from: Side, to: Side, rules: MoveRules): PriceDecision {
  const { last, bandPercent, move, confirmations, confirmationMinutes, now } = rules
  const problem = priceProblem(from, to, rules)
  if (problem === undefined) return { problem, move: undefined }
  const rate = rateBetween(from, to)
  // What is no rate of a market says nothing of one that moves.
  if (problem !== awayFromLast(bandPercent) || last === undefined || rate === undefined) return { problem, move }
  if (rate > last * MOST_TIMES || rate * MOST_TIMES < last || confirmations === 0) return { problem, move: undefined }
  const next = observed(rate, rules)
  const minutes = (now.getTime() - next.since.getTime()) / 60_000
  if (next.seen >= confirmations && minutes >= confirmationMinutes) return { problem: undefined, move: undefined }
  const told = `seen ${next.seen} of ${confirmations} times in ${Math.floor(minutes)} of ${confirmationMinutes} minutes`
  return { problem: `${problem} (${told})`, move: next }
}

/** One more observation, if it is apart from the one before: those at the same time are one. */
function observed(rate: bigint, { move, now, bandPercent, confirmations, confirmationMinutes }: MoveRules): PriceMove {
  const isSame =
    move && isWithinPercent(move.rate, rate, bandPercent / 2) && now.getTime() - move.at.getTime() < FORGOTTEN_MS
  if (!isSame) return { rate, since: now, at: now, seen: 1 }
  const apartMs = (confirmationMinutes * 60_000) / confirmations
  return now.getTime() - move.at.getTime() < apartMs ? move : { ...move, at: now, seen: move.seen + 1 }
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
