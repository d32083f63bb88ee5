import { type Environment, requestedAmount, toDecimal } from '@payments/kernel'
import { checkPrice, firstAnswer, groupedBy, type QueryContext, type Runtime } from '@payments/platform'
import type { z } from 'zod'
import { assetIn, type Currency } from '../currencies.ts'
import { errors } from '../errors.ts'
import type { RateList } from '../schemas.ts'
import { type Quote, type SwapsProvider, swapsProvider } from './provider.ts'
import { rateOf, rounded } from './rate.ts'
import { swapsSettings } from './settings.ts'

type Rate = z.input<typeof RateList>['rates'][number]
type DatedQuote = Quote & { readonly quotedAt: Date }

const DIRECTIONS: readonly (readonly [Currency, Currency])[] = [
  ['EURC', 'USDC'],
  ['USDC', 'EURC'],
]

/**
 * Indicative quotes in both directions. Amounts with the same first three digits share a quote for some seconds, over all
 * processes and organisations.
 * @throws validation_failed 422, rates_limited 429, and the provider's 502 and 503
 */
export async function rates(context: QueryContext, text: string): Promise<readonly Rate[]> {
  await context.runtime.providers.for(swapsProvider, context.actor.environment)
  const wanted = DIRECTIONS.map(([from, to]) => {
    const amount = requestedAmount(text, assetIn(from))
    return { from, to, amount, quoted: rounded(amount) }
  })
  const known = await stored(context, wanted)
  return Promise.all(
    wanted.map(async ({ from, to, amount, quoted }) => {
      const quote = known.get(from) ?? (await shared(context, from, to, quoted))
      const amountOut = (quote.amountOut * amount) / quoted
      return {
        from,
        to,
        amountIn: toDecimal(amount, assetIn(from)),
        amountOut: toDecimal(amountOut, assetIn(to)),
        rate: rateOf(amount, amountOut),
        priceImpactPercent: quote.priceImpactPercent,
        source: quote.source,
        quotedAt: quote.quotedAt.toISOString(),
      }
    }),
  )
}

/**
 * How much of the other currency one unit of a currency buys now, as `GET /rates` shows it for 100; undefined where nobody swaps.
 * @throws rates_limited 429, and the provider's 502 and 503
 */
export async function currencyRate(context: QueryContext, from: Currency): Promise<string | undefined> {
  if (context.runtime.providers.bound(swapsProvider, context.actor.environment).length === 0) return undefined
  return (await rates(context, '100')).find((rate) => rate.from === from)?.rate
}

/** A quote that a request looks for. */
interface Wanted {
  readonly environment: Environment
  readonly from: Currency
  readonly quoted: bigint
}

/** Requests at the same time share one statement. */
const lookFor = groupedBy(storedFor)

/** The quotes that still apply, by the currency that is sold. */
async function stored(
  { runtime, actor }: QueryContext,
  wanted: readonly Omit<Wanted, 'environment'>[],
): Promise<ReadonlyMap<Currency, DatedQuote>> {
  const environment = actor.environment
  const quotes = await lookFor(
    runtime,
    wanted.map(({ from, quoted }) => ({ environment, from, quoted })),
  )
  return new Map(wanted.flatMap(({ from }, place) => (quotes[place] ? [[from, quotes[place]] as const] : [])))
}

/** The quotes that still apply for each of several requests, in the order in which they want them. */
async function storedFor(
  runtime: Runtime,
  requests: readonly (readonly Wanted[])[],
): Promise<(DatedQuote | undefined)[][]> {
  const { SWAP_RATE_SECONDS } = swapsSettings.from(runtime.settings)
  const wanted = new Map(requests.flat().map((each) => [keyOf(each), each]))
  const { rows } = await runtime.lookups.query<{
    place: number
    amount_out: string
    price_impact_percent: number
    source: string
    quoted_at: Date | string
  }>(
    `select wanted.place::int as place, rate.*
       from unnest($1::text[], $2::text[], $3::numeric[]) with ordinality as wanted (environment, from_currency, amount, place)
      cross join lateral (
        select amount_out::text, price_impact_percent, source, quoted_at from swap_rates r
         where r.environment = wanted.environment and r.from_currency = wanted.from_currency and r.amount = wanted.amount limit 1) rate
      where rate.quoted_at > now() - make_interval(secs => $4)`,
    [
      Array.from(wanted.values(), ({ environment }) => environment),
      Array.from(wanted.values(), ({ from }) => from),
      Array.from(wanted.values(), ({ quoted }) => `${quoted}`),
      SWAP_RATE_SECONDS,
    ],
  )
  const keys = [...wanted.keys()]
  const found = new Map(
    rows.map((row) => [
      keys[row.place - 1],
      {
        amountOut: BigInt(row.amount_out),
        priceImpactPercent: row.price_impact_percent,
        source: row.source,
        quotedAt: new Date(row.quoted_at),
      },
    ]),
  )
  return requests.map((request) => request.map((each) => found.get(keyOf(each))))
}

const keyOf = ({ environment, from, quoted }: Wanted): string => `${environment} ${from} ${quoted}`

/** Quotes that a process is getting, so that requests at the same time wait for one call of the provider. */
const running = new WeakMap<Runtime, Map<string, Promise<DatedQuote>>>()

function shared(context: QueryContext, from: Currency, to: Currency, amount: bigint): Promise<DatedQuote> {
  const { runtime, actor } = context
  const own = running.get(runtime) ?? new Map<string, Promise<DatedQuote>>()
  running.set(runtime, own)
  const key = keyOf({ environment: actor.environment, from, quoted: amount })
  const quote = own.get(key) ?? storedOrFresh(context, from, to, amount).finally(() => void own.delete(key))
  own.set(key, quote)
  return quote
}

/** Looks once more: since the request did, one that was running has ended, and its quote is stored. */
const storedOrFresh = async (
  context: QueryContext,
  from: Currency,
  to: Currency,
  amount: bigint,
): Promise<DatedQuote> =>
  (await stored(context, [{ from, quoted: amount }])).get(from) ?? fresh(context, from, to, amount)

async function fresh(context: QueryContext, from: Currency, to: Currency, amount: bigint): Promise<DatedQuote> {
  const { runtime, actor } = context
  await countCall(context)
  const candidates = await runtime.providers.candidates(swapsProvider, actor.environment)
  const { answer: quote } = await firstAnswer(candidates, (provider) =>
    boundedQuote(context, provider, { from, to, amount }),
  )
  const quotedAt = new Date()
  await runtime.pool.query(
    `insert into swap_rates (environment, from_currency, amount, amount_out, price_impact_percent, source, quoted_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (environment, from_currency, amount) do update set amount_out = excluded.amount_out,
       price_impact_percent = excluded.price_impact_percent, source = excluded.source, quoted_at = excluded.quoted_at`,
    [
      actor.environment,
      from,
      amount.toString(),
      quote.amountOut.toString(),
      quote.priceImpactPercent,
      quote.source,
      quotedAt,
    ],
  )
  return { ...quote, quotedAt }
}

/** A quote whose price is in bounds. @throws swap_provider_failed 503 for another one, and the provider's 502 and 503 */
export async function boundedQuote(
  context: QueryContext,
  provider: SwapsProvider,
  request: Parameters<SwapsProvider['quote']>[0],
): Promise<Quote> {
  const quote = await provider.quote(request)
  const price = {
    from: { symbol: request.from, units: request.amount },
    to: { symbol: request.to, units: quote.amountOut },
  }
  await checkPrice(context, provider.name, price, errors.swap_provider_failed)
  return quote
}

/** Counts a call of the provider for the organisation. @throws rates_limited 429 when it has used up its calls of this minute */
async function countCall({ runtime, actor }: QueryContext): Promise<void> {
  const { SWAP_RATE_CALLS_PER_MINUTE: most } = swapsSettings.from(runtime.settings)
  const { rows } = await runtime.pool.query<{ calls: number; wait: number }>(
    `insert into swap_rate_calls as c (organisation_id, calls, ends_at) values ($1, 1, now() + interval '1 minute')
     on conflict (organisation_id) do update set
       calls = case when c.ends_at <= now() then 1 else c.calls + 1 end,
       ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
     returning calls, ceil(extract(epoch from ends_at - now()))::int as wait`,
    [actor.organisationId],
  )
  const [count] = rows
  if (count && count.calls > most) throw errors.rates_limited({ retryAfter: Math.max(1, count.wait) })
}
