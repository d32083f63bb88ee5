import { heedingPause, type QueryContext, takeCall } from '@payments/platform'
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
 * @throws provider_unavailable 503 with the seconds until a quote is free
 */
export async function quoted(
  context: QueryContext,
  provider: RoutesProvider,
  input: Parameters<RoutesProvider['createDepositAddress']>[0],
  startedAt?: string,
): Promise<QuotedAddress> {
  await takeQuote(context, provider, startedAt)
  return heedingPause(context.runtime.pool, bucketOf(context, provider), () => provider.createDepositAddress(input))
}
