import { fiatConversions, saleRate } from '@payments/fiat'
import { assetOf, assets, ServiceError, toDecimal, toMinor } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { currencyRate } from '@payments/swaps'
import { errors } from '../errors.ts'

/** Money of countries in which a merchant can set a price. */
export const priceCurrencies = ['NGN', 'USD', 'EUR'] as const

/** A price in the money of a country, as decimal text. */
export interface Price {
  readonly currency: (typeof priceCurrencies)[number]
  readonly amount: string
}

/** The price of a collection. Where it follows from items: also what they come to, as decimal text in its currency. */
export interface AskedPrice extends Price {
  readonly subtotal?: string
  readonly tax?: string
}

/** A price with the rate at which a session holds it: so much of its currency for one unit of the collection's currency. */
export interface HeldPrice extends Price {
  readonly rate: string
}

/** The money of a country that a stablecoin stands for, by its symbol. */
const STANDS_FOR: Readonly<Record<string, string>> = { USDC: 'USD', USDT: 'USD', EURC: 'EUR' }

/** When a client may ask again for a price that has no rate now. */
export const PRICE_RETRY_SECONDS = 30
const CENTS = { symbol: '', decimals: 2 }

/** Minor units of an amount in a country's money. */
export const toCents = (amount: string): bigint => toMinor(amount, CENTS)

/** Minor units of a country's money with two decimals, as it is written. */
export function inCents(cents: bigint): string {
  const [whole = '0', decimals = ''] = toDecimal(cents, CENTS).split('.')
  return `${whole}.${decimals.padEnd(CENTS.decimals, '0')}`
}

/**
 * About how much money of a country an amount is, to the cent: a stablecoin is one to one with what it stands for. Null for nothing and for a
 * currency that stands for no other.
 * @param units minor units of the currency
 */
export function fiatValue(units: bigint, symbol: string): { amount: string; currency: string } | null {
  const [asset, currency] = [assetOf(symbol), STANDS_FOR[symbol]]
  if (!asset || !currency || units <= 0n) return null
  const cent = 10n ** BigInt(asset.decimals - CENTS.decimals)
  return { amount: inCents((units + cent / 2n) / cent), currency }
}

/** A part of a price, to the cent; null for nothing. */
export function partOfPrice({ amount, currency }: Price, part: bigint, whole: bigint) {
  if (part <= 0n) return null
  const cents = (toCents(amount) * part * 2n + whole) / (whole * 2n)
  return { amount: inCents(cents), currency: currency as string }
}

/** What a collection asks for in its own currency whatever the market does: its amount, or a price in what its currency stands for. */
export function fixedAmount({
  amount,
  pricing,
  currency,
}: {
  readonly amount?: bigint | null
  readonly pricing?: Price | null
  readonly currency: string
}): bigint | null {
  if (!pricing || STANDS_FOR[currency] !== pricing.currency) return amount ?? null
  return unitsFor(pricing, currency, '1')
}

/** What sells for a price at a rate, in minor units of the currency that is sold, rounded up. */
const unitsFor = (price: Price, currency: string, rate: string): bigint =>
  fiatConversions.needed(toMinor(price.amount, assets[price.currency]), price.currency, currency, rate)

/**
 * How much of a price's currency one unit of a collection's currency sells for now, as decimal text: one to one for a stablecoin that stands
 * for it, by way of the other stablecoin between dollars and euros, else what providers of local fiat pay. Undefined where nobody buys it.
 */
async function rateOf(context: QueryContext, currency: string, to: Price['currency']): Promise<string | undefined> {
  if (STANDS_FOR[currency] === to) return '1'
  if (to === 'EUR') return currencyRate(context, 'USDC')
  if (to === 'USD') return currencyRate(context, 'EURC')
  return saleRate(context, currency, to)
}

/**
 * What a payer has to send for a price now, in minor units of the collection's currency: as much as sells for the price, rounded up. Undefined where
 * nobody buys that currency for the price's.
 * @throws price_unavailable 503 when who does cannot be asked
 */
export async function held(
  context: QueryContext,
  price: Price,
  currency: string,
): Promise<{ readonly price: HeldPrice; readonly amount: bigint } | undefined> {
  const rate = await rateOf(context, currency, price.currency).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.status < 429) throw error
    throw errors.price_unavailable({ retryAfter: PRICE_RETRY_SECONDS, cause: error })
  })
  if (rate === undefined) return undefined
  return { price: { currency: price.currency, amount: price.amount, rate }, amount: unitsFor(price, currency, rate) }
}
