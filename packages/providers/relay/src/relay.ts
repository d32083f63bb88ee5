import type { Leg, RoutesProvider } from '@payments/routes'
import { type RelayAsset, relayAsset } from './assets.ts'
import { addressOf, isAuthentic } from './callback.ts'
import { type RelayOptions, relayClient } from './client.ts'
import { RelayFault, refusalOf } from './faults.ts'
import { reportsOf } from './reports.ts'
import { Quote, type Request, Requests } from './wire.ts'

const PAGE = 50
/** Pages of one look: twenty thousand deposits that changed since the last one. More is not believed. */
const PAGES = 400

/**
 * Payment routes over Relay. Deposit addresses are open ones: they take any amount, any number of times. They are followed by
 * address, never by request: a deposit of another amount than quoted becomes a request of its own.
 * @throws Refusal 502 or 503, and 422 where Relay will not take what the merchant asks for.
 */
export function relay(options: RelayOptions): RoutesProvider {
  const client = relayClient(options)
  return {
    callsPerMinute: options.requestsPerMinute,

    openAddress: ({ origin, destination, refundAddress }) =>
      refusing(async () => {
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
        if (!depositAddress) throw new RelayFault('unreadable', 'A quote without a deposit address')
        // In Relay's own spelling, which is how it will be asked for.
        return { depositAddress }
      }),

    deposits: ({ depositAddress, origin, destination, since }) =>
      refusing(async () => {
        const from = assetOf(origin)
        const to = assetOf(destination)
        const found = new Map<string, Request>()
        let continuation: string | null = null
        for (let page = 0; page === 0 || continuation; page++) {
          if (page === PAGES) throw new RelayFault('unreadable', 'The list of requests does not end')
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
        }
        return reportsOf([...found.values()], from, to)
      }),

    callback: (request) =>
      isAuthentic(options.apiKey, request) ? { depositAddress: addressOf(request.body) } : undefined,
  }
}

/** A list that changes between two of its pages can show a request twice: the later state counts. */
function keepLatest(found: Map<string, Request>, request: Request): void {
  const known = found.get(request.id)
  if (!known || known.updatedAt <= request.updatedAt) found.set(request.id, request)
}

function assetOf(leg: Leg): RelayAsset {
  const asset = relayAsset(leg.networkKey, leg.currency)
  if (!asset) throw new RelayFault('refused', 'No such currency', { code: 'UNSUPPORTED_CURRENCY' })
  return asset
}

async function refusing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw refusalOf(error)
  }
}
