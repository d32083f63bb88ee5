import { checkCustomer } from '@payments/customers'
import { invalid, isAddressOf, newId, requestedAddress } from '@payments/kernel'
import {
  aboutObject,
  createResource,
  firstAnswer,
  type ProviderChoice,
  type QueryContext,
  recordChoice,
  refuseOwnAddresses,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { accountName, type CheckedAccount, sameHolder } from '../accounts/accounts.ts'
import { fiatCurrencies } from '../currencies/currencies.ts'
import type { QuoteRow } from '../entities/entity.ts'
import type { OfframpRow } from '../entities/offramp.ts'
import { errors } from '../errors.ts'
import { newCall } from '../provider/limits.ts'
import {
  type AcceptedOfframp,
  type Account,
  type Corridor,
  type FiatProvider,
  fiatProvider,
  type Institution,
} from '../provider/provider.ts'
import { fiatProviders } from '../provider/providers.ts'
import { checkedRate, checkTerms } from '../quotes/checked-rate.ts'
import { checkQuote, findQuote } from '../quotes/quotes.ts'
import { checkReference } from '../quotes/references.ts'
import { bankOf, checkFiatLimits, corridorOver, type Plan, planOf } from '../quotes/rules.ts'
import type { NewOfframp } from '../schemas.ts'
import { offrampResource } from './resources.ts'
import { startPolls } from './schedule.ts'

type Input = z.output<typeof NewOfframp>

/** A checked request with the order that the provider accepted for it. */
export interface PreparedOfframp {
  readonly choice: ProviderChoice | undefined
  readonly id: string
  readonly plan: Plan
  readonly corridor: Corridor
  readonly account: Account
  readonly bank: Institution
  readonly holder: string
  readonly check: CheckedAccount
  readonly quote: QuoteRow | null
  readonly refundAddress: string
  readonly provider: string
  readonly credentials: string | null
  readonly accepted: AcceptedOfframp
  readonly rate: string
  readonly convertedAmount: bigint
}

const BANK = 'bankAccount.'

/**
 * Checks a request and creates the provider's order, before any transaction. That moves no money: an order that nobody
 * funds expires, so a request that fails here or later leaves nothing behind and can be repeated.
 * @throws validation_failed 422, offramp_reference_used 409, and the provider's 502 and 503
 */
export async function prepareOfframp(context: QueryContext, input: Input): Promise<PreparedOfframp> {
  const { providers } = context.runtime
  const quote = await findQuote(context, input.quoteId)
  const candidates = quote
    ? [providers.of(fiatProvider, quote)]
    : await fiatProviders(context, input.destinationCurrency)
  const { answer, choice } = await firstAnswer(candidates, (provider) => prepareWith(context, provider, input, quote))
  return { ...answer, choice }
}

async function prepareWith(
  context: QueryContext,
  provider: FiatProvider,
  input: Input,
  quote: QuoteRow | null,
): Promise<Omit<PreparedOfframp, 'choice'>> {
  const offers = await provider.offers()
  const plan = planOf('offramp', input, offers)
  const { accountName: given, channel, businessNumber, ...number } = input.bankAccount
  const account: Account = {
    currency: plan.currency,
    ...number,
    ...(channel ? { channel } : {}),
    ...(businessNumber ? { businessNumber } : {}),
  }
  const bank = bankOf(await provider.institutions(plan.currency), account, BANK)
  const corridor = corridorOver(plan, bank, `${BANK}bankCode`, plan.asset)
  const refundAddress = input.refundAddress
    ? requestedAddress(plan.network, input.refundAddress, 'refundAddress', input)
    : provider.refundAddresses?.[plan.network.type]
  if (!refundAddress) throw invalid({ refundAddress: 'Required in the live environment' })
  if (quote) checkQuote(quote, plan)
  await Promise.all([
    checkCustomer(context, input.customerId),
    refuseOwnAddresses(context, input.refundAddress ? { refundAddress } : {}),
  ])
  await checkReference(context, 'offramp', input.reference, errors.offramp_reference_used)
  const check = await accountName(context, provider, account, 'order')
  if (check.status === 'not_found') throw invalid({ [`${BANK}accountNumber`]: `No such account at ${bank.name}` })
  const holder = given ?? (check.status === 'verified' ? check.accountName : undefined)
  if (!holder) throw invalid({ [`${BANK}accountName`]: `Required: ${bank.name} does not return the holder’s name` })
  const id = newId()
  const create = () =>
    provider.createOfframp({
      reference: id,
      amount: plan.amount,
      asset: plan.asset,
      networkKey: plan.network.key,
      currency: plan.currency,
      account: { ...account, accountName: holder },
      refundAddress,
      quote: quote && { rate: quote.rate, terms: quote.terms ?? null },
    })
  const accepted = await aboutObject({ ...context.actor, id }, () => newCall(context, provider, create))
  const rate = await checkedRate(context, provider.name, { ...plan, rate: accepted.rate })
  if (quote && (rate !== quote.rate || accepted.fee !== quote.fee))
    throw invalid({ quoteId: 'The provider does not honour this quote any more: request another one' })
  const terms = { from: 'asset', paid: accepted.deposit.amount, brings: accepted.convertedAmount } as const
  await checkTerms(context, provider.name, { ...plan, rate }, terms)
  if (!isAddressOf(plan.network.type, accepted.deposit.address)) throw errors.fiat_provider_failed()
  const { convertedAmount } = accepted
  checkFiatLimits(offers, plan.currency, convertedAmount)
  return {
    id,
    plan,
    corridor,
    account,
    bank,
    holder,
    check,
    quote,
    refundAddress,
    provider: provider.name,
    credentials: provider.credentials ?? null,
    accepted,
    rate,
    convertedAmount,
  }
}

/** Creates the prepared offramp and schedules its polls. A reference that was used meanwhile is offramp_reference_used 409. */
export function createOfframp(unit: UnitOfWork, input: Input, prepared: PreparedOfframp): OfframpRow {
  const { plan, account, bank, check, accepted } = prepared
  const mismatch = check.status === 'verified' && !sameHolder(check.accountName, prepared.holder)
  const { expiresAt } = accepted.deposit
  const row = createResource(unit, offrampResource, {
    id: prepared.id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    customerId: input.customerId ?? null,
    amount: plan.amount,
    sourceCurrency: plan.asset,
    destinationCurrency: plan.currency,
    networkKey: plan.network.key,
    rate: prepared.rate,
    fee: accepted.fee,
    convertedAmount: prepared.convertedAmount,
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
    quoteId: prepared.quote?.id ?? null,
    bankCode: bank.code,
    bankName: bank.name,
    bankCountry: fiatCurrencies[plan.currency].country,
    accountNumber: account.accountNumber,
    accountName: prepared.holder,
    channel: account.channel ?? null,
    businessNumber: account.businessNumber ?? null,
    checkStatus: mismatch ? 'mismatch' : check.status === 'verified' ? 'verified' : 'unresolved',
    checkAccountName: check.status === 'verified' ? check.accountName : null,
    checkedAt: check.checkedAt,
    depositAddress: accepted.deposit.address,
    depositAmount: accepted.deposit.amount,
    depositExpiresAt: expiresAt,
    refundAddress: prepared.refundAddress,
    settlementSeconds: prepared.corridor.settlementSeconds,
    // Until the deposit is there: if it comes at the last moment.
    estimatedSettlement: new Date(expiresAt.getTime() + prepared.corridor.settlementSeconds * 1000),
    providerOutcome: null,
    returnedAt: null,
  })
  startPolls(unit, 'offramp', row)
  recordChoice(unit, row, prepared.choice)
  return row
}
