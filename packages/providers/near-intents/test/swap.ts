import { createHash, randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import { dollarsOf } from './facts.ts'

export type Wire = Record<string, unknown>

export type Outcome = 'completed' | 'failed' | 'refunded'

/** A quote with an address, and its outcome. Amounts are of the smallest unit. */
export interface Swap {
  readonly address: string
  readonly request: Wire
  readonly quote: Wire
  readonly timestamp: string
  readonly signature: string
  /** The least that is swapped, what is swapped of more, and what is delivered for it. */
  readonly needed: bigint
  readonly used: bigint
  readonly delivers: bigint
  status: string
  outcome: Outcome
  received: bigint
  delivered: bigint
  refunded: bigint
  /** Whether the answers about a completed swap have its refund yet. */
  tellsRefund: boolean
  /** What arrived after the end. */
  lost: bigint
  /** Transactions of the origin chain: the payer's, and of a refund. */
  readonly hashes: string[]
  /** Whether the answers have them. */
  tellsHashes: boolean
  refundReason: string | null
  updatedAt: number
  /** Replaces fields of the answer. */
  over: Wire
}

/**
 * A swap as `GET /v0/status` returns it (GetExecutionStatusResponse.ts and SwapDetails.ts of one-click-sdk-typescript). What real
 * answers do, with its source:
 *
 * - Values that are not known are null, and nothing refunded is "0" (recorded answers in IQAIcom/mcp-near-intents, PROCESSING).
 * - A refund follows the swap (QuoteRequest.ts, `swapType`): a recorded SUCCESS of an exact output (SwapDetails.swift of Zashi) used less than
 *   the quote asked for and has a `refundedAmount` of "0". So the first SUCCESS has none, although the transaction may be listed.
 * - `refundedAmount` is what was transferred to `refundTo` (SwapDetails.ts), so it is without the fee. `refundFee` is in recorded answers alone.
 * - `depositedAmount` is all that arrived; `amountIn` and `amountOut` are known once the trade was settled (SwapDetails.ts).
 * - `originChainTxHashes` has all transactions on the origin chain (SwapDetails.ts), so the refund's too; it may be empty to the end
 *   (recorded SUCCESS of a swap from Zcash).
 * - `correlationId` is of one call (GetExecutionStatusResponse.ts).
 */
export function onWire(swap: Swap): Wire {
  const ended = swap.status === 'SUCCESS'
  const seen = swap.received > 0n && swap.status !== 'KNOWN_DEPOSIT_TX'
  const { originAsset, destinationAsset } = swap.request
  const amounts = (name: string, amount: bigint | null, asset: unknown = originAsset) => ({
    [name]: amount?.toString() ?? null,
    [`${name}Formatted`]: amount === null ? null : 'not used',
    [`${name}Usd`]: amount === null ? null : dollarsOf(asset, amount),
  })
  return {
    correlationId: randomBytes(16).toString('hex'),
    status: swap.status,
    updatedAt: new Date(swap.updatedAt).toISOString(),
    quoteResponse: {
      timestamp: swap.timestamp,
      signature: swap.signature,
      quoteRequest: swap.request,
      quote: swap.quote,
    },
    swapDetails: {
      intentHashes: ended ? [hashOf(`intent ${swap.address}`)] : [],
      nearTxHashes: ended ? [hashOf(`near ${swap.address}`)] : [],
      ...amounts('depositedAmount', seen ? swap.received : null),
      ...amounts('amountIn', ended ? swap.used : null),
      ...amounts('amountOut', ended ? swap.delivered : null, destinationAsset),
      ...amounts('refundedAmount', ended && !swap.tellsRefund ? 0n : swap.refunded),
      slippage: ended ? 0 : null,
      refundReason: swap.refundReason,
      refundFee: swap.quote.refundFee,
      withdrawFee: '0',
      originChainTxHashes: swap.tellsHashes ? swap.hashes.map((hash) => ({ hash, explorerUrl: '' })) : [],
      destinationChainTxHashes: ended ? [{ hash: hashOf(`fill ${swap.address}`), explorerUrl: '' }] : [],
    },
    ...swap.over,
  }
}

const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`

/** Fields that the signature is over (quote-signature.ts of one-click-sdk-typescript, `buildSignedQuoteRequest`, `buildSignedQuote`). */
const REQUEST =
  'dry swapType slippageTolerance originAsset depositType destinationAsset amount refundTo refundType recipient recipientType deadline quoteWaitingTimeMs'
const QUOTE =
  'amountIn amountInFormatted amountInUsd minAmountIn amountOut amountOutFormatted amountOutUsd minAmountOut depositAddress deadline timeWhenInactive timeEstimate refundFee withdrawFee'

/** What is signed: the SHA-256, in base58, of the fields as JSON in the order of their names (quote-signature.ts, `hashQuote`). */
export function signedText(request: Wire, quote: Wire, timestamp: string): string {
  const pick = (of: Wire, names: string) => names.split(' ').flatMap((name) => (of[name] ? [[name, of[name]]] : []))
  const all = { dry: request.dry, ...Object.fromEntries([...pick(request, REQUEST), ...pick(quote, QUOTE)]), timestamp }
  const text = JSON.stringify(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))))
  return bs58.encode(createHash('sha256').update(text).digest())
}
