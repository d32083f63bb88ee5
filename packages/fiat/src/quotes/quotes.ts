import { invalid, newId } from '@payments/kernel'
import { firstAnswer, type ProviderChoice, type QueryContext, recordChoice, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { decimal } from '../currencies/amounts.ts'
import { QuoteEntity, type QuoteRow } from '../entities/entity.ts'
import { newCall } from '../provider/limits.ts'
import type { FiatProvider } from '../provider/provider.ts'
import { fiatProviders } from '../provider/providers.ts'
import type { NewSellQuote, SellQuote } from '../schemas.ts'
import { checkedRate } from './checked-rate.ts'
import { checkFiatLimits, type Plan, planOf } from './rules.ts'

type Input = z.output<typeof NewSellQuote>

/** A checked request with the provider's quote for it. */
export type PreparedQuote = Omit<QuoteRow, 'id' | 'organisationId' | 'environment' | 'createdAt'> & {
  readonly choice: ProviderChoice | undefined
}

/** Checks a request and asks a provider for its rate. @throws validation_failed 422, and the provider's 502 and 503 */
export async function prepareQuote(context: QueryContext, input: Input): Promise<PreparedQuote> {
  const candidates = await fiatProviders(context, input.destinationCurrency)
  const { answer, choice } = await firstAnswer(candidates, (provider) => quoteOf(context, provider, input))
  return { ...answer, choice }
}

async function quoteOf(
  context: QueryContext,
  provider: FiatProvider,
  input: Input,
): Promise<Omit<PreparedQuote, 'choice'>> {
  const offers = await provider.offers()
  const { amount, asset, currency, network } = planOf('offramp', input, offers)
  const quote = await newCall(context, provider, () =>
    provider.sellQuote({ amount, asset, networkKey: network.key, currency }),
  )
  const rate = await checkedRate(context, provider.name, { asset, currency, rate: quote.rate })
  const { convertedAmount } = quote
  checkFiatLimits(offers, currency, convertedAmount)
  return {
    provider: provider.name,
    amount,
    sourceCurrency: asset,
    destinationCurrency: currency,
    networkKey: network.key,
    rate,
    fee: quote.fee,
    convertedAmount,
    terms: quote.terms,
    expiresAt: quote.expiresAt,
  }
}

/** Stores the quote, so that an offramp can use it. */
export function createQuote(unit: UnitOfWork, { choice, ...prepared }: PreparedQuote): QuoteRow {
  const { organisationId, environment } = unit.actor
  const row: QuoteRow = { id: newId(), organisationId, environment, ...prepared, createdAt: new Date() }
  unit.insert(QuoteEntity, row)
  recordChoice(unit, row, choice)
  return row
}

/** A quote as its operation answers it. */
export const presentQuote = (row: QuoteRow): z.input<typeof SellQuote> => ({
  quoteId: row.id,
  networkKey: row.networkKey,
  sourceCurrency: row.sourceCurrency,
  destinationCurrency: row.destinationCurrency,
  amount: decimal(row.amount, row.sourceCurrency),
  rate: row.rate,
  fee: decimal(row.fee, row.sourceCurrency),
  convertedAmount: decimal(row.convertedAmount, row.destinationCurrency),
  expiresAt: row.expiresAt.toISOString(),
})

const wrong = (message: string) => invalid({ quoteId: message })

/** The quote that an offramp names. @throws validation_failed 422 on `quoteId` */
export async function findQuote(context: QueryContext, quoteId: string | null | undefined): Promise<QuoteRow | null> {
  if (!quoteId) return null
  const quote = await context.em.findOne(QuoteEntity, { id: quoteId })
  if (!quote) throw wrong('Quote not found')
  return quote
}

/** @throws validation_failed 422 on `quoteId` when the quote has expired, or is for something else */
export function checkQuote(quote: QuoteRow, plan: Plan): void {
  if (quote.expiresAt.getTime() <= Date.now()) throw wrong('Quote expired: request another one')
  const differs = [
    ...(quote.amount === plan.amount ? [] : ['amount']),
    ...(quote.sourceCurrency === plan.asset ? [] : ['sourceCurrency']),
    ...(quote.destinationCurrency === plan.currency ? [] : ['destinationCurrency']),
    ...(quote.networkKey === plan.network.key ? [] : ['networkKey']),
  ]
  if (differs.length > 0) throw wrong(`The quote is for another ${differs.join(' and ')}`)
}
