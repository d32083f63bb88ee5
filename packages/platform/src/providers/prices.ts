import {
  ARE_DOLLARS,
  decidePrice,
  type ErrorFactory,
  newId,
  type PriceMove,
  rateBetween,
  ServiceError,
  type Side,
  scaled,
} from '@payments/kernel'
import type { QueryContext } from '../operations/context/context.ts'
import type { AttentionSource } from '../operations/context/operators.ts'
import { platformSettings } from '../settings/settings.ts'

/** When a client may try again where a price was refused, seconds. */
const RETRY_SECONDS = 60
/** So long the last rate counts where dollars bound the price too: a market may move further without a quote in between. */
const FRESH_HOURS = 24
/** A rate is written again when it has moved by so much, or after so long. */
const MOVED_PERCENT = 1
const WRITTEN_MINUTES = 10
const PLACES = 18

/** A price of a provider, from what is given to what is got. */
interface Price {
  readonly from: Side
  readonly to: Side
  /** Of a market that dollars bound on both sides: without anything to compare it with, the price is refused. */
  readonly strict?: boolean
}

interface Last {
  readonly rate: string | null
  readonly age_minutes: number | null
  readonly is_refused: boolean
  readonly move_rate: string | null
  readonly move_since: Date | string | null
  readonly move_at: Date | string | null
  readonly move_seen: number
  readonly now: Date | string
}

/**
 * Checks a price that a provider gave, outside of transactions, against the settings and the last rate of its pair: see {@link decidePrice}. One that is
 * refused is listed for operators, until a later one of the pair is accepted: in the band, or because the market has moved.
 * @param failed the error for a provider that failed, whose code the refusal has
 * @throws ServiceError 503
 */
export async function checkPrice(
  { runtime, actor }: Pick<QueryContext, 'runtime' | 'actor'>,
  provider: string,
  { from, to, strict = false }: Price,
  failed: ErrorFactory,
): Promise<void> {
  const settings = platformSettings.from(runtime.settings)
  const pair = `${from.symbol}>${to.symbol}`
  const isOfOneKind = from.symbol === to.symbol
  const known = isOfOneKind ? undefined : await lastOf(runtime, actor.environment, pair)
  const last = known?.rate && (!strict || (known.age_minutes ?? 0) < FRESH_HOURS * 60) ? scaled(known.rate) : undefined
  const { problem, move } = decidePrice(from, to, {
    maxLossPercent: settings.QUOTE_MAX_LOSS_PERCENT,
    bandPercent: settings.RATE_BAND_PERCENT,
    confirmations: settings.RATE_CONFIRMATIONS,
    confirmationMinutes: settings.RATE_CONFIRMATION_MINUTES,
    ...{ last, strict, move: known && moveOf(known), now: new Date(known?.now ?? Date.now()) },
  })
  const rate = rateBetween(from, to)
  if (problem === undefined) {
    if (!isOfOneKind && rate !== undefined && (!known || isOld(known, last, rate)))
      await runtime.pool.query(ACCEPTED, [newId(), actor.environment, pair, provider, textOf(rate)])
    return
  }
  const reason = `${provider}: ${problem}`
  await runtime.pool.query(REFUSED, [
    newId(),
    actor.environment,
    pair,
    provider,
    rate === undefined ? null : textOf(rate),
    reason,
    ...(move ? [textOf(move.rate), move.since, move.at, move.seen] : [null, null, null, 0]),
  ])
  throw new ServiceError(
    failed.code,
    { ...failed, status: 503 },
    { retryAfter: RETRY_SECONDS, cause: new Error(reason) },
  )
}

async function lastOf({ pool }: QueryContext['runtime'], environment: string, pair: string): Promise<Last | undefined> {
  const { rows } = await pool.query<Last>(
    `select rate::text, (extract(epoch from now() - rated_at) / 60)::float8 as age_minutes, refused_at is not null as is_refused,
            move_rate::text, move_since, move_at, move_seen, clock_timestamp() as now
       from provider_prices where environment = $1 and pair = $2`,
    [environment, pair],
  )
  return rows[0]
}

function moveOf({ move_rate, move_since, move_at, move_seen }: Last): PriceMove | undefined {
  const rate = scaled(move_rate)
  if (rate === undefined || move_since === null || move_at === null) return undefined
  return { rate, since: new Date(move_since), at: new Date(move_at), seen: move_seen }
}

/** Is there anything to write? */
function isOld({ is_refused, age_minutes }: Last, last: bigint | undefined, rate: bigint): boolean {
  if (is_refused || last === undefined || (age_minutes ?? Infinity) > WRITTEN_MINUTES) return true
  const away = last > rate ? last - rate : rate - last
  return away * 100n > last * BigInt(MOVED_PERCENT)
}

const textOf = (rate: bigint): string => {
  const digits = rate.toString().padStart(PLACES + 1, '0')
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

const NO_MOVE = 'move_rate = null, move_since = null, move_at = null, move_seen = 0'
const ACCEPTED = `insert into provider_prices (id, environment, pair, provider, rate, rated_at) values ($1, $2, $3, $4, $5, now())
  on conflict (environment, pair) do update set provider = excluded.provider, rate = excluded.rate, rated_at = now(),
    refused_rate = null, refused_reason = null, refused_at = null, ${NO_MOVE}`
const REFUSED = `insert into provider_prices (id, environment, pair, provider, refused_rate, refused_reason, refused_at, move_rate, move_since, move_at, move_seen)
  values ($1, $2, $3, $4, $5, $6, now(), $7, $8, $9, $10)
  on conflict (environment, pair) do update set refused_rate = excluded.refused_rate, refused_reason = excluded.refused_reason,
    refused_at = coalesce(provider_prices.refused_at, now()), move_rate = excluded.move_rate, move_since = excluded.move_since,
    move_at = excluded.move_at, move_seen = excluded.move_seen`

const dollars = ARE_DOLLARS.map((symbol) => `'${symbol}'`).join(', ')

/**
 * SQL: how many US dollars one unit of a currency is, by the price of its pair that was accepted last in an environment; null where none was.
 * It is good enough to sort by, and for nothing that moves money.
 */
export const dollarRate = (currency: string, environment: string): string =>
  `case when ${currency} in (${dollars}) then 1 else (
     select case when split_part(p.pair, '>', 1) = ${currency} then p.rate else 1 / p.rate end
       from unnest(array[${dollars}]) dollar, unnest(array[${currency} || '>' || dollar, dollar || '>' || ${currency}]) pairs (pair)
       join provider_prices p on p.environment = ${environment} and p.pair = pairs.pair
      where p.rate > 0 order by p.rated_at desc limit 1) end`

/** Pairs whose last price was refused. Closing it makes the refused rate the one that later ones are compared with. */
export const refusedPrices: AttentionSource = {
  kind: 'provider_price',
  sql: `select id, null::uuid as organisation_id, environment, pair as status, 'failed' as condition, refused_reason as reason, refused_at as since
          from provider_prices where refused_at is not null`,
  async close(db, id) {
    await db.query(
      `update provider_prices set rate = coalesce(refused_rate, rate), rated_at = now(), refused_rate = null, refused_reason = null, refused_at = null,
              ${NO_MOVE} where id = $1 and refused_at is not null`,
      [id],
    )
  },
}
