import type { DepositQuery, Leg, QuotedAmount, RoutesProvider } from '@payments/routes'
import { type RelayAsset, relayAsset } from './assets.ts'
import { addressOf, isAuthentic } from './callback.ts'
import { type RelayClient, type RelayOptions, relayClient } from './client.ts'
import { callerErrorOf, RelayError } from './errors.ts'
import { relayOffers } from './offers.ts'
import { isFinal, reportsOf } from './reports.ts'
import { Quote, type Request, Requests, Status } from './wire.ts'

const PAGE = 50
/** Page limit of one poll: twenty thousand changed deposits. A longer list is an error of the provider. */
const PAGES = 400
/** How many requests one poll queries by id at most. */
const SINGLES = 20

/**
 * Payment routes over Relay. Deposit addresses are open: they accept any amount, any number of times. They are polled by address,
 * because a deposit of another amount than quoted becomes a request of its own. A pending request that the list of its address
 * leaves out is queried by id.
 * @throws ServiceError 502 or 503, and 422 where Relay rejects a field of the merchant's.
 */
export function relay(options: RelayOptions): RoutesProvider {
  const client = relayClient(options)
  const offers = relayOffers(client, options.offersMs)
  return {
    offers: () => mapErrors(offers),

    callsPerMinute: options.requestsPerMinute,

    createDepositAddress: ({ origin, destination, refundAddress, quote, strict = false }) =>
      mapErrors(async () => {
        const from = assetOf(origin)
        const to = assetOf(destination)
        const { steps, details } = await client.post(
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
        const depositAddress = steps.find((step) => step.depositAddress)?.depositAddress
        if (!depositAddress) throw new RelayError('unreadable', 'A quote without a deposit address')
        // In Relay's own spelling, which later queries must use.
        if (!quote) return { depositAddress }
        const inputAmount = 'input' in quote ? quote.input : details?.currencyIn && BigInt(details.currencyIn.amount)
        if (!inputAmount) throw new RelayError('unreadable', 'A quote without the amount to send')
        return { depositAddress, inputAmount }
      }),

    deposits: (query) =>
      mapErrors(async () => {
        const { found, pages } = await listed(client, query)
        const left = query.pendingRequests.filter((id) => !found.has(id)).slice(0, SINGLES)
        const singles = (await Promise.all(left.map((id) => ended(client, id)))).flat()
        for (const request of singles) keepLatest(found, request)
        const reports = reportsOf([...found.values()], query.origin, assetOf(query.destination))
        return { reports, calls: pages + singles.length }
      }),

    callback: (request) =>
      isAuthentic(options.apiKey, request) ? { depositAddress: addressOf(request.body) } : undefined,
  }
}

/** An exact output is available on strict addresses only; an open one quotes what would be needed now. */
const tradeOf = (quote: QuotedAmount, strict: boolean) =>
  'input' in quote
    ? { amount: quote.input.toString(), tradeType: 'EXACT_INPUT' }
    : { amount: quote.output.toString(), tradeType: strict ? 'EXACT_OUTPUT' : 'EXPECTED_OUTPUT' }

/** All requests that Relay lists for an address, by id. */
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
 * One request that the list of its address left out. Its status is queried first; its amounts only when the status is final. On
 * any error the deposit stays pending until the next poll.
 */
async function ended(client: RelayClient, id: string): Promise<Request[]> {
  try {
    const { status } = await client.get('/intents/status/v3', { requestId: id }, Status)
    return isFinal(status) ? (await client.get('/requests/v3', { id }, Requests)).requests : []
  } catch {
    return []
  }
}

/** A list that changes between two pages can contain a request twice: the later state counts. */
function keepLatest(found: Map<string, Request>, request: Request): void {
  const known = found.get(request.id)
  if (!known || known.updatedAt <= request.updatedAt) found.set(request.id, request)
}

function assetOf(leg: Leg): RelayAsset {
  const asset = relayAsset(leg)
  if (!asset) throw new RelayError('rejected', 'No such currency', { code: 'UNSUPPORTED_CURRENCY' })
  return asset
}

async function mapErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw callerErrorOf(error)
  }
}
