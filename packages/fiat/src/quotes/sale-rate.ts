import { assetNamed, toMinor } from '@payments/kernel'
import { firstAnswer, type QueryContext, type Runtime } from '@payments/platform'
import { newCall } from '../provider/limits.ts'
import type { FiatProvider } from '../provider/provider.ts'
import { allOffers, everyFiatProvider, fiatProviders } from '../provider/providers.ts'
import { checkedRate } from './checked-rate.ts'

/** What the rate is asked for, in the stablecoin: about what a payer sends. */
const AMOUNT = '100'
const FRESH_MS = 30_000

/** A rate, or the request for it that is under way. A rate only shows a price, so each process has its own. */
interface Known {
  readonly rate: Promise<string>
  readonly until: number
}
const known = new WeakMap<Runtime, Map<string, Known>>()

/**
 * How much of a currency one unit of a stablecoin sells for at present, as decimal text, not older than 30 s; undefined where nobody buys the
 * stablecoin for this currency. It is the rate of a quote for 100, before fees, which no provider holds.
 * @throws the provider's 502 and 503
 */
export async function saleRate(context: QueryContext, asset: string, currency: string): Promise<string | undefined> {
  const { runtime, actor } = context
  if (everyFiatProvider(runtime, actor.environment).length === 0) return undefined
  const { corridors } = await allOffers(context)
  const isSold = (each: (typeof corridors)[number]) =>
    each.direction === 'offramp' && each.asset === asset && each.currency === currency
  if (!corridors.some(isSold)) return undefined
  const own = known.get(runtime) ?? new Map<string, Known>()
  known.set(runtime, own)
  const key = `${actor.environment} ${asset} ${currency}`
  const last = own.get(key)
  if (last && last.until > performance.now()) return last.rate
  const rate = ask(context, asset, currency)
  own.set(key, { rate, until: performance.now() + FRESH_MS })
  rate.catch(() => own.delete(key))
  return rate
}

async function ask(context: QueryContext, asset: string, currency: string): Promise<string> {
  const quote = async (provider: FiatProvider) => {
    const { corridors } = await provider.offers()
    const own = corridors.find(
      (each) => each.direction === 'offramp' && each.asset === asset && each.currency === currency,
    )
    if (!own) throw new Error(`${provider.name} does not buy ${asset} for ${currency}`)
    const { networkKey, minAmount, maxAmount } = own
    const wanted = toMinor(AMOUNT, assetNamed(asset))
    const [, amount = wanted] = [minAmount, wanted, maxAmount].sort((one, other) => (one < other ? -1 : 1))
    const { rate } = await newCall(context, provider, () => provider.sellQuote({ amount, asset, networkKey, currency }))
    return checkedRate(context, provider.name, { asset, currency, rate })
  }
  return (await firstAnswer(await fiatProviders(context, currency), quote)).answer
}
