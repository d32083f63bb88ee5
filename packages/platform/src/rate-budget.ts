import { defineEntity, p } from '@mikro-orm/core'
import type { Environment } from '@payments/kernel'
import { instant, tenant } from './entity.ts'
import type { RateBudget } from './operators.ts'
import { dueInTurns } from './turns.ts'
import type { SqlExecutor } from './unit.ts'

/** Seconds of a provider's limit that accumulate while nothing is called; also how far people may run ahead of it. */
const BURST_SECONDS = 10
/** Polls with a longer interval wait for nothing in particular. */
const SOON_SECONDS = 60
/** The share of a round kept for polls that are not soon, while some are due: those that are soon cannot starve them. */
const LATER_SHARE = 0.2
/** What was claimed by a process that died is due again after this. */
const LOST_SECONDS = 30
/** SQL: the due time of what a provider itself has announced. Earlier than any other, so that it is polled first. */
export const ANNOUNCED_SQL = "timestamptz '1970-01-01 00:00Z'"
/** An object whose poll is due, claimed for one process. `Extra`: the domain's own columns. */
export type ClaimedPoll<Extra extends string = never> = {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly pollSeconds: number
} & { readonly [column in Extra]: string }

export interface PollBudgetTables<Extra extends string> {
  /** The name of the provider that operators see. */
  readonly provider: string
  /** Has `id`, `organisation_id`, `environment`, `poll_seconds` and `next_poll_at`, with indexes on what is due, of both intervals, as {@link dueInTurns} needs. */
  readonly polls: string
  /** A table of {@link rateBudgetEntity}, with a row for each environment. */
  readonly budgets: string
  /** Further columns of `polls` with text. */
  readonly extra?: readonly Extra[]
}

/** The calls that may be made of a provider now, and the time of that number: a token bucket over all processes. */
export const rateBudgetEntity = (name: string, tableName: string) =>
  defineEntity({
    name,
    tableName,
    properties: { environment: tenant().environment.primary(), calls: p.double(), refilledAt: instant() },
  })

/** A provider's rate limit, which scheduled polls and people share over all processes. */
export function pollBudget<Extra extends string = never>({
  provider,
  polls,
  budgets,
  extra = [],
}: PollBudgetTables<Extra>) {
  const soon = `poll_seconds <= ${SOON_SECONDS}`
  const later = `poll_seconds > ${SOON_SECONDS}`
  const columns = ['id', 'organisation_id', 'poll_seconds', ...extra].join(', ')
  const claim = `
    with budget as (
       select least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) as calls
         from ${budgets} where environment = $1 for update
     ), room as (
       select greatest(0, least($7::int * greatest(floor(calls) - $8::int, least(floor(calls), ceil(announced.due::float8 / $7::int))), $4))::int as total,
              exists (select from ${polls} where environment = $1 and ${later} and next_poll_at <= now()) as shared
         from budget, (select count(*) as due from ${polls} where environment = $1 and ${soon} and next_poll_at = ${ANNOUNCED_SQL}) as announced
     ), share as (
       select total - case when shared then floor(total * $5::float8 + random())::int else 0 end as soon from room
     ), soon as (
       ${dueInTurns({ table: polls, at: 'next_poll_at', where: `environment = $1 and ${soon}`, limit: '(select soon from share)', few: true })}
     ), rest as (
       select total - (select count(*) from soon) as later from room
     ), later as (
       ${dueInTurns({ table: polls, at: 'next_poll_at', where: `environment = $1 and ${later}`, limit: '(select later from rest)', few: true })}
     ), claimed as (
       update ${polls} set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, $6))
        where id in (select id from soon union all select id from later)
       returning ${columns}
     ), consumed as (
       update ${budgets}
          set calls = (select calls from budget) - (select ceil(count(*)::float8 / $7::int) from claimed), refilled_at = clock_timestamp()
        where environment = $1
     )
     select ${columns} from claimed`
  return {
    /**
     * Takes what is due, at most `limit` and as many as the budget allows, and postpones its next poll, so that none is taken twice.
     * One statement for any number; what is polled soon comes first, and organisations take turns.
     * @param perCall how many one call of the provider polls
     * @param reserve calls that only what is due since {@link ANNOUNCED_SQL} may use
     */
    async claim(
      db: SqlExecutor,
      environment: Environment,
      callsPerMinute: number,
      limit: number,
      perCall = 1,
      reserve = 0,
    ): Promise<ClaimedPoll<Extra>[]> {
      const { rows } = await db.query<{ id: string; organisation_id: string; poll_seconds: number }>(claim, [
        environment,
        callsPerMinute / 60,
        BURST_SECONDS,
        limit,
        LATER_SHARE,
        LOST_SECONDS,
        perCall,
        reserve,
      ])
      return rows.map(({ organisation_id, poll_seconds, ...row }) => ({
        ...row,
        organisationId: organisation_id,
        environment,
        pollSeconds: poll_seconds,
      })) as unknown as ClaimedPoll<Extra>[]
    },

    /** Consumes the calls that a poll needed beyond its first. */
    async consume(db: SqlExecutor, environment: Environment, calls: number): Promise<void> {
      await db.query(`update ${budgets} set calls = calls - $2 where environment = $1`, [environment, calls])
    },

    /**
     * Consumes one call for a poll that a person asked for. It goes ahead of the scheduled polls, which wait for it.
     * @returns false when such polls alone have used up the budget
     */
    async tryConsume(db: SqlExecutor, environment: Environment, callsPerMinute: number): Promise<boolean> {
      const { rows } = await db.query(
        `update ${budgets}
            set calls = least($2::float8 * $3, calls + extract(epoch from clock_timestamp() - refilled_at) * $2) - 1,
                refilled_at = clock_timestamp()
          where environment = $1
            and calls + extract(epoch from clock_timestamp() - refilled_at) * $2 > -$2::float8 * $3
          returning 1`,
        [environment, callsPerMinute / 60, BURST_SECONDS],
      )
      return rows.length > 0
    },

    /** What operators see of it. */
    async read(db: SqlExecutor): Promise<RateBudget[]> {
      const { rows } = await db.query<{ environment: Environment; calls: number }>(
        `select environment, floor(calls)::int as calls from ${budgets} order by environment`,
      )
      return rows.map(({ environment, calls }) => ({ provider, environment, callsLeft: calls }))
    },
  }
}
