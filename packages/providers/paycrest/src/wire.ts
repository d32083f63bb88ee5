import { absent, ProviderId, ProviderName, ProviderTime, readable } from '@payments/provider-http'
import { z } from 'zod'

// Paycrest's responses, version 2, as far as they are used. Additional fields are ignored.

/** Every numeral is text, with any number of decimals. */
const Numeral = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/)
/** Of an order with money: the indexer rewrites `amount` and `senderFee` to what a deposit leaves, which may be less than nothing. */
const Signed = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/)

/** What `data` of a failed validation may be: one field, or several. */
const Refusal = z.object({ field: z.string(), message: z.string() })
export const Problem = z.object({
  message: z.string().optional(),
  data: z
    .union([z.array(Refusal), Refusal.transform((one) => [one])])
    .nullish()
    .catch(null),
})

export const enveloped = <T extends z.ZodType>(data: T) => z.object({ status: z.literal('success'), data })

/** `GET /currencies`. */
export const Currencies = readable(
  z.object({
    code: ProviderId,
    decimals: z.number().int(),
    marketBuyRate: absent(z.string()),
    marketSellRate: absent(z.string()),
  }),
)

/** `GET /institutions/{currency}`. */
export const Institutions = readable(z.object({ name: ProviderName, code: ProviderId, type: z.string() }))

/** `GET /tokens?network=`. */
export const Tokens = readable(z.object({ symbol: z.string(), decimals: z.number().int(), network: z.string() }))

/** `GET /rates/{network}/{token}/{amount}/{fiat}?side=sell`. */
export const Rates = z.object({ sell: z.object({ rate: Numeral, providerIds: z.array(z.string()).max(3) }) })

/** `POST /verify-account`: a name, or the literal `OK` where nobody resolves names. */
export const AccountHolder = ProviderName

const DepositAddress = z.object({ receiveAddress: ProviderId, validUntil: ProviderTime })
const VirtualAccount = z.object({
  institution: ProviderName,
  accountIdentifier: ProviderId,
  accountName: ProviderName,
  amountToTransfer: Numeral,
  validUntil: ProviderTime,
})

/** The server omits what is empty. */
const order = {
  id: ProviderId,
  status: z.string(),
  amount: Numeral,
  rate: absent(Numeral),
  senderFee: absent(Numeral),
  transactionFee: absent(Numeral),
  reference: absent(ProviderId).catch(null),
}
/** A percentage belongs to each amount; text that is no numeral, such as none at all, means a fixed fee. */
const senderFeePercent = absent(z.string()).transform((text) =>
  text !== null && Numeral.safeParse(text).success && /[1-9]/.test(text) ? text : null,
)
/** The reply of `POST /sender/orders`, and an element of `GET /sender/orders`. */
export const Offramp = z.object({ ...order, senderFeePercent, providerAccount: DepositAddress })
export type Offramp = z.output<typeof Offramp>
export const Onramp = z.object({ ...order, providerAccount: VirtualAccount })
export type Onramp = z.output<typeof Onramp>

/** `GET /sender/orders/{id}`. `status` is open: Paycrest has added values before. */
export const Order = z.object({
  ...order,
  amount: Signed,
  senderFee: absent(Signed),
  amountPaid: absent(Numeral),
  amountReturned: absent(Numeral),
  // A hash that cannot be read is not told; it hides nothing else.
  txHash: absent(ProviderId).catch(null),
  transactionLogs: absent(readable(z.object({ status: z.string(), tx_hash: ProviderId }))).catch(null),
})
export type Order = z.output<typeof Order>

export const OrderList = z.object({
  total: z.number().int(),
  orders: z.array(
    z
      .object({ reference: absent(ProviderId).catch(null) })
      .loose()
      .catch({ reference: null }),
  ),
})

/** What stands for text that cannot be read. */
export const UNREADABLE = '(unreadable)'
const AnyText = ProviderName.catch(UNREADABLE)
/**
 * `GET /sender/orders`, newest first, to find out which orders there are. It has orders of every sender of the account: one that cannot be
 * read is an order still, and hides no other.
 */
export const Orders = z.object({
  orders: z.array(
    z
      .object({
        id: AnyText,
        status: AnyText,
        amount: AnyText,
        reference: absent(ProviderId).catch(null),
        createdAt: absent(ProviderTime).catch(null),
      })
      .catch({ id: UNREADABLE, status: UNREADABLE, amount: UNREADABLE, reference: null, createdAt: null }),
  ),
})

/** `GET /sender/webhooks`: the deliveries that match. One that cannot be read matches nothing. */
export const Deliveries = z.object({
  total: z.number().int(),
  deliveries: z.array(z.object({ event: z.string(), orderId: absent(z.string()) }).catch({ event: '', orderId: null })),
})

/** A callback, as Paycrest posts it. */
export const Callback = z.object({ event: z.string(), data: z.object({ reference: absent(ProviderId) }) })
