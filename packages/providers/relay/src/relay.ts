import { type HttpClient, ProviderError } from '@payments/provider-http'
import type { DepositPage, DepositQuery, Leg, OddReport, QuotedAmount, RoutesProvider } from '@payments/routes'
import { chains, type RelayAsset, relayAsset } from './assets.ts'
import { type RelayOptions, relayClient } from './client.ts'
import { mapErrors } from './errors.ts'
import { relayOffers } from './offers.ts'
import { amountsOf, checkAsked } from './quotes/quote.ts'
import { addressOf, isAuthentic } from './reports/callback.ts'
import { relayChanges } from './reports/changes.ts'
import { type Listed, listRequests } from './reports/list.ts'
import { isFinal, readElements, reportsOf } from './reports/reports.ts'
import { Quote, Reindexed, type Request, Requests, Status } from './wire.ts'

/** How many requests one poll queries by id at most. */
const SINGLES = 20
const QUOTES_PER_MINUTE = 50
/** Addresses of one call: its line stays well below the 8 kB that servers accept. */
const ADDRESSES = 50

/**
 * Payment routes over Relay. Deposit addresses are open: they accept any amount, any number of times. They are polled by address,
 * because a deposit of another amount than quoted becomes a request of its own. A pending request that the list of its address
 * leaves out is queried by id.
 * @throws ServiceError 502 or 503, and 422 where Relay rejects a field of the merchant's.
 */
export function relay(options: RelayOptions): RoutesProvider {
  const client = relayClient(options)
  const offers = relayOffers(client, options.offersMs)

  async function page(query: DepositQuery, { found, odd, pages }: Listed): Promise<DepositPage> {
    for (const { depositAddress } of found.values()) expectAddress(query, depositAddress?.address)
    const left = query.pendingRequests.filter((id) => !found.has(id)).slice(0, SINGLES)
    const singles = await Promise.all(left.map((id) => ended(client, id)))
    for (const { requests } of singles)
      for (const request of requests) if (left.includes(request.id)) found.set(request.id, request)
    return {
      reports: reportsOf([...found.values()], {
        origin: query.origin,
        destination: assetOf(query.destination),
        known: query.pendingRequests,
      }),
      odd: [...odd, ...singles.flatMap((single) => single.odd)],
      calls: pages + singles.reduce((sum, { requests }) => sum + requests.length, 0),
    }
  }

  return {
    name: 'relay',
    isAvailable: client.isAvailable,
    capabilities: { reusableAddresses: true },
    offers: () => mapErrors(offers),
    callsPerMinute: options.requestsPerMinute,
    quotesPerMinute: options.quotesPerMinute ?? QUOTES_PER_MINUTE,
    addressesPerCall: ADDRESSES,

    createDepositAddress: ({ origin, destination, refundAddress, quote, strict = false }) =>
      mapErrors(async () => {
        const from = assetOf(origin)
        const to = assetOf(destination)
        const answer = await client.post(
          '/quote/v2',
          {
            user: refundAddress,
            recipient: destination.address,
            originChainId: from.chainId,
            originCurrency: from.address,
            destinationChainId: to.chainId,
            destinationCurrency: to.address,
            ...tradeOf(quote ?? { input: from.quote }, strict),
            useDepositAddress: true,
            ...(strict ? { strict } : {}),
            refundTo: refundAddress,
          },
          Quote,
        )
        const depositAddress = answer.steps.find((step) => step.depositAddress)?.depositAddress
        if (!depositAddress) throw new ProviderError('unreadable', 'A quote without a deposit address')
        checkAsked(answer, { origin: from, destination: to, recipient: destination.address })
        // In Relay's own spelling, which later queries must use.
        return quote ? { depositAddress, ...amountsOf(answer, quote) } : { depositAddress }
      }),

    deposits: (query) =>
      mapErrors(async () =>
        page(query, await listRequests(client, { depositAddress: query.depositAddress }, query.since)),
      ),

    depositsOf: (queries) =>
      mapErrors(async () => {
        const since = queries.some((query) => query.since === null)
          ? null
          : new Date(Math.min(...queries.map((query) => query.since?.getTime() ?? 0)))
        const filter = {
          filters: JSON.stringify([{ depositAddress: queries.map(({ depositAddress }) => depositAddress) }]),
        }
        const { found, odd, pages } = await listRequests(client, filter, since)
        const shares = shareOut(queries, [...found.values()], odd)
        // What names no address may belong to any of them.
        if (!shares)
          return readable(
            queries.map(async (query) =>
              page(query, await listRequests(client, { depositAddress: query.depositAddress }, query.since)),
            ),
          )
        return Promise.all(
          queries.map((query, index) => page(query, { ...(shares[index] as Listed), pages: index === 0 ? pages : 0 })),
        )
      }),

    changes: (since) => mapErrors(() => relayChanges(client, options.apiKey, since)),

    reindex: ({ depositAddress, networkKey, on }) =>
      mapErrors(async () => {
        const [chainId, targetChainId] = [chains[networkKey]?.id, chains[on]?.id]
        if (chainId === undefined || targetChainId === undefined)
          throw new ProviderError('rejected', 'No such chain', { code: 'UNSUPPORTED_CHAIN' })
        const { triggeredCurrencies } = await client.post(
          '/transactions/deposit-address/reindex',
          { chainId, depositAddress, ...(targetChainId === chainId ? {} : { targetChainId }) },
          Reindexed,
        )
        return { found: triggeredCurrencies?.length ?? 0 }
      }),

    callback: (request) =>
      isAuthentic(options.apiKey, request) ? { depositAddress: addressOf(request.body) } : undefined,
  }
}

/** @throws ProviderError where a list of one address has the deposits of another: its filter was not applied */
function expectAddress(
  { depositAddress }: Pick<DepositQuery, 'depositAddress'>,
  told: string | null | undefined,
): void {
  if (told && told.toLowerCase() !== depositAddress.toLowerCase())
    throw new ProviderError('unreadable', 'The deposits of another address')
}

/** An exact output is available on strict addresses only; an open one quotes what would be needed now. */
const tradeOf = (quote: QuotedAmount, strict: boolean) =>
  'input' in quote
    ? { amount: quote.input.toString(), tradeType: 'EXACT_INPUT' }
    : { amount: quote.output.toString(), tradeType: strict ? 'EXACT_OUTPUT' : 'EXPECTED_OUTPUT' }

/** What could be read, undefined for the rest. @throws the first error where nothing could be */
async function readable<T>(reads: readonly Promise<T>[]): Promise<(T | undefined)[]> {
  const settled = await Promise.allSettled(reads)
  const first = settled.find((each) => each.status === 'rejected')
  if (first && settled.every(({ status }) => status === 'rejected')) throw first.reason
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : undefined))
}

/** Requests of many addresses by address; undefined where one of them does not say to which it belongs. */
function shareOut(
  queries: readonly DepositQuery[],
  requests: readonly Request[],
  odd: readonly OddReport[],
): Listed[] | undefined {
  const shares = queries.map((): Listed & { odd: OddReport[] } => ({ found: new Map(), odd: [], pages: 0 }))
  if (odd.length > 0) return undefined
  const indexes = new Map(queries.map(({ depositAddress }, index) => [depositAddress.toLowerCase(), index]))
  const byRequest = new Map(queries.flatMap(({ pendingRequests }, index) => pendingRequests.map((id) => [id, index])))
  for (const request of requests) {
    const address = request.depositAddress?.address
    const index = address ? indexes.get(address.toLowerCase()) : byRequest.get(request.id)
    if (index === undefined) return undefined
    shares[index]?.found.set(request.id, request)
  }
  return shares
}

/**
 * One request that the list of its address left out. Its status is queried first; its amounts only when the status is final. On
 * any error the deposit stays pending until the next poll.
 */
async function ended(client: HttpClient, id: string): Promise<{ requests: Request[]; odd: OddReport[] }> {
  try {
    const { status } = await client.get('/intents/status/v3', { requestId: id }, Status)
    return isFinal(status)
      ? readElements((await client.get('/requests/v3', { id }, Requests)).requests)
      : { requests: [], odd: [] }
  } catch {
    return { requests: [], odd: [] }
  }
}

function assetOf(leg: Leg): RelayAsset {
  const asset = relayAsset(leg)
  if (!asset) throw new ProviderError('rejected', 'No such currency', { code: 'UNSUPPORTED_CURRENCY' })
  return asset
}
