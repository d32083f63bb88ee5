import {
  accountOf,
  type BankTransferOffer,
  bankTransferOffer,
  type HiddenPayment,
  type PreparedBankTransfer,
  prepareBankTransfer,
  type RefundBankAccount,
} from '@payments/fiat'
import { assetNamed, invalid, type Mistakes, ServiceError, toDecimal, toMinor } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import type { Arrival, CollectionColumns, SessionColumns, StoredAccount, StoredPayment } from '../rows.ts'
import { partOfPrice } from './prices.ts'

/** The money of bank transfers. */
const CURRENCY = 'NGN'

const wayOf = ({
  currency: asset,
  destinationChainKey: networkKey,
}: Pick<CollectionColumns, 'currency' | 'destinationChainKey'>) => ({ currency: CURRENCY, asset, networkKey })

const text = (units: bigint): string => `${toDecimal(units, assetNamed(CURRENCY))} ${CURRENCY}`

/**
 * Checks that the payers of a new collection can pay it by bank transfer, and says at `methods` what is in the way.
 * @throws the provider's 502 and 503
 */
export async function checkTransfers(
  context: QueryContext,
  {
    currency,
    destinationChainKey,
    pricing,
    mismatch,
  }: Pick<CollectionColumns, 'currency' | 'destinationChainKey' | 'pricing'> & { readonly mismatch: string },
  wrong: Mistakes,
): Promise<void> {
  if (pricing?.currency !== CURRENCY) {
    wrong.methods = `A bank transfer needs a price in ${CURRENCY}: see \`pricing\``
    return
  }
  if (mismatch === 'return') {
    wrong.methods = 'A bank transfer cannot be combined with mismatch "return": a part of it cannot be sent back'
    return
  }
  const offer = await bankTransferOffer(context, wayOf({ currency, destinationChainKey }))
  if (!offer) {
    wrong.methods = `A bank transfer is not available for ${currency} on ${destinationChainKey}`
    return
  }
  const amount = toMinor(pricing.amount, assetNamed(CURRENCY))
  if (amount < offer.minAmount)
    wrong['pricing.amount'] = `Must be at least ${text(offer.minAmount)} for a bank transfer`
  if (amount > offer.maxAmount) wrong['pricing.amount'] = `Must be at most ${text(offer.maxAmount)} for a bank transfer`
}

export interface ShownTransfer {
  readonly currency: string
  readonly minAmount: string
  readonly refundAccountRequired: boolean
  readonly banks: BankTransferOffer['banks']
}

/** What a payer who transfers needs now; null where a collection does not offer it, or its provider does not answer. */
export async function shownTransfer(
  context: QueryContext,
  collection: Pick<CollectionColumns, 'methods' | 'currency' | 'destinationChainKey'>,
): Promise<ShownTransfer | null> {
  if (!collection.methods.includes('bank_transfer')) return null
  const offer = await bankTransferOffer(context, wayOf(collection)).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined
    throw error
  })
  return offer
    ? {
        currency: CURRENCY,
        minAmount: toDecimal(offer.minAmount, assetNamed(CURRENCY)),
        refundAccountRequired: offer.refundAccountRequired,
        banks: offer.banks,
      }
    : null
}

/** A transfer that a provider has given an account for. */
export interface PreparedTransfer {
  readonly transfer: PreparedBankTransfer
  readonly account: StoredAccount
}

/** How much of a session a transfer is for: minor units of its currency, of all that it asks for. */
interface Part {
  readonly worth: bigint
  readonly whole: bigint
}

/**
 * Gets an account for a payment, before any transaction: for the price itself, or so much of it as is missing.
 * @throws validation_failed 422 on the fields of `start`, and the provider's 502 and 503
 */
export async function prepareTransfer(
  context: QueryContext,
  collection: CollectionColumns,
  { worth, whole }: Part,
  refundBankAccount: RefundBankAccount | null,
): Promise<PreparedTransfer> {
  const { pricing, destinationAddress: address, customerId = null } = collection
  const way = wayOf(collection)
  const offer =
    collection.methods.includes('bank_transfer') && pricing ? await bankTransferOffer(context, way) : undefined
  if (!offer || !pricing) throw invalid({ method: 'Not available for this payment' })
  if (offer.refundAccountRequired && !refundBankAccount)
    throw invalid({ refundBankAccount: 'Required: a payment that cannot be delivered is sent back there' })
  const amount = toMinor(partOfPrice(pricing, worth, whole)?.amount ?? '0', assetNamed(CURRENCY))
  if (amount < offer.minAmount)
    throw invalid({ method: `Too little for a bank transfer: at least ${text(offer.minAmount)}` })
  if (amount > offer.maxAmount)
    throw invalid({ method: `Too much for a bank transfer: at most ${text(offer.maxAmount)}` })
  const transfer = await prepareBankTransfer(context, {
    ...way,
    amount: { input: amount },
    address,
    customerId,
    refundBankAccount,
  }).catch((error: unknown) => {
    throw forPayer(error)
  })
  const { amount: asked, expiresAt, ...account } = accountOf(transfer)
  return {
    transfer,
    account: { ...account, amount: `${asked}`, expiresAt: expiresAt.toISOString(), worth: `${worth}` },
  }
}

/** What the provider refuses of the payer's own account is the payer's; its other fields mean nothing to the payer. */
function forPayer(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 422) return error
  const own = Object.entries(error.fields ?? {}).filter(([field]) => field.startsWith('refundBankAccount'))
  return own.length > 0
    ? invalid(Object.fromEntries(own))
    : invalid({ method: 'Not available for this payment at present' })
}

/** The account that a session's payer transfers to: the newest, until a payment has come to it. */
export function openAccount({
  bankAccounts,
  payments,
}: Pick<SessionColumns, 'bankAccounts' | 'payments'>): StoredAccount | undefined {
  const newest = bankAccounts.at(-1)
  return payments.some(({ id }) => id === newest?.id) ? undefined : newest
}

/** Why a payment failed, in the words of sessions (see the payment routes). */
const REASONS: Readonly<
  Record<NonNullable<HiddenPayment['failureReason']>, NonNullable<StoredPayment['failureReason']>>
> = {
  payment_not_received: 'deposit_not_confirmed',
  payment_too_late: 'deposit_expired',
  compliance_rejected: 'delivery_failed',
  compliance_hold: 'provider_blocked',
  delivery_failed: 'delivery_failed',
}

/** A bank transfer as a payment of its session. It counts for so much of what its account was for as arrived of what it asked for. */
export function arrivalOfTransfer(session: SessionColumns, payment: HiddenPayment): Arrival {
  const account = session.bankAccounts.find(({ id }) => id === payment.id)
  if (!account) throw new Error(`The session ${session.id} has no account ${payment.id}`)
  const { status, received, delivered } = payment
  const credited = (received * BigInt(account.worth)) / BigInt(account.amount)
  const isDollars = session.destinationCurrency === 'USDC' || session.destinationCurrency === 'USDT'
  const dollars = (units: bigint) => (isDollars ? toDecimal(units, assetNamed(session.destinationCurrency)) : null)
  return {
    id: payment.id,
    method: 'bank_transfer',
    provider: payment.provider,
    networkKey: null,
    currency: payment.currency,
    requested: true,
    sent: received,
    sentUsd: dollars((credited * session.targetAmount) / session.amount),
    returned: 0n,
    credited,
    delivered,
    deliveredUsd: delivered === null ? null : dollars(delivered),
    status,
    txHash: payment.txHash,
    failureReason: payment.failureReason && REASONS[payment.failureReason],
    refundTo: null,
    settled: payment.settled,
    receivedAt: payment.reportedAt,
  }
}
