import { assetNamed, isWithinPercent } from '@payments/kernel'
import { checkPrice, platformSettings, type QueryContext } from '@payments/platform'
import { bought, canonicalRate, decimal, sold } from '../currencies/amounts.ts'
import { errors } from '../errors.ts'

/** Of so many stablecoins the rate is compared, so that a currency without decimals loses nothing. */
const MANY = 1_000_000n

interface Rate {
  readonly asset: string
  readonly currency: string
  /** Units of the currency for one stablecoin, as the provider said. */
  readonly rate: string
}

/** A rate of a provider in canonical form. @throws fiat_provider_failed 503 for zero, for no number, and for one too far from the last one */
export async function checkedRate(
  context: QueryContext,
  provider: string,
  { asset, currency, rate }: Rate,
): Promise<string> {
  const units = MANY * 10n ** BigInt(assetNamed(asset).decimals)
  const [canonical, got] = read(rate, (text) => sold(units, asset, currency, text))
  const price = { from: { symbol: asset, units }, to: { symbol: currency, units: got } }
  await checkPrice(context, provider, price, errors.fiat_provider_failed)
  return canonical
}

/** What is no rate is worth nothing. */
function read(rate: string, worth: (canonical: string) => bigint): [string, bigint] {
  try {
    const canonical = canonicalRate(rate)
    return [canonical, worth(canonical)]
  } catch (error) {
    if (error instanceof RangeError) return ['0', 0n]
    throw error
  }
}

/**
 * Checks what an order takes in all against what it brings, at its rate, which {@link checkedRate} has accepted: a fee is a part of the price. Up to one
 * stablecoin it may be any part of a small order.
 * @throws fiat_provider_failed 503 for an order that keeps more than QUOTE_MAX_LOSS_PERCENT
 */
export async function checkTerms(
  context: QueryContext,
  provider: string,
  { asset, currency, rate }: Rate,
  order: { readonly from: 'asset' | 'currency'; readonly paid: bigint; readonly brings: bigint },
): Promise<void> {
  const isSale = order.from === 'asset'
  const inAsset = (units: bigint) => bought(units, currency, asset, rate)
  const given = isSale ? order.paid : inAsset(order.paid)
  const got = isSale ? inAsset(order.brings) : order.brings
  const { QUOTE_MAX_LOSS_PERCENT: most } = platformSettings.from(context.runtime.settings)
  if (given - got <= 10n ** BigInt(assetNamed(asset).decimals) || isWithinPercent(given, got, most)) return
  const side = (symbol: string, units: bigint, worth: bigint) => ({ symbol, units, dollars: decimal(worth, asset) })
  const [from, to] = isSale ? [asset, currency] : [currency, asset]
  const price = { from: side(from, order.paid, given), to: side(to, order.brings, got) }
  await checkPrice(context, provider, price, errors.fiat_provider_failed)
  throw errors.fiat_provider_failed({ cause: new Error('An order whose fees are not believed') })
}
