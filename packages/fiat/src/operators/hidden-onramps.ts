import type { QueryContext, Stranger, UnitOfWork } from '@payments/platform'
import { decimal } from '../currencies/amounts.ts'
import type { OnrampRow } from '../entities/onramp.ts'
import { createOnramp, type OnrampRequest, type PreparedOnramp, prepareOnramp } from '../orders/onramps.ts'
import type { Institution, OnrampAmount } from '../provider/provider.ts'
import { allOffers, everyFiatProvider, providerOf } from '../provider/providers.ts'
import { onrampCorridor } from '../quotes/rules.ts'
import { settle } from './settle.ts'

/** Money that a bank transfer brings, and the wallet that it is delivered to. */
export interface BankTransferWay {
  /** Of the transfer. */
  readonly currency: string
  /** The stablecoin and its network. */
  readonly asset: string
  readonly networkKey: string
}

/** What a bank transfer needs. */
export interface BankTransferOffer {
  /** Smallest and largest transfer, in minor units of the currency. */
  readonly minAmount: bigint
  readonly maxAmount: bigint
  /** About how much of the currency one unit of the stablecoin costs, before fees: decimal text that nobody holds. */
  readonly rate: string
  /** The payer must say where a payment goes back to. */
  readonly refundAccountRequired: boolean
  /** Banks of such accounts. */
  readonly banks: readonly Pick<Institution, 'code' | 'name'>[]
}

/**
 * What a bank transfer needs that is delivered as stablecoin; undefined where no provider offers that.
 * @throws the provider's 502 and 503
 */
export async function bankTransferOffer(
  context: QueryContext,
  { currency, asset, networkKey }: BankTransferWay,
): Promise<BankTransferOffer | undefined> {
  const { environment } = context.actor
  if (everyFiatProvider(context.runtime, environment).length === 0) return undefined
  const corridor = onrampCorridor((await allOffers(context)).corridors, { currency, asset, networkKey })
  if (!corridor) return undefined
  const institutions = await (await providerOf(context, currency)).institutions(currency)
  return {
    minAmount: corridor.minAmount,
    maxAmount: corridor.maxAmount,
    rate: corridor.rate,
    refundAccountRequired: environment === 'live',
    banks: institutions.filter(({ type }) => type === 'bank').map(({ code, name }) => ({ code, name })),
  }
}

/** The account that a payment goes back to. */
export interface RefundBankAccount {
  readonly accountNumber: string
  readonly bankCode: string
  readonly accountName: string
}

/** A bank transfer that a part of another domain asks for. Networks and addresses are checked. */
export interface NewBankTransfer extends BankTransferWay {
  readonly amount: OnrampAmount
  readonly address: string
  readonly customerId: string | null
  readonly refundBankAccount: RefundBankAccount | null
  /** Who asks, without a credential. */
  readonly stranger?: Stranger | undefined
}

/** A bank transfer with the account that a provider gave for it. */
export interface PreparedBankTransfer {
  readonly input: OnrampRequest
  readonly onramp: PreparedOnramp
}

/**
 * Gets an account for a part of another domain, before any transaction: it asks for an amount, or for the least that brings a delivery.
 * Repeating it gets another account and moves no money.
 * @throws validation_failed 422 on the fields of an onramp, and the provider's 502 and 503
 */
export async function prepareBankTransfer(
  context: QueryContext,
  { amount, currency, asset, networkKey, address, customerId, refundBankAccount, stranger }: NewBankTransfer,
): Promise<PreparedBankTransfer> {
  const input = {
    ...('output' in amount ? amount : { amount: decimal(amount.input, currency) }),
    sourceCurrency: currency,
    destinationCurrency: asset,
    destinationAddress: address,
    allowOffCurve: true,
    networkKey,
    customerId,
    refundBankAccount,
  }
  return { input, onramp: await prepareOnramp(context, input, stranger) }
}

/** Where a payer transfers to. */
export interface TransferAccount {
  /** Of the hidden onramp. */
  readonly id: string
  readonly bankName: string
  readonly accountNumber: string
  readonly accountName: string
  /** Minor units of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** For the narration of the transfer. */
  readonly reference: string
  readonly expiresAt: Date
  /** What the provider delivers for `amount`, as it has accepted the order. */
  readonly promised: bigint
}

/** The account of a prepared bank transfer. */
export const accountOf = ({ onramp: { id, plan, accepted } }: PreparedBankTransfer): TransferAccount => {
  const { amount, expiresAt, ...account } = accepted.paymentAccount
  return { id, ...account, amount, currency: plan.currency, expiresAt, promised: accepted.convertedAmount }
}

/**
 * Creates the hidden onramp of a prepared bank transfer in the caller's transaction, without an event. Its payment goes to the receiver that is bound
 * to `hiddenPayments`.
 */
export const createBankTransfer = (unit: UnitOfWork, prepared: PreparedBankTransfer, ownerId: string): OnrampRow =>
  createOnramp(unit, prepared.input, prepared.onramp, ownerId)

/** What an operator says became of the payment to a hidden onramp; its owner is told. */
export const settleBankTransfer = async (unit: UnitOfWork, input: Parameters<typeof settle>[1]): Promise<void> =>
  void (await settle(unit, input))
