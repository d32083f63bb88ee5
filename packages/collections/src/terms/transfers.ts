import {
  accountOf,
  type BankTransferOffer,
  bankTransferOffer,
  fiatConversions,
  type HiddenPayment,
  type NewBankTransfer,
  type OnrampAmount,
  type PreparedBankTransfer,
  prepareBankTransfer,
} from '@payments/fiat'
import { assetNamed, invalid, type Mistakes, ServiceError, toDecimal, toMinor } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { missingAmount } from './policy.ts'
import { fixedAmount, partOfPrice } from './prices.ts'
import type { Arrival, CollectionColumns, SessionColumns, StoredAccount, StoredPayment } from './rows.ts'

/** The money of bank transfers. */
const CURRENCY = 'NGN'

const wayOf = ({
  currency: asset,
  destinationChainKey: networkKey,
}: Pick<CollectionColumns, 'currency' | 'destinationChainKey'>) => ({ currency: CURRENCY, asset, networkKey })

const naira = (units: bigint): string => toDecimal(units, assetNamed(CURRENCY))
const text = (units: bigint): string => `${naira(units)} ${CURRENCY}`

/** How much of a session a transfer is for: minor units of its currency, of all that it asks for, which is to deliver `targetAmount`. */
interface Part {
  readonly worth: bigint
  readonly whole: bigint
  readonly targetAmount: bigint
}

/**
 * What a transfer is for: so much of the price where that is in its own money, and the merchant carries the fees; else whatever delivers as much
 * as this part of the session is to deliver, and the payer carries them.
 */
function amountFor(
  { pricing }: Pick<CollectionColumns, 'pricing'>,
  { worth, whole, targetAmount }: Part,
): OnrampAmount {
  return pricing?.currency === CURRENCY
    ? { input: toMinor(partOfPrice(pricing, worth, whole)?.amount ?? '0', assetNamed(CURRENCY)) }
    : { output: (worth * targetAmount + whole - 1n) / whole }
}

/** What has to be transferred: to the unit for a price in the money of transfers, else about, before fees, at a rate that nobody holds. */
const toTransfer = (amount: OnrampAmount, asset: string, { rate }: BankTransferOffer): bigint =>
  'input' in amount ? amount.input : fiatConversions.cost(amount.output, asset, CURRENCY, rate)

/** Which limit an amount breaks, in words that follow on what is too little or too much of it; undefined where it keeps both. */
const limitOf = (units: bigint, { minAmount, maxAmount }: BankTransferOffer): string | undefined =>
  units < minAmount ? `at least ${text(minAmount)}` : units > maxAmount ? `at most ${text(maxAmount)}` : undefined

/** A new collection. `amount`: what it asks for in its currency; null where the payer chooses. */
type NewTransfers = Pick<CollectionColumns, 'currency' | 'destinationChainKey' | 'pricing'> & {
  readonly amount: bigint | null
  readonly mismatch: string
  /** What the amount follows from, for the error. */
  readonly field: string
}

/**
 * Checks that the payers of a new collection can pay it by bank transfer, and says at its field what is in the way.
 * @throws the provider's 502 and 503
 */
export async function checkTransfers(
  context: QueryContext,
  { currency, destinationChainKey, pricing, amount, mismatch, field }: NewTransfers,
  wrong: Mistakes,
): Promise<void> {
  if (mismatch === 'return') {
    wrong.methods = 'A bank transfer cannot be combined with mismatch "return": a part of it cannot be sent back'
    return
  }
  const offer = await bankTransferOffer(context, wayOf({ currency, destinationChainKey }))
  if (!offer) {
    wrong.methods = `A bank transfer is not available for ${currency} on ${destinationChainKey}`
    return
  }
  if (amount === null) return
  const asked = amountFor({ pricing }, { worth: 1n, whole: 1n, targetAmount: amount })
  const units = toTransfer(asked, currency, offer)
  const limit = limitOf(units, offer)
  if (limit)
    wrong[field] = `Must be ${limit} for a bank transfer${'output' in asked ? `: it is about ${text(units)}` : ''}`
}

export interface ShownTransfer {
  readonly currency: string
  readonly minAmount: string
  readonly estimatedAmount: string | null
  readonly refundAccountRequired: boolean
  readonly banks: BankTransferOffer['banks']
}

type Shown = Pick<CollectionColumns, 'methods' | 'currency' | 'destinationChainKey' | 'amount' | 'pricing'>

/**
 * What a payer who transfers needs now; null where a collection does not offer it, where what is asked for is too little or too much for it,
 * or its provider does not answer.
 */
export async function shownTransfer(
  context: QueryContext,
  collection: Shown,
  session: SessionColumns | null,
): Promise<ShownTransfer | null> {
  if (!collection.methods.includes('bank_transfer')) return null
  const offer = await bankTransferOffer(context, wayOf(collection)).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined
    throw error
  })
  if (!offer) return null
  const asked = session ? missingOf(session) : wholeOf(collection)
  const units = asked && toTransfer(asked, collection.currency, offer)
  if (units !== undefined && limitOf(units, offer)) return null
  return {
    currency: CURRENCY,
    minAmount: naira(offer.minAmount),
    estimatedAmount: units === undefined ? null : naira(units),
    refundAccountRequired: offer.refundAccountRequired,
    banks: offer.banks,
  }
}

/** The amount of a transfer that pays a whole collection; undefined where it is known only at the start. */
function wholeOf(collection: Shown): OnrampAmount | undefined {
  const isInNaira = collection.pricing?.currency === CURRENCY
  const targetAmount = isInNaira ? 1n : fixedAmount(collection)
  return targetAmount === null ? undefined : amountFor(collection, { worth: 1n, whole: 1n, targetAmount })
}

/** The amount of a transfer that pays the rest of a session; undefined where nothing is missing. */
function missingOf(session: SessionColumns): OnrampAmount | undefined {
  const worth = missingAmount(session)
  return worth > 0n ? amountFor(session, { ...session, worth, whole: session.amount }) : undefined
}

/** A transfer that a provider has given an account for. */
export interface PreparedTransfer {
  readonly transfer: PreparedBankTransfer
  readonly account: StoredAccount
}

/**
 * Gets an account for a payment, before any transaction: for all that a session asks for, or so much of it as is missing.
 * @throws validation_failed 422 on the fields of `start`, and the provider's 502 and 503
 */
export async function prepareTransfer(
  context: QueryContext,
  collection: CollectionColumns,
  part: Part,
  { refundBankAccount, stranger }: Pick<NewBankTransfer, 'refundBankAccount' | 'stranger'>,
): Promise<PreparedTransfer> {
  const { destinationAddress: address, customerId = null } = collection
  const way = wayOf(collection)
  const offer = collection.methods.includes('bank_transfer') ? await bankTransferOffer(context, way) : undefined
  if (!offer) throw invalid({ method: 'Not available for this payment' })
  if (offer.refundAccountRequired && !refundBankAccount)
    throw invalid({ refundBankAccount: 'Required: a payment that cannot be delivered is sent back there' })
  const amount = amountFor(collection, part)
  const units = toTransfer(amount, way.asset, offer)
  const limit = limitOf(units, offer)
  if (limit)
    throw invalid({ method: `Too ${units < offer.minAmount ? 'little' : 'much'} for a bank transfer: ${limit}` })
  const wanted = { ...way, amount, address, customerId, refundBankAccount, stranger }
  const transfer = await prepareBankTransfer(context, wanted).catch((error: unknown) => {
    throw forPayer(error)
  })
  const { amount: asked, expiresAt, promised, ...account } = accountOf(transfer)
  return {
    transfer,
    account: {
      ...account,
      amount: `${asked}`,
      expiresAt: expiresAt.toISOString(),
      worth: `${part.worth}`,
      promised: `${promised}`,
    },
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

/** The newest account of a session, until a payment has come to it: what is transferred to it is received, whatever the session asks for. */
export function unpaidAccount({
  bankAccounts,
  payments,
}: Pick<SessionColumns, 'bankAccounts' | 'payments'>): StoredAccount | undefined {
  const newest = bankAccounts.at(-1)
  return payments.some(({ id }) => id === newest?.id) ? undefined : newest
}

/** The account that a session's payer is asked to transfer to: for all that is missing, and no more. A payment in stablecoin changes that. */
export function openAccount(
  session: Pick<SessionColumns, 'bankAccounts' | 'payments' | 'status' | 'amount' | 'receivedAmount'>,
): StoredAccount | undefined {
  const account = unpaidAccount(session)
  return account && BigInt(account.worth) === missingAmount(session) ? account : undefined
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
    returnFailed: false,
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
