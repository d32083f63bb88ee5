import { type HttpClient, ProviderError } from '@payments/provider-http'
import type { Leg, Offer } from '@payments/routes'
import { LRUCache } from 'lru-cache'
import { assetIdsOf } from './assets.ts'
import { Tokens } from './wire.ts'

const HOUR_MS = 3_600_000

/** What 1Click accepts and delivers now. */
export interface Catalogue {
  offers(): Promise<readonly Offer[]>
  /** 1Click's id of a currency. @throws ProviderError where it does not list it */
  assetId(leg: Leg): Promise<string>
}

/**
 * The list of tokens, fetched once an hour in each process; an expired answer is used while a new one is fetched, and for as long as
 * fetching fails. Every listed token can be deposited and delivered; the quote decides in the end.
 */
export function catalogueOf(client: HttpClient, ttl: number = HOUR_MS): Catalogue {
  const cache = new LRUCache<'tokens', ReturnType<typeof assetIdsOf>>({
    max: 1,
    ttl,
    allowStale: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async () => assetIdsOf(await client.get('/v0/tokens', {}, Tokens)),
  })
  const assets = () => cache.forceFetch('tokens')
  return {
    async offers() {
      return [...(await assets())].flatMap(([networkKey, ids]) =>
        ids.size === 0 ? [] : [{ networkKey, origins: [...ids.keys()], destinations: [...ids.keys()] }],
      )
    },
    async assetId({ networkKey, currency }) {
      const id = (await assets()).get(networkKey)?.get(currency)
      if (id === undefined)
        throw new ProviderError('rejected', 'No such token', { body: { message: 'tokenOut is not valid' } })
      return id
    },
  }
}
