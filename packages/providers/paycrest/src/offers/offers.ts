import { type Corridor, fiatConversions, type Offers } from '@payments/fiat'
import { assetOf, networks } from '@payments/kernel'
import { LRUCache } from 'lru-cache'
import type { PaycrestClient } from '../client.ts'
import { Currencies, Institutions, Tokens } from '../wire.ts'
import { unitsOf } from './amounts.ts'
import { type KnownInstitution, knownInstitutions } from './institutions.ts'

const HOUR_MS = 3_600_000
/** Paycrest's smallest order is worth $0.50. */
const MIN_ORDER = '0.5'
const STABLECOINS = ['USDC', 'USDT']
/** Most orders are paid out within a minute; the queue of providers may take longer. */
const SETTLEMENT_SECONDS = 300

/** Our networks under Paycrest's names. Others, and BNB Smart Chain with its tokens of 18 decimals, are left out. */
export const networkNames: Readonly<Record<string, string>> = {
  ethereum: 'ethereum',
  base: 'base',
  arbitrum: 'arbitrum-one',
  polygon: 'polygon',
  tron: 'tron',
}

/** What Paycrest offers, with the institutions of each currency. */
export interface Market extends Offers {
  readonly institutions: ReadonlyMap<string, readonly KnownInstitution[]>
}

/**
 * Currencies, tokens and institutions, fetched once an hour in each process; an expired answer is used while a new one is
 * fetched, and for as long as fetching fails. The order decides in the end.
 */
export function paycrestMarket(client: PaycrestClient, maxOrder: number, ttl: number = HOUR_MS): () => Promise<Market> {
  const cache = new LRUCache<'market', Market>({
    max: 1,
    ttl,
    allowStale: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: () => ask(client, maxOrder),
  })
  return () => cache.forceFetch('market')
}

async function ask(client: PaycrestClient, maxOrder: number): Promise<Market> {
  const [listed, tokens] = await Promise.all([client.get('/currencies', {}, Currencies), allTokens(client)])
  // Amounts that we count in more decimals than Paycrest could not be paid out exactly.
  const currencies = listed.filter(({ code, decimals }) => (assetOf(code)?.decimals ?? Number.NaN) <= decimals)
  const institutions = new Map(
    await Promise.all(
      currencies.map(
        async ({ code }) =>
          [code, knownInstitutions(code, await client.get(`/institutions/${code}`, {}, Institutions))] as const,
      ),
    ),
  )
  return {
    institutions,
    currencies: currencies.flatMap(({ code, marketSellRate, marketBuyRate }) => {
      const rate = usable(marketSellRate) ?? usable(marketBuyRate)
      if (!rate) return []
      // Rates move while this is cached: the limits of the bank's side leave room, those of the stablecoin's side are exact.
      const { minAmount, maxAmount } = inFiat(code, rate, maxOrder)
      return { code, minAmount: minAmount / 2n, maxAmount: maxAmount * 2n }
    }),
    corridors: currencies.flatMap(({ code, marketSellRate, marketBuyRate }) => {
      const channels = [...new Set((institutions.get(code) ?? []).map(({ type }) => type))]
      const [sell, buy] = [usable(marketSellRate), usable(marketBuyRate)]
      return channels.flatMap((channel) =>
        tokens.flatMap(({ networkKey, asset }): Corridor[] => {
          const common = { currency: code, channel, asset, networkKey, settlementSeconds: SETTLEMENT_SECONDS }
          const limits = { minAmount: unitsOf(MIN_ORDER, asset), maxAmount: unitsOf(String(maxOrder), asset) }
          return [
            ...(sell ? [{ ...common, direction: 'offramp' as const, rate: sell, ...limits }] : []),
            ...(buy ? [{ ...common, direction: 'onramp' as const, rate: buy, ...inFiat(code, buy, maxOrder) }] : []),
          ]
        }),
      )
    }),
  }
}

const usable = (rate: string | null): string | undefined =>
  rate !== null && /^\d{1,15}(\.\d{1,18})?$/.test(rate) && Number(rate) > 0 ? rate : undefined

const inFiat = (currency: string, rate: string, maxOrder: number) => ({
  minAmount: fiatConversions.sold(unitsOf(MIN_ORDER, 'USDC'), 'USDC', currency, rate),
  maxAmount: fiatConversions.sold(unitsOf(String(maxOrder), 'USDC'), 'USDC', currency, rate),
})

/** The stablecoins of each of our networks, with the decimals that amounts are counted in here. */
async function allTokens(client: PaycrestClient): Promise<{ networkKey: string; asset: string }[]> {
  const lists = await Promise.all(
    networks.map(async ({ key, currencies }) => {
      const network = networkNames[key]
      if (!network) return []
      const tokens = await client.get('/tokens', { network }, Tokens)
      return STABLECOINS.filter(
        (symbol) =>
          (currencies as readonly string[]).includes(symbol) &&
          tokens.some((token) => token.symbol === symbol && token.decimals === assetOf(symbol)?.decimals),
      ).map((asset) => ({ networkKey: key, asset }))
    }),
  )
  return lists.flat()
}
