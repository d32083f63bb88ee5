import { ProviderError } from '@payments/provider-http'
import type { DepositQuery, DepositReport } from '@payments/routes'
import type { StatusAnswer } from './wire.ts'

const ENDS: ReadonlyMap<string, DepositReport['status']> = new Map([
  ['SUCCESS', 'completed'],
  ['REFUNDED', 'refunded'],
  ['FAILED', 'failed'],
])

/** States in which money has arrived and nothing has become of it yet. */
const UNDER_WAY: ReadonlySet<string> = new Set(['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING'])

/**
 * 1Click has no id of a swap but its address: `correlationId` is of one call. The name before it makes it unique over providers.
 */
const requestIdOf = (depositAddress: string): string => `near-intents:${depositAddress}`

type Details = NonNullable<StatusAnswer['swapDetails']>

/**
 * The deposit at an address, if there is one. All that arrived there is one deposit, also when it came in parts or its excess was
 * refunded. An unknown state is pending, and so is an end whose amounts are not there.
 * @throws ProviderError for the answer about another address
 */
export function reportOf(answer: StatusAnswer, query: DepositQuery): DepositReport | undefined {
  const { status: state, updatedAt, swapDetails: details, quoteResponse } = answer
  const { depositAddress } = query
  const named = quoteResponse?.quote?.depositAddress ?? depositAddress
  if (named.toLowerCase() !== depositAddress.toLowerCase())
    throw new ProviderError('unreadable', 'The status of another address')
  const requestId = requestIdOf(depositAddress)
  const known = query.pendingRequests.includes(requestId)
  if (state === 'PENDING_DEPOSIT' || !(known || isPaid(state, details))) return undefined
  const said = ENDS.get(state) ?? 'pending'
  const arrived = details?.depositedAmount || null
  const complete = said !== 'pending' && arrived !== null && isAccounted(said, details)
  const status = complete ? said : 'pending'
  return {
    requestId,
    onlyDeposit: true,
    status,
    origin: query.origin,
    originAmount: arrived,
    originAmountUsd: dollars(details?.depositedAmountUsd),
    destinationAmount: status === 'completed' ? (details?.amountOut ?? null) : null,
    destinationAmountUsd: status === 'completed' ? dollars(details?.amountOutUsd) : null,
    ...(status === 'completed' ? returnedOf(answer) : status === 'refunded' ? refundedOf(answer) : {}),
    depositTxHash: payerHash(state, details),
    failureReason: status === 'refunded' || status === 'failed' ? failureReason(answer, arrived) : null,
    providerReason: said !== 'pending' && !complete ? `${state} without its amounts` : (details?.refundReason ?? null),
    refundAddress: quoteResponse?.quoteRequest?.refundTo ?? null,
    updatedAt: updatedAt ?? new Date(),
    // It does not tell when the payer's transaction was received: before it told of it.
    receivedAt: updatedAt,
  }
}

/** Did money arrive? An address that nobody paid may fail at its deadline. */
const isPaid = (state: string, details: Details | null): boolean =>
  UNDER_WAY.has(state) ||
  state === 'SUCCESS' ||
  state === 'REFUNDED' ||
  Boolean(details?.depositedAmount) ||
  (details?.originChainTxHashes ?? []).length > 0

/** Whether an end reports the outcome of the money. */
const isAccounted = (said: DepositReport['status'], details: Details | null): boolean =>
  said === 'failed' || Boolean(said === 'completed' ? details?.amountOut : details?.refundedAmount)

/** What a completed swap did not need. Null where the answer does not have both amounts, or they contradict each other. */
function unusedOf(details: Details | null): bigint | null {
  const { depositedAmount: arrived, amountIn: used } = details ?? {}
  return arrived && used && used <= arrived ? arrived - used : null
}

/**
 * What goes back of a completed swap: of an exact output all that the trade did not need, the buffer of the quote too (QuoteRequest.ts,
 * `swapType`). `refundedAmount` is what was transferred (SwapDetails.ts). The refund follows the swap and costs the `refundFee` of the quote:
 * until it is reported, what was not used less that fee stands for it. A refund of more than was not used contradicts the swap and counts as
 * not reported. Null where nothing tells.
 */
function returnedOf({ swapDetails: details, quoteResponse }: StatusAnswer): Returned {
  const refunded = details?.refundedAmount
  const unused = unusedOf(details)
  const most = unused ?? details?.depositedAmount ?? 0n
  if (refunded && refunded <= most) return { returnedAmount: refunded, returnSent: true }
  const fee = quoteResponse?.quote?.refundFee ?? 0n
  if (unused === null) return { returnedAmount: null, returnSent: false }
  return { returnedAmount: unused > fee ? unused - fee : 0n, returnSent: false }
}

/** What a refund brought: `refundedAmount` is transferred to `refundTo`, so its fee is not in it. More than arrived contradicts the deposit. */
function refundedOf({ swapDetails: details }: StatusAnswer): Returned {
  const { refundedAmount: refunded, depositedAmount: arrived } = details ?? {}
  return refunded && arrived && refunded <= arrived
    ? { returnedAmount: refunded, returnSent: true }
    : { returnedAmount: null, returnSent: false }
}

type Returned = Pick<DepositReport, 'returnedAmount' | 'returnSent'>

/**
 * The payer's transaction. The list has all transactions on the origin chain, in an order that is not documented: once something may
 * have been refunded, nobody can tell which is the payer's. A refund may be listed before its amount is.
 */
function payerHash(state: string, details: Details | null): string | null {
  const nothing = details?.refundedAmount === 0n
  const isUnderWay = UNDER_WAY.has(state) && (nothing || details?.refundedAmount == null)
  const isPayersAlone = isUnderWay || (nothing && (state === 'FAILED' || unusedOf(details) === 0n))
  return isPayersAlone ? (details?.originChainTxHashes?.find(({ hash }) => hash)?.hash ?? null) : null
}

/** What was too little is known by its amounts. 1Click documents none of its reasons: they are kept for operators alone. */
function failureReason({ quoteResponse }: StatusAnswer, arrived: bigint | null): DepositReport['failureReason'] {
  const needed = quoteResponse?.quote?.minAmountIn ?? null
  return arrived !== null && needed !== null && arrived < needed ? 'amount_too_low' : 'delivery_failed'
}

const dollars = (text: string | null | undefined): string | null => (text && /^\d+(\.\d+)?$/.test(text) ? text : null)
