import { checkPrice, heedingPause, type QueryContext, takeCall } from '@payments/platform'
import { errors } from '../api/errors.ts'
import type { QuotedAddress, RoutesProvider } from '../provider/provider.ts'

/** The parts of the provider's quotes that one organisation, and one link to which anyone may come, can use. */
const PERCENT_OF_ORGANISATION = 40
const PERCENT_OF_LINK = 20

const bucketOf = ({ actor }: QueryContext, provider: RoutesProvider) =>
  ({ provider: provider.name, bucket: 'quotes', environment: actor.environment }) as const

/** Takes one of the quotes that the provider allows, over all processes: nobody, and no link, can use those of all others. */
async function takeQuote(context: QueryContext, provider: RoutesProvider, startedAt?: string): Promise<void> {
  if (provider.quotesPerMinute === undefined) return
  const retryAfter = await takeCall(context.runtime.pool, {
    ...bucketOf(context, provider),
    perMinute: provider.quotesPerMinute,
    purpose: 'new',
    shares: [
      { id: context.actor.organisationId, percent: PERCENT_OF_ORGANISATION },
      ...(startedAt === undefined ? [] : [{ id: startedAt, percent: PERCENT_OF_LINK }]),
    ],
  })
  if (retryAfter > 0) throw errors.provider_unavailable({ retryAfter })
}

/**
 * A deposit address, for one of the quotes that the provider allows. Where it wants no more quotes for a while, no process asks for one.
 * @param startedAt what anyone may start the quote from
 * @throws provider_unavailable 503 with the seconds until a quote is free, provider_failed 503 for a price that is out of bounds
 */
export async function quoted(
  context: QueryContext,
  provider: RoutesProvider,
  input: Parameters<RoutesProvider['createDepositAddress']>[0],
  startedAt?: string,
): Promise<QuotedAddress> {
  await takeQuote(context, provider, startedAt)
  const { pool } = context.runtime
  const answer = await heedingPause(pool, bucketOf(context, provider), () => provider.createDepositAddress(input))
  if (input.quote) await checkQuote(context, provider, input, answer)
  return answer
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
