import type { Wire } from './swap.ts'

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

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
export function oddly(seed: number): (answer: Wire) => Wire {
  const random = randomOf(seed)
  const earlier = new Map<unknown, Wire>()
  return (answer) => {
    const { quoteResponse } = answer as { quoteResponse: { signature: string } }
    const before = earlier.get(quoteResponse.signature)
    earlier.set(quoteResponse.signature, answer)
    const copy = structuredClone(before && random() < 0.2 ? before : answer)
    const details = copy.swapDetails as { originChainTxHashes: unknown[] }
    if (random() < 0.2) details.originChainTxHashes = details.originChainTxHashes.flatMap((one) => [one, one])
    if (random() < 0.5) details.originChainTxHashes.reverse()
    for (const path of OPTIONAL) if (random() < SHARE) cut(copy, path.split('.'), random() < 0.5)
    return copy
  }
}

function cut(of: Wire, [name, ...rest]: string[], toNull: boolean): void {
  const value = of[name as string]
  if (value === null || value === undefined) return
  if (rest.length > 0) cut(value as Wire, rest, toNull)
  else if (toNull) of[name as string] = null
  else delete of[name as string]
}
