import { z } from 'zod'

// Answers of the cNGN merchant API, as far as they are used. Its sources disagree on names, so every documented spelling is accepted.

const absent = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)
/** Naira, as a number or as text. */
const Naira = z.union([z.number().nonnegative(), z.string().regex(/^\d{1,15}(\.\d{1,6})?$/)]).transform(String)
const Text = z.string().min(1)
const Time = z
  .union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{4}-\d\d-\d\d[T ]/)])
  .transform((at) => new Date(at))

export const Envelope = z.object({
  status: z.union([z.number(), z.boolean()]),
  message: absent(z.string()).transform((message) => message ?? ''),
  data: z.unknown().optional(),
})

/** `GET /balance`. */
export const Balances = z.array(z.object({ asset_code: z.string(), balance: Naira }))

/** `GET /networks`. */
export const Networks = z.array(
  z.object({ id: Text, name: z.string(), short_name: absent(z.string()), isDisabled: absent(z.boolean()) }),
)

/** `GET /banks`. */
export const Banks = z.array(z.object({ name: Text, code: Text }))

/** `POST /account/verify`. */
export const AccountHolder = z
  .object({ accountName: absent(z.string()), account_name: absent(z.string()) })
  .transform(({ accountName, account_name }) => accountName ?? account_name)
  .pipe(Text)

/** `POST /virtual-account/temporary`. */
export const TemporaryAccount = z.object({
  reference: Text,
  amountExpected: absent(Naira),
  accountNumber: Text,
  accountName: Text,
  bankName: Text,
  bankCode: absent(z.string()),
  expiresAt: Time,
})

/** `POST /redeemAsset` and `POST /withdraw`. */
export const Sent = z.object({ trxRef: Text })

const Receiver = absent(
  z.union([
    z.string().transform((address) => ({ address, accountNumber: null })),
    z.object({ address: absent(z.string()), accountNumber: absent(z.string()) }),
  ]),
)
export const Transaction = z.object({
  id: absent(z.union([z.string(), z.number()]).transform(String)),
  trx_ref: absent(z.string()),
  trx_type: z.string(),
  status: z.string(),
  amount: Naira,
  description: absent(z.string()),
  receiver: Receiver,
  base_trx_hash: absent(z.string()),
  extl_trx_hash: absent(z.string()),
  createdAt: Time,
})
export type Transaction = z.output<typeof Transaction>

/** `GET /transactions?page&limit`. */
export const Transactions = z.object({
  data: z.array(Transaction),
  pagination: z.object({ isLastPage: absent(z.boolean()), nextPage: z.unknown().optional() }),
})
