import type { Random } from '#testing'
import type { Wire } from './swap.ts'

/** Fields of a status that the types mark as optional: each may be absent or null in any answer (SwapDetails.ts, Quote.ts, QuoteRequest.ts). */
const OPTIONAL = [
  'swapDetails.depositedAmount',
  'swapDetails.depositedAmountUsd',
  'swapDetails.amountIn',
  'swapDetails.amountOut',
  'swapDetails.amountOutUsd',
  'swapDetails.refundedAmount',
  'swapDetails.refundReason',
  'swapDetails.withdrawFee',
  'quoteResponse.quote.depositAddress',
  'quoteResponse.quote.deadline',
  'quoteResponse.quote.refundFee',
]

/** How often a field is left out. */
const SHARE = 0.08

/**
 * A 1Click that is as odd as its types allow: it omits optional fields, repeats and reorders transactions, and answers with
 * an earlier state.
 */
export function oddly(random: Random): (answer: Wire) => Wire {
  const earlier = new Map<unknown, Wire>()
  return (answer) => {
    const { quoteResponse } = answer as { quoteResponse: { signature: string } }
    const before = earlier.get(quoteResponse.signature)
    earlier.set(quoteResponse.signature, answer)
    const copy = structuredClone(before && random.chance(0.2) ? before : answer)
    const details = copy.swapDetails as { originChainTxHashes: unknown[] }
    if (random.chance(0.2)) details.originChainTxHashes = details.originChainTxHashes.flatMap((one) => [one, one])
    if (random.chance(0.5)) details.originChainTxHashes.reverse()
    random.leaveOut(copy, OPTIONAL, SHARE)
    return copy
  }
}
