import { z } from 'zod'

// Relay's responses, as far as they are used. Additional fields are ignored; fields that may be missing are optional.

const Units = z.string().regex(/^\d{1,78}$/)
const absent = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)
const Time = z.union([z.iso.datetime({ offset: true }), z.number().int().positive()]).transform((at) => new Date(at))

/** `POST /quote/v2` with `useDepositAddress`. `currencyIn`: what the payer sends, fees included. */
export const Quote = z.object({
  steps: z.array(z.object({ depositAddress: absent(z.string().min(1)) })),
  details: absent(z.object({ currencyIn: absent(z.object({ amount: Units })) })),
})

/** The same, with what is delivered for the amount. */
export const PricedQuote = Quote.extend({ details: z.object({ currencyOut: z.object({ amount: Units }) }) })

const Money = z.object({
  currency: z.object({ chainId: z.number(), address: z.string() }),
  amount: Units,
  amountUsd: absent(z.string()),
})
const Leg = absent(z.object({ inputCurrency: absent(Money), outputCurrency: absent(Money) }))
const Path = absent(z.object({ origin: Leg, destination: Leg }))

/** One element of `GET /requests/v3`. `status` is open: Relay has added values before. */
export const Request = z.object({
  id: z.string().min(1),
  status: z.string(),
  supersededByRequestId: absent(z.string()),
  updatedAt: Time,
  depositAddress: absent(z.object({ address: z.string(), depositTxHash: absent(z.string()) })),
  data: absent(
    z.object({
      failReason: absent(z.string()),
      refundFailReason: absent(z.string()),
      inTxs: absent(
        z.array(z.object({ txHash: absent(z.string()), timestamp: absent(z.number().int().positive()).catch(null) })),
      ),
      route: absent(z.object({ quoted: Path, actual: Path })),
    }),
  ),
})
export type Request = z.output<typeof Request>

export const Requests = z.object({ requests: z.array(Request), continuation: absent(z.string()) })

/** `GET /requests/v3` of one strict deposit address: what was delivered or sent back. */
export const Delivery = z.object({
  requests: z.array(
    Request.pick({ status: true, supersededByRequestId: true }).extend({
      data: absent(
        z.object({
          outTxs: absent(z.array(z.object({ txHash: absent(z.string()) }))),
          route: absent(z.object({ actual: Path })),
        }),
      ),
    }),
  ),
})

/** `GET /intents/status/v3`. */
export const Status = z.object({ status: z.string() })

/** `GET /chains`: which chains are enabled, and which tokens they accept. */
export const Chains = z.object({
  chains: z.array(
    z.object({
      id: z.number(),
      vmType: absent(z.string()),
      disabled: absent(z.boolean()),
      depositEnabled: absent(z.boolean()),
      solverCurrencies: absent(z.array(z.object({ address: absent(z.string()), decimals: absent(z.number()) }))),
    }),
  ),
})

/** `POST /currencies/v2`: the requested tokens that Relay knows. */
export const Currencies = z.array(
  z.object({ chainId: z.number(), address: absent(z.string()), decimals: absent(z.number()) }),
)

/** The body of an error; its other fields are text for people. */
export const Problem = z.object({ errorCode: absent(z.string()) })

/** `request.status.updated`, as Relay posts it. */
export const Callback = z.object({
  data: z.object({ depositAddress: absent(z.object({ address: z.string() })) }),
})
