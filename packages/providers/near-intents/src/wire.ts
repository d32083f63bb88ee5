import { helpful, ProviderUnits, readable, ProviderText as Text, ProviderTime as Time } from '@payments/provider-http'
import { z } from 'zod'

// Responses of 1Click, as far as they are used. Additional fields are ignored.

const Units = ProviderUnits.transform(BigInt)

const Token = z.object({
  assetId: Text,
  decimals: z.number().int().nonnegative(),
  blockchain: Text,
  symbol: helpful(Text),
  /** Absent for the chain's own currency. */
  contractAddress: z.string().nullish(),
})
export type Token = z.output<typeof Token>

/** `GET /v0/tokens`. */
export const Tokens = readable(Token)

/** `POST /v0/quote` with `dry: false`. Request and quote are kept as they came: the signature is over them. */
export const QuoteAnswer = z.object({
  correlationId: helpful(Text),
  timestamp: Text,
  signature: Text,
  quoteRequest: z.record(z.string(), z.unknown()),
  quote: z.record(z.string(), z.unknown()),
})

/** The `quote` of it. */
export const Quote = z.object({
  depositAddress: Text,
  depositMemo: z.unknown().optional(),
  amountIn: Units,
  amountOut: Units,
  minAmountOut: Units,
  amountInUsd: helpful(Text),
  amountOutUsd: helpful(Text),
  deadline: Time,
  timeWhenInactive: Time.nullish(),
})
export type Quote = z.output<typeof Quote>

const Transactions = helpful(z.array(z.object({ hash: helpful(Text) })))

/** `GET /v0/status`. `status` is open: `KNOWN_DEPOSIT_TX` and `FAILED` were added to the first five. */
export const StatusAnswer = z.object({
  status: Text,
  updatedAt: helpful(Time),
  quoteResponse: helpful(
    z.object({
      quoteRequest: helpful(z.object({ refundTo: helpful(Text) })),
      quote: helpful(
        z.object({ depositAddress: helpful(Text), minAmountIn: helpful(Units), refundFee: helpful(Units) }),
      ),
    }),
  ),
  swapDetails: helpful(
    z.object({
      depositedAmount: helpful(Units),
      depositedAmountUsd: helpful(Text),
      amountIn: helpful(Units),
      amountOut: helpful(Units),
      amountOutUsd: helpful(Text),
      refundedAmount: helpful(Units),
      refundReason: helpful(Text),
      originChainTxHashes: Transactions,
    }),
  ),
})
export type StatusAnswer = z.output<typeof StatusAnswer>

/** The body of an error: text for people, without a code. */
export const Problem = z.object({ message: helpful(Text) })
