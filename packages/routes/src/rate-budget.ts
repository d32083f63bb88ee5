import type { Environment } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'
import { errors } from './errors.ts'

/** Seconds of the provider's limit that accumulate while nothing is called; also how far merchants may run ahead of it. */
const BURST_SECONDS = 10
/** The share of a round kept for idle routes, so that busy ones cannot starve them. */
const IDLE_SHARE = 0.2
/** A route that was claimed by a process that died is due again after this. */
const LOST_SECONDS = 30

/** Due routes among which organisations take turns: enough for any claim, and few enough to rank each time. */
const WINDOW = 2000

/** SQL: due routes of one queue, one of each organisation in turn, and the longest due first within each. */
const inTurns = (queue: string): string => `
       select p.id from (
         select id, next_poll_at, row_number() over (partition by organisation_id order by next_poll_at) as turn
           from (select id, organisation_id, next_poll_at from payment_routes
                  where environment = $1 and ${queue} and next_poll_at <= now() order by next_poll_at limit ${WINDOW}) due) ranked
         join payment_routes p on p.id = ranked.id
        where p.next_poll_at <= now() order by ranked.turn, ranked.next_poll_at`

export interface ClaimedRoute {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
}

/**
 * Takes due routes, at most `limit` and as many as the provider's rate budget allows over all processes, and postpones
 * their next poll, so that none is taken twice. One statement for any number of routes; routes with recent
 * deposits come first, and organisations take turns.
 */
export async function claimDueRoutes(
  db: SqlExecutor,
  environment: Environment,
  callsPerMinute: number,
  limit: number,
): Promise<ClaimedRoute[]> {
  const { rows } = await db.query<{ id: string; organisation_id: string }>(
    `with budget as (
       select least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) as calls
         from provider_rate_budgets where environment = $1 for update
     ), room as (
       select greatest(0, least(floor(calls), $4))::int as total from budget
     ), soon as (
       ${inTurns('poll_seconds <= 60')} limit (select total - floor(total * $5::float8 + random())::int from room)
        for update of p skip locked
     ), later as (
       ${inTurns('poll_seconds > 60')} limit (select total - (select count(*) from soon) from room)
        for update of p skip locked
     ), claimed as (
       update payment_routes set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, $6))
        where id in (select id from soon union all select id from later)
       returning id, organisation_id
     ), consumed as (
       update provider_rate_budgets
          set calls = (select calls from budget) - (select count(*) from claimed), refilled_at = clock_timestamp()
        where environment = $1
     )
     select id, organisation_id from claimed`,
    [environment, callsPerMinute / 60, BURST_SECONDS, limit, IDLE_SHARE, LOST_SECONDS],
  )
  return rows.map((row) => ({ id: row.id, organisationId: row.organisation_id, environment }))
}

/** Consumes the calls that a poll needed beyond its first: an address with many changes has many pages. */
export async function consume(db: SqlExecutor, environment: Environment, calls: number): Promise<void> {
  await db.query('update provider_rate_budgets set calls = calls - $2 where environment = $1', [environment, calls])
}

/**
 * Consumes one call for a poll that a merchant asked for. It goes ahead of the scheduled polls, which wait for it.
 * @throws provider_unavailable 503 when merchants alone have used up the budget
 */
export async function tryConsume(db: SqlExecutor, environment: Environment, callsPerMinute: number): Promise<void> {
  const { rows } = await db.query<{ calls: number }>(
    `update provider_rate_budgets
        set calls = least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) - 1,
            refilled_at = clock_timestamp()
      where environment = $1
        and calls + extract(epoch from clock_timestamp() - refilled_at) * $2 > -$2::float8 * $3
      returning calls`,
    [environment, callsPerMinute / 60, BURST_SECONDS],
  )
  if (rows.length === 0) throw errors.provider_unavailable({ retryAfter: 1 })
}
