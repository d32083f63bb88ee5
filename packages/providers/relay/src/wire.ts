import { absent, helpful, ProviderInstant, ProviderText, ProviderUnits as Units } from '@payments/provider-http'
import { z } from 'zod'

// Relay's responses, as far as they are used. Additional fields are ignored. In a list every element is read by itself: one that
// cannot be read hides no other.

/**
 * `POST /quote/v2` with `useDepositAddress`. `currencyIn`: what the payer sends, fees included. `currencyOut`: what is expected to be
 * delivered, and `minimumAmount`, the floor that Relay guarantees.
 */
const Quoted = z.object({
  amount: Units,
  minimumAmount: absent(Units),
  amountUsd: helpful(ProviderText),
  currency: helpful(z.object({ chainId: helpful(z.number()), address: helpful(ProviderText) })),
})
export const Quote = z.object({
  steps: z.array(z.object({ depositAddress: absent(ProviderText) })),
  details: absent(
    z.object({ recipient: helpful(ProviderText), currencyIn: absent(Quoted), currencyOut: absent(Quoted) }),
  ),
})
export type Quote = z.output<typeof Quote>

/** The same, with what is delivered for the amount. */
export const PricedQuote = Quote.extend({
  details: z.object({ recipient: helpful(ProviderText), currencyIn: absent(Quoted), currencyOut: Quoted }),
})

/** An amount with its currency; null where a part of it is left out. One that is no amount is an error. */
const Amount = z
  .object({
    currency: absent(z.object({ chainId: absent(z.number()), address: absent(z.string().max(500)) })),
    amount: absent(Units),
    amountUsd: helpful(ProviderText),
  })
  .nullish()
  .transform((value) => {
    const { chainId = null, address = null } = value?.currency ?? {}
    if (!value || chainId === null || address === null || value.amount === null) return null
    return { currency: { chainId, address }, amount: value.amount, amountUsd: value.amountUsd }
  })
export type Amount = NonNullable<z.output<typeof Amount>>

const Leg = absent(z.object({ inputCurrency: Amount, outputCurrency: Amount }))
const Path = absent(z.object({ origin: Leg, destination: Leg }))
const Transactions = helpful(z.array(z.object({ txHash: helpful(ProviderText), timestamp: helpful(ProviderInstant) })))

/** One element of `GET /requests/v3`. `status` is open: Relay has added values before. */
export const Request = z.object({
  id: ProviderText,
  status: ProviderText,
  supersededByRequestId: helpful(ProviderText),
  createdAt: helpful(ProviderInstant),
  updatedAt: helpful(ProviderInstant),
  /** The address to which a refund goes. */
  refundTo: helpful(ProviderText),
  depositAddress: helpful(
    z.object({ address: helpful(ProviderText), type: helpful(ProviderText), depositTxHash: helpful(ProviderText) }),
  ),
  data: absent(
    z.object({
      failReason: helpful(ProviderText),
      refundFailReason: helpful(ProviderText),
      inTxs: Transactions,
      outTxs: Transactions,
      route: absent(z.object({ quoted: Path, actual: Path })),
    }),
  ),
  protocol: helpful(
    z.object({
      deposit: helpful(
        z.object({
          origin: helpful(
            z.object({
              amount: helpful(Units),
              chainId: helpful(z.number()),
              currency: helpful(ProviderText),
              transactionId: helpful(ProviderText),
            }),
          ),
        }),
      ),
    }),
  ),
})
export type Request = z.output<typeof Request>

/** `GET /requests/v3`. */
export const Requests = z.object({ requests: z.array(z.unknown()), continuation: helpful(ProviderText) })

/** The id of an element that cannot be read, where that much can be. */
export const Identified = z.object({ id: ProviderText })

/** `GET /intents/status/v3`. */
export const Status = z.object({ status: z.string() })

/** `POST /transactions/deposit-address/reindex`: the currencies of which a balance was found. */
export const Reindexed = z.object({ triggeredCurrencies: helpful(z.array(z.unknown())) })

/** `GET /chains`: which chains are enabled, and which tokens they accept. */
export const Chains = z.object({
  chains: z.array(
    z.object({
      id: z.number(),
      vmType: absent(z.string().max(500)),
      disabled: absent(z.boolean()),
      depositEnabled: absent(z.boolean()),
      solverCurrencies: absent(
        z.array(z.object({ address: absent(z.string().max(500)), decimals: absent(z.number()) })),
      ),
    }),
  ),
})

/** `POST /currencies/v2`: the requested tokens that Relay knows. */
export const Currencies = z.array(
  z.object({ chainId: z.number(), address: absent(z.string().max(500)), decimals: absent(z.number()) }),
)

/** The body of an error; its other fields are text for people. */
export const Problem = z.object({ errorCode: absent(z.string().max(500)) })

/** `request.status.updated`, as Relay posts it. */
export const Callback = z.object({
  data: z.object({ depositAddress: absent(z.object({ address: z.string() })) }),
})
