import type { Environment } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'
import { errors } from './errors.ts'
import type { Direction } from './provider.ts'

/** Seconds of the provider's limit that accumulate while nothing is called; also how far operators may run ahead of it. */
const BURST_SECONDS = 10
/** The share of a round kept for orders that ended while some are due, so that those in flight cannot starve them. */
const LATER_SHARE = 0.2
/** An order that was claimed by a process that died is due again after this. */
const LOST_SECONDS = 30

export interface ClaimedOrder {
  readonly id: string
  readonly direction: Direction
  readonly organisationId: string
  readonly environment: Environment
  readonly pollSeconds: number
}

/**
 * Takes due orders, at most `limit` and as many as the provider's rate budget allows over all processes, and postpones
 * their next poll, so that none is taken twice. One statement for any number of orders; those in flight come first.
 */
export async function claimDueOrders(
  db: SqlExecutor,
  environment: Environment,
  callsPerMinute: number,
  limit: number,
): Promise<ClaimedOrder[]> {
  const { rows } = await db.query<{ id: string; direction: Direction; organisation_id: string; poll_seconds: number }>(
    `with budget as (
       select least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) as calls
         from fiat_rate_budgets where environment = $1 for update
     ), room as (
       select greatest(0, least(floor(calls), $4))::int as total, exists (
                select from fiat_polls where environment = $1 and poll_seconds > 60 and next_poll_at <= now()) as shared
         from budget
     ), soon as (
       select id from fiat_polls
        where environment = $1 and poll_seconds <= 60 and next_poll_at <= now()
        order by next_poll_at limit (select total - case when shared then floor(total * $5::float8 + random())::int else 0 end from room)
        for update skip locked
     ), later as (
       select id from fiat_polls
        where environment = $1 and poll_seconds > 60 and next_poll_at <= now()
        order by next_poll_at limit (select total - (select count(*) from soon) from room)
        for update skip locked
     ), claimed as (
       update fiat_polls set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, $6))
        where id in (select id from soon union all select id from later)
       returning id, direction, organisation_id, poll_seconds
     ), consumed as (
       update fiat_rate_budgets
          set calls = (select calls from budget) - (select count(*) from claimed), refilled_at = clock_timestamp()
        where environment = $1
     )
     select id, direction, organisation_id, poll_seconds from claimed`,
    [environment, callsPerMinute / 60, BURST_SECONDS, limit, LATER_SHARE, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.id,
    direction: row.direction,
    organisationId: row.organisation_id,
    environment,
    pollSeconds: row.poll_seconds,
  }))
}

/** Consumes the calls that a poll needed beyond its first. */
export async function consume(db: SqlExecutor, environment: Environment, calls: number): Promise<void> {
  await db.query('update fiat_rate_budgets set calls = calls - $2 where environment = $1', [environment, calls])
}

/**
 * Consumes one call for a poll that an operator asked for. It goes ahead of the scheduled polls, which wait for it.
 * @throws fiat_provider_unavailable 503 when such polls alone have used up the budget
 */
export async function tryConsume(db: SqlExecutor, environment: Environment, callsPerMinute: number): Promise<void> {
  const { rows } = await db.query<{ calls: number }>(
    `update fiat_rate_budgets
        set calls = least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) - 1,
            refilled_at = clock_timestamp()
      where environment = $1
        and calls + extract(epoch from clock_timestamp() - refilled_at) * $2 > -$2::float8 * $3
      returning calls`,
    [environment, callsPerMinute / 60, BURST_SECONDS],
  )
  if (rows.length === 0) throw errors.fiat_provider_unavailable({ retryAfter: 1 })
}
