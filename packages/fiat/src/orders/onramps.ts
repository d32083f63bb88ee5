import { checkCustomer } from '@payments/customers'
import { invalid, newId, requestedAddress } from '@payments/kernel'
import {
  aboutObject,
  createResource,
  firstAnswer,
  type ProviderChoice,
  type QueryContext,
  recordChoice,
  refuseOwnAddresses,
  type Stranger,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { canonicalRate, cost, decimal } from '../currencies/amounts.ts'
import type { OnrampRow } from '../entities/onramp.ts'
import { errors } from '../errors.ts'
import { newCall } from '../provider/limits.ts'
import type { AcceptedOnramp, FiatProvider, Offers } from '../provider/provider.ts'
import { fiatProviders } from '../provider/providers.ts'
import { checkedRate, checkTerms } from '../quotes/checked-rate.ts'
import { checkReference } from '../quotes/references.ts'
import { bankOf, checkFiatLimits, onrampCorridor, type Plan, planOf } from '../quotes/rules.ts'
import type { NewOnramp } from '../schemas.ts'
import { onrampResource } from './resources.ts'
import { startPolls } from './schedule.ts'

type Input = z.output<typeof NewOnramp>
/** A request for a transfer of `amount`, or for what has to be transferred to deliver `output`, in minor units of the stablecoin. */
export type OnrampRequest = Omit<Input, 'amount'> & (Pick<Input, 'amount'> | { readonly output: bigint })

/** A checked request with the order that the provider accepted for it. */
export interface PreparedOnramp {
  readonly choice: ProviderChoice | undefined
  readonly id: string
  readonly plan: Plan
  readonly destinationAddress: string
  readonly provider: string
  readonly credentials: string | null
  readonly accepted: AcceptedOnramp
}

const REFUND = 'refundBankAccount.'

/**
 * Checks a request and creates the provider's order, before any transaction. An order that nobody pays expires.
 * @param stranger who asks, without a credential
 * @throws validation_failed 422, onramp_reference_used 409, and the provider's 502 and 503
 */
export async function prepareOnramp(
  context: QueryContext,
  input: OnrampRequest,
  stranger?: Stranger,
): Promise<PreparedOnramp> {
  const candidates = await fiatProviders(context, input.sourceCurrency)
  const { answer, choice } = await firstAnswer(candidates, (provider) =>
    prepareWith(context, provider, input, stranger),
  )
  return { ...answer, choice }
}

async function prepareWith(
  context: QueryContext,
  provider: FiatProvider,
  input: OnrampRequest,
  stranger: Stranger | undefined,
): Promise<Omit<PreparedOnramp, 'choice'>> {
  const offers = await provider.offers()
  const plan = planOf('onramp', 'output' in input ? { ...input, amount: aboutToPay(input, offers) } : input, offers)
  checkFiatLimits(offers, plan.currency, plan.amount)
  const destinationAddress = requestedAddress(plan.network, input.destinationAddress, 'destinationAddress', input)
  const refundAccount = input.refundBankAccount ?? null
  if (refundAccount)
    bankOf(await provider.institutions(plan.currency), { currency: plan.currency, ...refundAccount }, REFUND)
  else if (context.actor.environment === 'live')
    throw invalid({ refundBankAccount: 'Required in the live environment' })
  await Promise.all([checkCustomer(context, input.customerId), refuseOwnAddresses(context, { destinationAddress })])
  await checkReference(context, 'onramp', input.reference, errors.onramp_reference_used)
  const id = newId()
  const create = () =>
    provider.createOnramp({
      reference: id,
      amount: 'output' in input ? { output: input.output } : { input: plan.amount },
      asset: plan.asset,
      networkKey: plan.network.key,
      currency: plan.currency,
      address: destinationAddress,
      refundAccount,
    })
  const accepted = await aboutObject({ ...context.actor, id }, () => newCall(context, provider, create, stranger))
  const rate = await checkedRate(context, provider.name, { ...plan, rate: accepted.rate })
  if (accepted.convertedAmount <= 0n) throw invalid({ amount: 'Too small: nothing would be left after fees' })
  const terms = { from: 'currency', paid: accepted.paymentAccount.amount, brings: accepted.convertedAmount } as const
  await checkTerms(context, provider.name, { ...plan, rate }, terms)
  const created = {
    ...{ id, destinationAddress, accepted },
    provider: provider.name,
    credentials: provider.credentials ?? null,
  }
  if (!('output' in input)) return { ...created, plan }
  if (accepted.convertedAmount < input.output)
    throw errors.fiat_provider_failed({
      cause: new Error(`The order ${accepted.providerOrderId} delivers less than it is for`),
    })
  const { amount } = accepted.paymentAccount
  return { ...created, plan: { ...plan, amount } }
}

/** About what a delivery takes, for the limits: the provider says it exactly when it accepts the order. Empty where it does not deliver that. */
function aboutToPay(
  { output, sourceCurrency: currency, destinationCurrency: asset, networkKey }: OnrampRequest & { output: bigint },
  { corridors }: Offers,
): string {
  const corridor = onrampCorridor(corridors, { currency, asset, networkKey })
  return corridor ? decimal(cost(output, asset, currency, corridor.rate), currency) : ''
}

/**
 * Creates the prepared onramp and schedules its polls. A reference that was used meanwhile is onramp_reference_used 409.
 * @param ownerId the object of another domain that it belongs to; then it is hidden
 */
export function createOnramp(
  unit: UnitOfWork,
  input: OnrampRequest,
  prepared: PreparedOnramp,
  ownerId: string | null = null,
): OnrampRow {
  const { plan, accepted } = prepared
  const { paymentAccount } = accepted
  const row = createResource(unit, onrampResource, {
    id: prepared.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    customerId: input.customerId ?? null,
    amount: plan.amount,
    sourceCurrency: plan.currency,
    destinationCurrency: plan.asset,
    networkKey: plan.network.key,
    rate: canonicalRate(accepted.rate),
    fee: accepted.fee,
    convertedAmount: accepted.convertedAmount,
    receivedAmount: null,
    txHash: null,
    reference: input.reference ?? null,
    failureReason: null,
    provider: prepared.provider,
    credentials: prepared.credentials,
    providerOrderId: accepted.providerOrderId,
    attention: null,
    settledAt: null,
    evidence: accepted.evidence ?? null,
    metadata: input.metadata ?? {},
    destinationAddress: prepared.destinationAddress,
    paymentAccountNumber: paymentAccount.accountNumber,
    paymentAccountName: paymentAccount.accountName,
    paymentBankName: paymentAccount.bankName,
    paymentReference: paymentAccount.reference,
    paymentAmount: paymentAccount.amount,
    paymentExpiresAt: paymentAccount.expiresAt,
    refundAccountNumber: input.refundBankAccount?.accountNumber ?? null,
    refundBankCode: input.refundBankAccount?.bankCode ?? null,
    refundAccountName: input.refundBankAccount?.accountName ?? null,
    ownerId,
  })
  startPolls(unit, 'onramp', row)
  recordChoice(unit, row, prepared.choice)
  return row
}
