import {
  absent,
  helpful,
  ProviderId,
  ProviderName,
  ProviderText,
  ProviderUtcTime,
  readable,
} from '@payments/provider-http'
import { z } from 'zod'

// Answers of the cNGN merchant API, as far as they are used. Its sources disagree on names, so every documented spelling is accepted.

/** An amount, as a number or as text. Naira have two decimals, other assets seven; zeros at the end mean nothing. */
const Amount = z.union([z.number().nonnegative(), z.string().regex(/^\d{1,15}(\.\d{1,7})?$/)]).transform((amount) =>
  String(amount)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, ''),
)

export const Envelope = z.object({
  status: z.union([z.number(), z.boolean()]),
  message: absent(z.string()).transform((message) => message ?? ''),
  data: z.unknown().optional(),
})

/** `GET /balance`. */
export const Balances = z.array(z.object({ asset_code: z.string(), balance: Amount }))

/** `GET /networks`. */
export const Networks = readable(
  z.object({ id: ProviderId, name: z.string(), short_name: absent(z.string()), isDisabled: absent(z.boolean()) }),
)

/** `GET /banks`. */
export const Banks = readable(z.object({ name: ProviderName, code: ProviderId }))

/** `POST /account/verify`. */
export const AccountHolder = z
  .object({ accountName: absent(z.string()), account_name: absent(z.string()) })
  .transform(({ accountName, account_name }) => accountName ?? account_name)
  .pipe(ProviderText)

/** `POST /virtual-account/temporary`. */
export const TemporaryAccount = z.object({
  reference: ProviderId,
  amountExpected: absent(Amount),
  accountNumber: ProviderId,
  accountName: ProviderName,
  bankName: ProviderName,
  bankCode: helpful(ProviderId),
  expiresAt: ProviderUtcTime,
})

/** `POST /redeemAsset` and `POST /withdraw`. */
export const Sent = z.object({ trxRef: ProviderId })

const Receiver = absent(
  z.union([
    ProviderText.transform((text) => ({ text, address: null, accountNumber: null })),
    z
      .object({ address: absent(ProviderText), accountNumber: absent(ProviderText) })
      .transform((receiver) => ({ text: null, ...receiver })),
  ]),
)

/** One element of the list. What is absent or null is not known from this report; another one may have it. */
export const Transaction = z.object({
  id: absent(z.union([ProviderId, z.number().transform(String)])),
  trx_ref: absent(ProviderId),
  trx_type: z.string(),
  status: absent(z.string()),
  amount: absent(Amount),
  description: absent(z.string()),
  receiver: Receiver,
  asset_symbol: absent(z.string()),
  base_trx_hash: absent(ProviderId),
  extl_trx_hash: absent(ProviderId),
  // A time that is none is not known: it hides no money.
  createdAt: helpful(ProviderUtcTime),
})
export type Transaction = z.output<typeof Transaction>

/** `GET /transactions?page&limit`. Each element is read on its own: see `movementsOf`. */
export const Transactions = z.object({
  data: z.array(z.unknown()),
  pagination: absent(z.object({ isLastPage: absent(z.boolean()), nextPage: z.unknown().optional() })),
})

/** `GET /transactions/{trxRef}` and `GET /withdraw/verify/{trxRef}`. */
export const OneTransaction = z.unknown()
