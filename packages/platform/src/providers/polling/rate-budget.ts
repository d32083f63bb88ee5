import type { Carried, Environment, Provider } from '@payments/kernel'
import type { SqlExecutor } from '../../database/sql.ts'
import { dueInTurns } from '../../work/turns.ts'
import { BURST_SECONDS, type Budget } from './budgets.ts'
import { ANNOUNCED_SQL } from './poll-queue.ts'

/** Polls with a longer interval wait for nothing in particular. */
const SOON_SECONDS = 60
/** The share of a round kept for polls that are not soon, while some are due: those that are soon cannot starve them. */
const LATER_SHARE = 0.2
/** What was claimed by a process that died is due again after this. */
const LOST_SECONDS = 30
/** An object whose poll is due, claimed for one process. `Extra`: the domain's own columns. */
export type ClaimedPoll<Extra extends string = never> = {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly provider: string
  readonly pollSeconds: number
} & { readonly [column in Extra]: string }

export interface PollBudgetTables<Extra extends string> {
  /** Its name among the limits of the provider, such as `deposit polls`. */
  readonly bucket: string
  /** The limit whose pauses hold for polls too; its own where absent. */
  readonly pausedWith?: string
  /** Has `id`, `organisation_id`, `environment`, `provider`, `poll_seconds` and `next_poll_at`, with indexes on what is due, of both intervals, as {@link dueInTurns} needs. */
  readonly polls: string
  /** Further columns of `polls` with text. */
  readonly extra?: readonly Extra[]
}

/** Whose polls are limited. */
export interface PolledProvider {
  readonly provider: string
  readonly environment: Environment
  readonly callsPerMinute: number
}

/** The calls that may be made now; `$3`: calls a second. */
const REFILLED = `least($3::float8 * ${BURST_SECONDS}, coalesce(tokens, 0) + extract(epoch from clock_timestamp() - refilled_at) * $3)`

/** A provider's rate limit, which scheduled polls and people share over all processes: a token bucket for each provider. */
export function pollBudget<Extra extends string = never>(tables: PollBudgetTables<Extra>) {
  const { bucket, pausedWith = bucket, polls, extra = [] } = tables
  const keyOf = (limit: string) => `provider = $1 and bucket = '${limit}' and environment = $2`
  const key = keyOf(bucket)
  const soon = `poll_seconds <= ${SOON_SECONDS}`
  const later = `poll_seconds > ${SOON_SECONDS}`
  const columns = ['id', 'organisation_id', 'poll_seconds', ...extra].join(', ')
  const own = 'provider = $1 and environment = $2'
  const due = `select from ${polls} where ${own} and next_poll_at <= now() and`
  /** Asked before each claim, which takes several times as long, also when it takes nothing: a row where something is due. */
  const look = `
    select exists (select from provider_budgets where ${key}) as known,
           exists (select from provider_budgets where ${keyOf(pausedWith)} and paused_until > now()) as paused
      from (${due} ${soon} union all ${due} ${later} limit 1) as due`
  const claim = `
    with budget as (
       select ${REFILLED} as calls from provider_budgets where ${key} for update
     ), room as (
       select greatest(0, least($6::int * greatest(floor(calls) - $7::int, least(floor(calls), ceil(announced.due::float8 / $6::int))), $4))::int as total,
              coalesce((select next_poll_at <= now() from ${polls} where ${own} and ${later} order by next_poll_at limit 1), false) as shared
         from budget, (select count(*) as due from ${polls} where ${own} and ${soon} and next_poll_at = ${ANNOUNCED_SQL}) as announced
     ), share as (
       select total - case when shared then floor(total * ${LATER_SHARE} + random())::int else 0 end as soon from room
     ), soon as (
       ${dueInTurns({ table: polls, at: 'next_poll_at', where: `${own} and ${soon}`, limit: '(select soon from share)', few: true })}
     ), rest as (
       select total - (select count(*) from soon) as later from room
     ), later as (
       ${dueInTurns({ table: polls, at: 'next_poll_at', where: `${own} and ${later}`, limit: '(select later from rest)', few: true })}
     ), claimed as (
       update ${polls} set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, $5))
        where id = any (array(select id from soon union all select id from later))
       returning ${columns}
     ), consumed as (
       update provider_budgets
          set per_minute = round($3 * 60), tokens = (select calls from budget) - (select ceil(count(*)::float8 / $6::int) from claimed), refilled_at = clock_timestamp()
        where ${key}
     )
     select ${columns} from claimed`
  return {
    /** Where a pause that the provider asks for in a poll is kept, for the polls of all processes: while it lasts, nothing is claimed. */
    pauseOf: ({ name }: Provider, environment: Environment): Budget => ({
      provider: name,
      bucket: pausedWith,
      environment,
    }),

    /**
     * Takes what is due, at most `limit` and as many as the budget allows, and postpones its next poll, so that none is taken twice.
     * One statement for any number; what is polled soon comes first, and organisations take turns.
     * @param perCall how many one call of the provider polls
     * @param reserve calls that only what is due since {@link ANNOUNCED_SQL} may use
     */
    async claim(
      db: SqlExecutor,
      of: PolledProvider,
      limit: number,
      perCall = 1,
      reserve = 0,
    ): Promise<ClaimedPoll<Extra>[]> {
      const { provider, environment, callsPerMinute } = of
      const found = await db.query<{ known: boolean; paused: boolean }>(look, [provider, environment])
      const [seen] = found.rows
      if (!seen || seen.paused) return []
      if (!seen.known) await makeKnown(db, bucket, of)
      const { rows } = await db.query<{ id: string; organisation_id: string; poll_seconds: number }>(claim, [
        provider,
        environment,
        callsPerMinute / 60,
        limit,
        LOST_SECONDS,
        perCall,
        reserve,
      ])
      return rows.map(({ organisation_id, poll_seconds, ...row }) => ({
        ...row,
        organisationId: organisation_id,
        environment,
        provider,
        pollSeconds: poll_seconds,
      })) as unknown as ClaimedPoll<Extra>[]
    },

    /** Consumes the calls that a poll needed beyond its first. */
    async consume(db: SqlExecutor, { provider, environment }: Carried, calls: number): Promise<void> {
      await db.query(`update provider_budgets set tokens = tokens - $3 where ${key}`, [provider, environment, calls])
    },

    /**
     * Consumes one call for a poll that a person asked for. It goes ahead of the scheduled polls, which wait for it.
     * @returns false when such polls alone have used up the budget
     */
    async tryConsume(db: SqlExecutor, of: PolledProvider): Promise<boolean> {
      const { provider, environment, callsPerMinute } = of
      await makeKnown(db, bucket, of)
      const { rows } = await db.query(
        `update provider_budgets set tokens = ${REFILLED} - 1, refilled_at = clock_timestamp()
          where ${key} and coalesce(tokens, 0) + extract(epoch from clock_timestamp() - refilled_at) * $3 > -$3::float8 * ${BURST_SECONDS}
          returning 1`,
        [provider, environment, callsPerMinute / 60],
      )
      return rows.length > 0
    },
  }
}

/** Creates the row of a provider: nobody else does. Nothing was called before. */
async function makeKnown(db: SqlExecutor, bucket: string, of: PolledProvider): Promise<void> {
  await db.query(
    `insert into provider_budgets (provider, bucket, environment, tokens, refilled_at)
     values ($1, $2, $3, 0, now() - make_interval(secs => $4)) on conflict (provider, bucket, environment) do nothing`,
    [of.provider, bucket, of.environment, BURST_SECONDS],
  )
}
