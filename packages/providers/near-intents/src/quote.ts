import { ProviderError } from '@payments/provider-http'
import type { QuotedAddress, QuotedAmount, RoutesProvider } from '@payments/routes'
import type { z } from 'zod'
import { Quote, type QuoteAnswer } from './wire.ts'

type Order = Parameters<RoutesProvider['createDepositAddress']>[0]

/**
 * Refunds begin at the deadline, so a payment of the last minute must be swapped before it: a quarter of an hour until Ethereum, the
 * slowest of the networks, has finalized it, and another until the swap is done ("up to 15 minutes", quickstart, Troubleshooting).
 */
const MARGIN_MS = 30 * 60_000
/** How long market makers may think, as in the examples of the documents: without it the fastest quote counts, or none. */
const WAIT_MS = 3000

/** The body of `POST /v0/quote`. */
export const quoteRequest = (
  { destination, refundAddress, until = new Date() }: Order,
  quote: QuotedAmount,
  assets: { readonly origin: string; readonly destination: string },
  slippage: number,
) => ({
  dry: false,
  depositMode: 'SIMPLE',
  ...('input' in quote
    ? { swapType: 'EXACT_INPUT', amount: quote.input.toString() }
    : { swapType: 'EXACT_OUTPUT', amount: quote.output.toString() }),
  slippageTolerance: slippage,
  originAsset: assets.origin,
  depositType: 'ORIGIN_CHAIN',
  destinationAsset: assets.destination,
  recipient: destination.address,
  recipientType: 'DESTINATION_CHAIN',
  refundTo: refundAddress,
  refundType: 'ORIGIN_CHAIN',
  deadline: new Date(until.getTime() + MARGIN_MS).toISOString(),
  quoteWaitingTimeMs: WAIT_MS,
})

/** What decides where the money goes. Its spelling may differ. */
const ECHOED = ['swapType', 'amount', 'originAsset', 'destinationAsset', 'recipient', 'refundTo'] as const

const isEcho = (said: Record<string, unknown>, asked: ReturnType<typeof quoteRequest>): boolean =>
  ECHOED.every((name) => String(said[name]).toLowerCase() === asked[name].toLowerCase())

/**
 * The address of an answer, if it is what was asked for.
 * @throws ProviderError where it is for another request or amount, needs a memo, or is closed before the time that was asked for
 */
export function addressOf(
  answer: z.output<typeof QuoteAnswer>,
  asked: ReturnType<typeof quoteRequest>,
  quote: QuotedAmount,
  until?: Date,
): QuotedAddress {
  const { data, error } = Quote.safeParse(answer.quote)
  if (!data) throw new ProviderError('unreadable', 'A quote of another shape', { cause: error })
  const { depositAddress, depositMemo, amountIn, amountOut, minAmountOut, deadline, timeWhenInactive } = data
  const wrong = (what: string) => new ProviderError('unreadable', `A quote ${what}`)
  if (!isEcho(answer.quoteRequest, asked)) throw wrong('of another request')
  if (depositMemo) throw wrong('whose address needs a memo')
  if ('input' in quote ? amountIn !== quote.input : amountOut !== quote.output || amountIn === 0n)
    throw wrong('of other amounts')
  // Money that arrives after the deadline may be lost, and before it, at an inactive address, is late.
  const end = Math.min(deadline.getTime(), (timeWhenInactive ?? deadline).getTime())
  if (until && end < until.getTime()) throw wrong('that ends too early')
  return {
    depositAddress,
    inputAmount: amountIn,
    // An exact output is fixed; the slippage is on the input.
    outputAmount: 'input' in quote ? minAmountOut : amountOut,
    expectedAmount: amountOut,
    guaranteedAmount: 'input' in quote ? minAmountOut : amountOut,
    inputUsd: data.amountInUsd,
    expectedUsd: data.amountOutUsd,
    evidence: evidenceOf(answer),
  }
}

/** What the signature is over, but the two addresses: those are stored with the route. */
function evidenceOf({ correlationId, timestamp, signature, quoteRequest, quote }: z.output<typeof QuoteAnswer>) {
  const { recipient: _recipient, refundTo: _refundTo, ...request } = quoteRequest
  return { correlationId, timestamp, signature, quoteRequest: request, quote }
}
