import type { DepositQuery, Leg, RoutesProvider } from '@payments/routes'
import { type RelayAsset, relayAsset } from './assets.ts'
import { addressOf, isAuthentic } from './callback.ts'
import { type RelayClient, type RelayOptions, relayClient } from './client.ts'
import { callerErrorOf, RelayError } from './errors.ts'
import { relayOffers } from './offers.ts'
import { isFinal, reportsOf } from './reports.ts'
import { Quote, type Request, Requests, Status } from './wire.ts'

const PAGE = 50
/** Pages of one look: twenty thousand deposits that changed since the last one. More is not believed. */
const PAGES = 400
/** Requests of one look that are asked for by their id. */
const SINGLES = 20

/**
 * Payment routes over Relay. Deposit addresses are open ones: they take any amount, any number of times. They are followed by
 * address: a deposit of another amount than quoted becomes a request of its own. By request only where the list of an address
 * leaves out one that is on its way.
 * @throws ServiceError 502 or 503, and 422 where Relay will not take what the merchant asks for.
 */
export function relay(options: RelayOptions): RoutesProvider {
  const client = relayClient(options)
  const offers = relayOffers(client, options.offersMs)
  return {
    offers: () => mapConstraints(offers),

    callsPerMinute: options.requestsPerMinute,

    createDepositAddress: ({ origin, destination, refundAddress }) =>
      mapConstraints(async () => {
        const from = assetOf(origin)
        const to = assetOf(destination)
        const { steps } = await client.post(
          '/quote/v2',
          {
            user: refundAddress,
            recipient: destination.address,
            originChainId: from.chainId,
            originCurrency: from.address,
            destinationChainId: to.chainId,
            destinationCurrency: to.address,
            amount: from.quote.toString(),
            tradeType: 'EXACT_INPUT',
            useDepositAddress: true,
            refundTo: refundAddress,
          },
          Quote,
        )
        const depositAddress = steps.find((step) => step.depositAddress)?.depositAddress
        if (!depositAddress) throw new RelayError('unreadable', 'A quote without a deposit address')
        // In Relay's own spelling, which is how it will be asked for.
        return { depositAddress }
      }),

    deposits: (look) =>
      mapConstraints(async () => {
        const { found, pages } = await listed(client, look)
        const left = look.pendingRequests.filter((id) => !found.has(id)).slice(0, SINGLES)
        const singles = (await Promise.all(left.map((id) => ended(client, id)))).flat()
        for (const request of singles) keepLatest(found, request)
        const reports = reportsOf([...found.values()], look.origin, assetOf(look.destination))
        return { reports, calls: pages + singles.length }
      }),

    callback: (request) =>
      isAuthentic(options.apiKey, request) ? { depositAddress: addressOf(request.body) } : undefined,
  }
}

/** What Relay lists of an address, by request. */
async function listed(
  client: RelayClient,
  { depositAddress, since }: DepositQuery,
): Promise<{ found: Map<string, Request>; pages: number }> {
  const found = new Map<string, Request>()
  let continuation: string | null = null
  let pages = 0
  do {
    if (pages++ === PAGES) throw new RelayError('unreadable', 'The list of requests does not end')
    const answer: { requests: Request[]; continuation: string | null } = await client.get(
      '/requests/v3',
      {
        depositAddress,
        sortBy: 'updatedAt',
        sortDirection: 'desc',
        limit: String(PAGE),
        ...(since ? { startTimestamp: String(Math.floor(since.getTime() / 1000)) } : {}),
        ...(continuation ? { continuation } : {}),
      },
      Requests,
    )
    for (const request of answer.requests) keepLatest(found, request)
    continuation = answer.continuation
  } while (continuation)
  return { found, pages }
}

/**
 * One request that the list of its address left out: its status comes from where it is kept, and only one that has ended is
 * worth the call that tells its amounts. Whatever fails here leaves the deposit on its way until the next look.
 */
async function ended(client: RelayClient, id: string): Promise<Request[]> {
  try {
    const { status } = await client.get('/intents/status/v3', { requestId: id }, Status)
    return isFinal(status) ? (await client.get('/requests/v3', { id }, Requests)).requests : []
  } catch {
    return []
  }
}

/** A list that changes between two of its pages can show a request twice: the later state counts. */
function keepLatest(found: Map<string, Request>, request: Request): void {
  const known = found.get(request.id)
  if (!known || known.updatedAt <= request.updatedAt) found.set(request.id, request)
}

function assetOf(leg: Leg): RelayAsset {
  const asset = relayAsset(leg)
  if (!asset) throw new RelayError('refused', 'No such currency', { code: 'UNSUPPORTED_CURRENCY' })
  return asset
}

async function mapConstraints<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw callerErrorOf(error)
  }
}
