import type { DepositReport, Leg } from '@payments/routes'
import { legOf, type RelayAsset } from './assets.ts'
import type { Request } from './wire.ts'

const ENDS: ReadonlyMap<string, DepositReport['status']> = new Map([
  ['success', 'completed'],
  ['refund', 'refunded'],
  ['failure', 'failed'],
])

/** Whether a request with this status is final. */
export const isFinal = (status: string): boolean => ENDS.has(status)

/**
 * Relay's requests of one deposit address as deposits. A request is a deposit once money was received: the quote that created the
 * address is a request too, which may never be paid. A superseded request is reported by its successor, which has the same
 * transaction. An unknown status counts as pending.
 */
export function reportsOf(requests: readonly Request[], origin: Leg, destination: RelayAsset): DepositReport[] {
  return requests.flatMap((request) => {
    if (request.supersededByRequestId) return []
    const status = ENDS.get(request.status) ?? 'pending'
    const txHash = request.depositAddress?.depositTxHash ?? request.data?.inTxs?.find((tx) => tx.txHash)?.txHash ?? null
    if (!txHash && status !== 'completed' && status !== 'refunded') return []
    const came = moneyIn(request)
    // The amount received is written once: wait for the next poll rather than write a wrong one.
    if (!came && status === 'pending') return []
    const sent = came && legOf(came.currency)
    const went = status === 'completed' ? moneyOut(request, destination) : null
    return [
      {
        requestId: request.id,
        status,
        // A payer may send another currency on another chain. Relay accepts some of them: report what was received. The amount
        // of an unknown token has no known unit and is not reported.
        origin: sent ?? origin,
        originAmount: sent ? BigInt(came.amount) : 0n,
        originAmountUsd: came && dollars(came.amountUsd),
        destinationAmount: went && isOf(went, destination) ? BigInt(went.amount) : null,
        destinationAmountUsd: went && dollars(went.amountUsd),
        depositTxHash: txHash,
        failureReason: status === 'refunded' || status === 'failed' ? reasonOf(request) : null,
        updatedAt: request.updatedAt,
      },
    ]
  })
}

type Amount = NonNullable<
  NonNullable<NonNullable<NonNullable<NonNullable<Request['data']>['route']>['actual']>['origin']>['inputCurrency']
>

function moneyIn(request: Request): Amount | null {
  const { actual, quoted } = request.data?.route ?? {}
  return actual?.origin?.inputCurrency ?? quoted?.origin?.inputCurrency ?? null
}

/** On one chain there is no destination leg: what came out of the origin's swap is what was delivered. */
function moneyOut(request: Request, destination: RelayAsset): Amount | null {
  const actual = request.data?.route?.actual
  const same = moneyIn(request)?.currency.chainId === destination.chainId ? actual?.origin?.outputCurrency : null
  return actual?.destination?.outputCurrency ?? same ?? null
}

const isOf = ({ currency }: Amount, asset: RelayAsset): boolean => {
  const [is, wanted] = [legOf(currency), legOf(asset)]
  return is !== undefined && is === wanted
}

const dollars = (text: string | null): string | null => (text !== null && /^\d+(\.\d+)?$/.test(text) ? text : null)

const known = (reason: string | null | undefined): string | null => (reason && reason !== 'N/A' ? reason : null)

function reasonOf(request: Request): string {
  const why = known(request.data?.failReason)
  const notBack = known(request.data?.refundFailReason)
  return [why, notBack].filter(Boolean).join(', ') || 'UNKNOWN'
}
