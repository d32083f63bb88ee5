import type { Environment, SqlExecutor } from '@payments/kernel'
import { no } from './refusals.ts'

/** Seconds of the provider's limit that may gather while nothing is asked; also how far merchants may run ahead of it. */
const BURST_SECONDS = 10
/** Routes of one round at most, whatever has gathered. */
const ROUND = 200
/** The share of a round kept for routes that have been idle, so that busy ones cannot starve them. */
const IDLE_SHARE = 0.2
/** A route that was claimed and of which nothing more is heard is due again after this. */
const LOST_SECONDS = 30

export interface Claimed {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
}

/**
 * Takes the routes whose look is due, as many as the provider's limit allows over all processes, and puts their next look
 * off, so that none is taken twice. One statement, whatever the number of routes; routes where money moved lately first.
 */
export async function claim(db: SqlExecutor, environment: Environment, callsPerMinute: number): Promise<Claimed[]> {
  const { rows } = await db.query<{ id: string; organisation_id: string }>(
    `with allowance as (
       select least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - counted_at) * $2) as calls
         from provider_allowances where environment = $1 for update
     ), room as (
       select greatest(0, least(floor(calls), $4))::int as all_of_it from allowance
     ), soon as (
       select id from payment_routes
        where environment = $1 and poll_seconds <= 60 and next_poll_at <= now()
        order by next_poll_at limit (select all_of_it - floor(all_of_it * $5::float8 + random())::int from room)
        for update skip locked
     ), later as (
       select id from payment_routes
        where environment = $1 and poll_seconds > 60 and next_poll_at <= now()
        order by next_poll_at limit (select all_of_it - (select count(*) from soon) from room)
        for update skip locked
     ), taken as (
       update payment_routes set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, $6))
        where id in (select id from soon union all select id from later)
       returning id, organisation_id
     ), counted as (
       update provider_allowances set calls = (select calls from allowance) - (select count(*) from taken), counted_at = clock_timestamp()
        where environment = $1
     )
     select id, organisation_id from taken`,
    [environment, callsPerMinute / 60, BURST_SECONDS, ROUND, IDLE_SHARE, LOST_SECONDS],
  )
  return rows.map((row) => ({ id: row.id, organisationId: row.organisation_id, environment }))
}

/** Counts the calls that a look took beyond the one it was let go ahead with: an address with many changes has many pages. */
export async function charge(db: SqlExecutor, environment: Environment, calls: number): Promise<void> {
  await db.query('update provider_allowances set calls = calls - $2 where environment = $1', [environment, calls])
}

/**
 * Counts a look that a merchant asked for. It goes ahead of the polls, which then wait for it.
 * @throws Refusal 503 when merchants alone have used up the limit.
 */
export async function spend(db: SqlExecutor, environment: Environment, callsPerMinute: number): Promise<void> {
  const { rows } = await db.query<{ calls: number }>(
    `update provider_allowances
        set calls = least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - counted_at) * $2) - 1,
            counted_at = clock_timestamp()
      where environment = $1
        and calls + extract(epoch from clock_timestamp() - counted_at) * $2 > -$2::float8 * $3
      returning calls`,
    [environment, callsPerMinute / 60, BURST_SECONDS],
  )
  if (rows.length === 0) throw no.provider_unavailable({ retryAfter: 1 })
}
