import {
  checkPrice,
  heedingPause,
  limitedFor,
  ProviderLimited,
  type QueryContext,
  type Stranger,
  sharesOf,
  takeCall,
} from '@payments/platform'
import { errors } from '../errors.ts'
import { countQuote } from '../operators/metrics.ts'
import type { QuotedAddress, RoutesProvider } from '../provider/provider.ts'

/** The part of the provider's quotes that the keys and sessions of one organisation can use. */
const PERCENT_OF_ORGANISATION = 40
/** That which may be used to compare a provider with the one that is asked first: half of what is new. The other half is for when that one has none left. */
const PERCENT_OF_COMPARISONS = 37.5

/** Who asks for a quote, and what for. */
export interface Asker {
  readonly stranger?: Stranger | undefined
  /** Another provider is asked as well: such quotes have half of each share. */
  readonly compares?: boolean
}

const bucketOf = ({ actor }: QueryContext, provider: RoutesProvider) =>
  ({ provider: provider.name, bucket: 'quotes', environment: actor.environment }) as const

/** Takes one of the quotes that the provider allows, over all processes: nobody can use those of all others. */
async function takeQuote(
  context: QueryContext,
  provider: RoutesProvider,
  { stranger, compares = false }: Asker,
): Promise<void> {
  if (provider.quotesPerMinute === undefined) return
  const shares = sharesOf(context.actor.organisationId, PERCENT_OF_ORGANISATION, stranger)
  const retryAfter = await takeCall(context.runtime.pool, {
    ...bucketOf(context, provider),
    perMinute: provider.quotesPerMinute,
    purpose: 'new',
    shares: compares
      ? [
          { id: 'comparisons', percent: PERCENT_OF_COMPARISONS },
          ...shares.map(({ id, percent }) => ({ id, percent: percent / 2 })),
        ]
      : shares,
  })
  if (retryAfter > 0) throw errors.provider_unavailable({ retryAfter, cause: new ProviderLimited(retryAfter) })
}

/**
 * A deposit address, for one of the quotes that the provider allows. Where it wants no more quotes for a while, no process asks for one.
 * @throws provider_unavailable 503 with the seconds until a quote is free, provider_failed 503 for a price that is out of bounds
 */
export async function quoted(
  context: QueryContext,
  provider: RoutesProvider,
  input: Parameters<RoutesProvider['createDepositAddress']>[0],
  asker: Asker = {},
): Promise<QuotedAddress> {
  await takeQuote(context, provider, asker)
  const { pool } = context.runtime
  const answer = await heedingPause(pool, bucketOf(context, provider), () => provider.createDepositAddress(input))
  if (input.quote) await checkQuote(context, provider, input, answer)
  return answer
}

/** Counts for operators how a new object got a quote of any provider, or none because nobody has one left for who asks. */
export async function countingQuotes<T>(
  { runtime, actor }: QueryContext,
  stranger: Stranger | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  const count = (outcome: 'taken' | 'refused') =>
    countQuote(runtime, { environment: actor.environment, kind: stranger ? 'anonymous' : 'key', outcome })
  try {
    const answer = await ask()
    count('taken')
    return answer
  } catch (error) {
    if (limitedFor(error) !== undefined) count('refused')
    throw error
  }
}

/** A wrong price is never used. An amount that the provider leaves out is zero: it promises nothing for it. @throws provider_failed 503 */
function checkQuote(
  context: QueryContext,
  { name }: RoutesProvider,
  { origin, destination, quote }: Parameters<RoutesProvider['createDepositAddress']>[0],
  { inputAmount, outputAmount, expectedAmount = outputAmount, inputUsd = null, expectedUsd = null }: QuotedAddress,
): Promise<void> {
  const asked = quote && 'output' in quote ? quote.output : undefined
  return checkPrice(
    context,
    name,
    {
      from: { symbol: origin.currency, units: inputAmount ?? 0n, dollars: inputUsd },
      to: { symbol: destination.currency, units: asked ?? expectedAmount ?? 0n, dollars: expectedUsd },
      strict: true,
    },
    errors.provider_failed,
  )
}
