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
        failureReason: status === 'refunded' || status === 'failed' ? failureReason(request) : null,
        providerReason: providerReason(request),
        updatedAt: request.updatedAt,
        receivedAt: receivedAt(request),
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

/** Block time of the payer's transaction: Relay reports seconds. */
function receivedAt({ data }: Request): Date | null {
  const seconds = data?.inTxs?.find(({ txHash }) => txHash)?.timestamp
  return seconds ? new Date(seconds > 1e11 ? seconds : seconds * 1000) : null
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

/** Relay's words for why a request failed and why its refund did, for operators. */
const providerReason = (request: Request): string | null => reasonsOf(request).join(', ') || null

const reasonsOf = ({ data }: Request): string[] =>
  [data?.failReason, data?.refundFailReason].flatMap((reason) => (reason && reason !== 'N/A' ? [reason] : []))

type FailureReason = NonNullable<DepositReport['failureReason']>

/** Relay's reasons (execution errors of its documentation) in the words of this service; all others are `delivery_failed`. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  BLOCKED_WALLET: 'provider_blocked',
  REFUND_RECIPIENT_IS_VASP: 'provider_blocked',
  DEPOSIT_CHAIN_MISMATCH: 'wrong_currency',
  INCORRECT_DEPOSIT_CURRENCY: 'wrong_currency',
  ORIGIN_CURRENCY_MISMATCH: 'wrong_currency',
  DEPOSIT_REORGED: 'deposit_not_confirmed',
  DEPOSIT_CONFIRMATION_TIMEOUT: 'deposit_not_confirmed',
  TTL_EXPIRED: 'deposit_expired',
  SLIPPAGE: 'price_moved',
  NO_QUOTES: 'no_liquidity',
  SOLVER_CAPACITY_EXCEEDED: 'no_liquidity',
  DEPOSITED_AMOUNT_TOO_LOW_TO_FILL: 'amount_too_low',
  AMOUNT_TOO_LOW_TO_REFUND: 'amount_too_low',
  NEGATIVE_NEW_AMOUNT_AFTER_FEES: 'amount_too_low',
}

/** What holds funds back counts before why they were not delivered. */
function failureReason(request: Request): FailureReason {
  const reasons = reasonsOf(request).map((reason) => REASONS[reason] ?? 'delivery_failed')
  return reasons.find((reason) => reason === 'provider_blocked') ?? reasons[0] ?? 'delivery_failed'
}
