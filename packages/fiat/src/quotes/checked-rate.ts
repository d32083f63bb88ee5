import { assetNamed } from '@payments/kernel'
import { checkPrice, type QueryContext } from '@payments/platform'
import { canonicalRate, sold } from '../currencies/amounts.ts'
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
