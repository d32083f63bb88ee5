import type { DepositReport } from '@payments/routes'
import type { RelayAsset } from './assets.ts'
import type { Request } from './wire.ts'

const STATUS: Readonly<Record<string, DepositReport['status']>> = {
  success: 'completed',
  refund: 'refunded',
  failure: 'failed',
}

type Money = { readonly amount: bigint; readonly usd: string | null }

/**
 * Relay's requests of one deposit address as deposits. A request is a deposit once money has come in: the quote that made the
 * address is a request too, and nobody may ever pay it. What Relay calls by a status unknown here is on its way.
 */
export function reportsOf(requests: readonly Request[], origin: RelayAsset, destination: RelayAsset): DepositReport[] {
  const first = origins(requests)
  return requests.flatMap((request) => {
    if (request.supersededByRequestId) return []
    const status = STATUS[request.status] ?? 'pending'
    const txHash = request.depositAddress?.depositTxHash ?? request.data?.inTxs?.find((tx) => tx.txHash)?.txHash ?? null
    if (!txHash && status !== 'completed' && status !== 'refunded') return []
    const came = moneyIn(request, origin)
    // What came is written once: better a look later than a wrong amount.
    if (!came && status === 'pending') return []
    const went = status === 'completed' ? moneyOut(request, origin, destination) : null
    return [
      {
        requestId: first(request.id),
        status,
        originAmount: came?.amount ?? 0n,
        originAmountUsd: came?.usd ?? null,
        destinationAmount: went?.amount ?? null,
        destinationAmountUsd: went?.usd ?? null,
        depositTxHash: txHash,
        failureReason: status === 'refunded' || status === 'failed' ? reasonOf(request) : null,
        updatedAt: request.updatedAt,
      },
    ]
  })
}

/** A request that superseded another keeps the first one's id: it is the same money, so it is one deposit. */
function origins(requests: readonly Request[]): (id: string) => string {
  const before = new Map<string, string>()
  for (const request of requests) {
    if (request.supersededByRequestId) before.set(request.supersededByRequestId, request.id)
  }
  return (id) => {
    const seen = new Set<string>()
    let at = id
    for (let next = before.get(at); next !== undefined && !seen.has(next); next = before.get(at)) {
      seen.add(next)
      at = next
    }
    return at
  }
}

type Amount = NonNullable<
  NonNullable<NonNullable<NonNullable<NonNullable<Request['data']>['route']>['actual']>['origin']>['inputCurrency']
>

function moneyIn(request: Request, origin: RelayAsset): Money | null {
  const { actual, quoted } = request.data?.route ?? {}
  return money(actual?.origin?.inputCurrency ?? quoted?.origin?.inputCurrency, origin)
}

/** On one chain there is no destination leg: what came out of the origin's swap is what was delivered. */
function moneyOut(request: Request, origin: RelayAsset, destination: RelayAsset): Money | null {
  const actual = request.data?.route?.actual
  const same = origin.chainId === destination.chainId ? actual?.origin?.outputCurrency : undefined
  return money(actual?.destination?.outputCurrency ?? same, destination)
}

/** Only amounts of the currency that is asked for count: those of another token are other units. */
function money(given: Amount | null | undefined, asset: RelayAsset): Money | null {
  if (!given) return null
  const isAsset =
    given.currency.chainId === asset.chainId && given.currency.address.toLowerCase() === asset.address.toLowerCase()
  return { amount: isAsset ? BigInt(given.amount) : 0n, usd: dollars(given.amountUsd) }
}

const dollars = (text: string | null): string | null => (text !== null && /^\d+(\.\d+)?$/.test(text) ? text : null)

const known = (reason: string | null | undefined): string | null => (reason && reason !== 'N/A' ? reason : null)

function reasonOf(request: Request): string {
  const why = known(request.data?.failReason)
  const notBack = known(request.data?.refundFailReason)
  return [why, notBack].filter(Boolean).join(', ') || 'UNKNOWN'
}
