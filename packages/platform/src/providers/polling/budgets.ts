import { type Environment, ServiceError } from '@payments/kernel'
import type { SqlExecutor } from '../../database/sql.ts'
import type { RateBudget } from '../../operations/context/operators.ts'

const WINDOW_SECONDS = 60
/** Seconds of a limit that accumulate while nothing is called, where time refills it; also how far people may run ahead of it. */
export const BURST_SECONDS = 10
/** The percentage of a limit that only money on its way may use: new objects cannot delay what was already paid for. */
const RESERVED_PERCENT = 25

/** One limit of a provider: it counts the calls of a bucket, such as `quotes`, in each environment. */
export interface Budget {
  readonly provider: string
  readonly bucket: string
  readonly environment: Environment
}

/** A call that is about to be made. */
export interface BudgetedCall extends Budget {
  /** Calls that the provider allows in any 60 s. */
  readonly perMinute: number
  /** `new`: for an object that does not exist yet, or a question. `in_flight`: for money that is on its way. */
  readonly purpose: 'new' | 'in_flight'
  /** For whom: each id, such as that of an organisation or of a payment link, has at most this percentage of the limit (at least one call). */
  readonly shares?: readonly { readonly id: string; readonly percent: number }[]
  /** The present time; the database's own where it is not given. */
  readonly now?: Date
}

const NOW = 'extract(epoch from coalesce($4::timestamptz, clock_timestamp()))'
const RECENT = `c.at > ${NOW} - ${WINDOW_SECONDS}`
const CALLS = 'jsonb_to_recordset(b.calls) as c (at float8, purpose text, ids jsonb)'

/** The window moves: a provider that counts in any 60 s would refuse what a fixed window allows twice around its edge. One row, so processes take turns. */
const TAKE = `
  insert into provider_budgets as b (provider, bucket, environment, per_minute, calls)
  values ($1, $2, $3, $7, jsonb_build_array(jsonb_build_object('at', ${NOW}, 'purpose', $5::text, 'ids', $6::jsonb)))
  on conflict (provider, bucket, environment) do update
    set per_minute = excluded.per_minute, calls = (select coalesce(jsonb_agg(to_jsonb(c)), '[]') from ${CALLS} where ${RECENT}) || excluded.calls
    where coalesce(b.paused_until <= coalesce($4::timestamptz, clock_timestamp()), true)
      and (select count(*) from ${CALLS} where ${RECENT}) < $7
      and (select count(*) from ${CALLS} where ${RECENT} and c.purpose = $5) < $8
      and not exists (
        select from jsonb_to_recordset($9::jsonb) as s (id text, most integer)
         where (select count(*) from ${CALLS} where ${RECENT} and c.ids ? s.id) >= s.most)
  returning 1`

/**
 * Takes one call of a provider's limit, over all processes. What is on its way may use the whole limit, what is new all but
 * {@link RESERVED_PERCENT} of it, and each id its share.
 * @returns seconds until the next call is free; 0 when one was taken
 */
export async function takeCall(db: SqlExecutor, call: BudgetedCall): Promise<number> {
  const { provider, bucket, environment, perMinute, purpose, shares = [], now } = call
  const most = limitsOf(call)
  const { rows } = await db.query(TAKE, [
    provider,
    bucket,
    environment,
    now ?? null,
    purpose,
    JSON.stringify(shares.map(({ id }) => id)),
    perMinute,
    most.purpose,
    JSON.stringify(most.shares),
  ])
  return rows.length > 0 ? 0 : Math.max(1, await secondsUntilFree(db, call))
}

const percentOf = (perMinute: number, percent: number): number => Math.max(1, Math.floor((perMinute * percent) / 100))

const limitsOf = ({ perMinute, purpose, shares = [] }: BudgetedCall) => ({
  purpose: purpose === 'new' ? percentOf(perMinute, 100 - RESERVED_PERCENT) : perMinute,
  shares: shares.map(({ id, percent }) => ({ id, most: percentOf(perMinute, percent) })),
})

interface Row {
  paused: number | null
  at: number
  calls: { at: number; purpose: string; ids: string[] }[]
}

/** Seconds until such a call is free: 0 if one is now. It takes none. */
export async function secondsUntilFree(db: SqlExecutor, call: BudgetedCall): Promise<number> {
  const { rows } = await db.query<Row>(
    `select extract(epoch from paused_until)::float8 as paused, ${NOW}::float8 as at, calls
       from provider_budgets where provider = $1 and bucket = $2 and environment = $3`,
    [call.provider, call.bucket, call.environment, call.now ?? null],
  )
  const [row] = rows
  if (!row) return 0
  const recent = row.calls.filter(({ at }) => at > row.at - WINDOW_SECONDS).sort((a, b) => a.at - b.at)
  /** When fewer than `most` of these are in the window. */
  const freeAt = (calls: Row['calls'], most: number): number =>
    calls.length < most ? row.at : (calls[calls.length - most]?.at ?? row.at) + WINDOW_SECONDS
  const most = limitsOf(call)
  const times = [
    row.paused ?? row.at,
    freeAt(recent, call.perMinute),
    freeAt(
      recent.filter(({ purpose }) => purpose === call.purpose),
      most.purpose,
    ),
    ...most.shares.map((share) =>
      freeAt(
        recent.filter(({ ids }) => ids.includes(share.id)),
        share.most,
      ),
    ),
  ]
  return Math.ceil(Math.max(0, ...times.map((time) => time - row.at)))
}

/** No calls of this limit for a while, by any process: the provider asked for it. Never shortens a pause. */
export async function pauseCalls(db: SqlExecutor, budget: Budget & { readonly seconds: number }): Promise<void> {
  await db.query(
    `insert into provider_budgets as b (provider, bucket, environment, paused_until)
     values ($1, $2, $3, now() + make_interval(secs => $4))
     on conflict (provider, bucket, environment) do update set paused_until = greatest(b.paused_until, excluded.paused_until)`,
    [budget.provider, budget.bucket, budget.environment, budget.seconds],
  )
}

/** The cause of an error of a provider that wants no calls for some seconds. */
export class ProviderLimited extends Error {
  override name = 'ProviderLimited'
  readonly seconds: number

  constructor(seconds: number, options?: ErrorOptions) {
    super('The provider limits its calls', options)
    this.seconds = seconds
  }
}

/** For how many seconds a provider wants no calls, if that is why one failed. */
export const limitedFor = (error: unknown): number | undefined =>
  error instanceof ServiceError && error.cause instanceof ProviderLimited ? error.cause.seconds : undefined

/** Makes a call of a provider. When it fails because the provider wants no more for a while, no process makes any: see {@link pauseCalls}. */
export async function heedingPause<T>(db: SqlExecutor, budget: Budget, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const seconds = limitedFor(error)
    if (seconds !== undefined) await pauseCalls(db, { ...budget, seconds })
    throw error
  }
}

/** Does a pause of this limit last, for all processes? */
export async function isPaused(db: SqlExecutor, { provider, bucket, environment }: Budget): Promise<boolean> {
  const { rows } = await db.query(
    'select from provider_budgets where provider = $1 and bucket = $2 and environment = $3 and paused_until > now()',
    [provider, bucket, environment],
  )
  return rows.length > 0
}

/** The limits in use, as operators see them. A paused one has no calls left. */
export async function readBudgets(db: SqlExecutor): Promise<RateBudget[]> {
  const { rows } = await db.query<RateBudget>(
    `select provider || ' ' || bucket as provider, environment,
            case when paused_until > now() then 0
                 when tokens is not null then greatest(0, floor(least(per_minute / 60.0 * ${BURST_SECONDS},
                   tokens + extract(epoch from clock_timestamp() - refilled_at) * per_minute / 60)))::int
                 else greatest(0, per_minute - (select count(*) from jsonb_to_recordset(calls) as c (at float8)
                   where c.at > extract(epoch from clock_timestamp()) - ${WINDOW_SECONDS}))::int end as "callsLeft"
       from provider_budgets where per_minute > 0 order by provider, bucket, environment`,
  )
  return rows
}
