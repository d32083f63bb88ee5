import type { Environment } from '@payments/kernel'
import type { QueryContext, Runtime } from '@payments/platform'
import { type Corridor, type FiatProvider, fiatProvider, type Offers } from './provider.ts'

/** The providers that may carry a new order of a currency, in the order in which they are asked. @throws ServiceError 503 when there is none */
export const fiatProviders = ({ runtime, actor }: QueryContext, currency: string): Promise<readonly FiatProvider[]> =>
  runtime.providers.candidates(fiatProvider, actor.environment, { scope: currency })

/** Every provider of an environment, of which each may have orders that the database has forgotten. */
export const everyFiatProvider = ({ providers }: Runtime, environment: Environment): readonly FiatProvider[] =>
  providers.bound(fiatProvider, environment)

/** What each provider offers that answers. @throws the error of the first, when none answers */
async function answered(candidates: readonly FiatProvider[]) {
  const settled = await Promise.allSettled(
    candidates.map(async (provider) => ({ provider, offers: await provider.offers() })),
  )
  const offering = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (offering.length === 0) throw settled.find((each) => each.status === 'rejected')?.reason
  return offering
}

/** The provider that is asked about the banks of a currency: the first that offers it, else the first of all. */
export async function providerOf(context: QueryContext, currency: string): Promise<FiatProvider> {
  const offering = await answered(await fiatProviders(context, currency))
  const found = offering.find(({ offers }) => offers.currencies.some(({ code }) => code === currency)) ?? offering[0]
  return (found as (typeof offering)[number]).provider
}

const sorted = (a: bigint, b: bigint): [bigint, bigint] => (a < b ? [a, b] : [b, a])

const wayOf = ({ direction, currency, channel, asset, networkKey }: Corridor): string =>
  [direction, currency, channel, asset, networkKey].join()

/** What was merged last, by the offers of the first provider: a provider returns the same object until it has asked again. */
const merged = new WeakMap<Offers, { readonly of: readonly Offers[]; readonly offers: Offers }>()

/**
 * What the providers offer together: each corridor once, as the first provider offers it, and the widest limits of each currency. The same
 * object while they offer the same.
 */
export async function allOffers(context: QueryContext): Promise<Offers> {
  const of = (await answered(await fiatProviders(context, ''))).map(({ offers }) => offers)
  const first = of[0] as Offers
  const known = merged.get(first)
  if (known?.of.length === of.length && known.of.every((each, index) => each === of[index])) return known.offers
  const offers = merge(of)
  merged.set(first, { of, offers })
  return offers
}

function merge(of: readonly Offers[]): Offers {
  const corridors = new Map<string, Corridor>()
  const currencies = new Map<string, Offers['currencies'][number]>()
  for (const offers of of) {
    for (const corridor of offers.corridors) {
      const way = wayOf(corridor)
      if (!corridors.has(way)) corridors.set(way, corridor)
    }
    for (const limits of offers.currencies) {
      const known = currencies.get(limits.code) ?? limits
      currencies.set(limits.code, {
        code: limits.code,
        minAmount: sorted(known.minAmount, limits.minAmount)[0],
        maxAmount: sorted(known.maxAmount, limits.maxAmount)[1],
      })
    }
  }
  return { currencies: [...currencies.values()], corridors: [...corridors.values()] }
}
