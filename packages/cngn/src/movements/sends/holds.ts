import type { Environment } from '@payments/kernel'
import { type Runtime, type SqlExecutor, sqlOf, type UnitOfWork, withSameCredentials } from '@payments/platform'
import type { Kind } from '../../kinds/kinds.ts'
import { FEED_SOON, SEND } from '../../provider/schedule.ts'
import { EQUAL_IN_DOUBT, looksLike } from './equal.ts'
import { ANYWHERE, fingerprintOf } from './fingerprint.ts'
import { move, quoted } from './table.ts'

// Writes of `cngn_sends`: orders that are held, that a restored database may have forgotten, or that belong to other credentials.

/**
 * An order that a process may have sent which a restored database has forgotten is one without an answer: the lists find it, or find
 * that it was not sent. Equal ones one after the other, so that a movement never fits two, and the oldest first: what left before an
 * order existed is one of an older order, and while no order has it, the treasury has fallen by more than the orders explain.
 */
export async function doubt(unit: UnitOfWork, id: string, credentials: string | null): Promise<boolean> {
  const from = 'greatest(maybe_sent_from, created_at)'
  const moved = await move(unit, 'doubt', id, {
    set: `sent_at = ${from}, first_sent_at = least(first_sent_at, ${from}), error = null, absent_since = null, failed_at = null,
          refusal = null, surplus = 0, credentials = coalesce(credentials, $2)`,
    values: [credentials],
    where: `maybe_sent_until is not null and not exists (
      select from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.status in (${IN_DOUBT_OR_QUEUED})
         and (o.sent_at is not null or (o.maybe_sent_until is not null and (o.created_at, o.id) < (s.created_at, s.id))))`,
  })
  if (moved) await sqlOf(unit.em).query(FEED_SOON, [moved.environment, moved.account, 0])
  return Boolean(moved)
}

/** SQL: the states of an order that has no reference and has not ended. */
const IN_DOUBT_OR_QUEUED = quoted(['queued', 'claimed', 'unresolved', 'held'])

/** Why an order is held: its organisation was suspended, or money that looks like it left in the time that a restored database forgot. */
type HeldBecause = 'organisation_suspended' | 'cngn_maybe_sent'

/** It is not sent before an operator releases it. No attempt was made. */
export const hold = async (unit: UnitOfWork, id: string, because: 'organisation_suspended'): Promise<boolean> =>
  Boolean(await move(unit, 'hold', id, { set: 'error = $2', where: 'released_at is null', values: [because] }))

/**
 * An order that looks like money which left without an order, in the time that a restored database has forgotten, may be the request
 * that was forgotten, made again. It is not sent: an operator knows which of the two it is.
 */
export async function holdForgotten(unit: UnitOfWork, id: string, amount: bigint | null): Promise<boolean> {
  const db = sqlOf(unit.em)
  const { rows } = await db.query(
    `with same as (
       select f.* from cngn_sends s cross join lateral (${looksLike('$2')} order by f.at, f.reference limit 1 for update of f) f
        where s.id = $1 and s.status = 'queued' and not exists (${EQUAL_IN_DOUBT}))
     update cngn_forgotten f set order_id = $1 from same
      where (f.environment, f.account, f.reference) = (same.environment, same.account, same.reference) returning 1`,
    [id, amount],
  )
  if (rows.length === 0) return false
  return Boolean(
    await move(unit, 'hold', id, {
      set: 'sent_at = clock_timestamp(), error = $2',
      values: ['cngn_maybe_sent' satisfies HeldBecause],
    }),
  )
}

/**
 * An operator releases it: it is sent, for whichever reason it was held. One that a restored database may have forgotten to have been
 * released and sent stays in doubt: see {@link doubt}.
 */
export async function releaseHeld(unit: UnitOfWork, id: string): Promise<boolean> {
  const moved = await move(unit, 'requeue', id, {
    set: 'sent_at = null, error = null, released_at = now(), next_send_at = now()',
    where: "status = 'held'",
  })
  if (moved) unit.afterCommit(() => unit.runtime.trigger(SEND))
  return Boolean(moved)
}

/** Orders that have no reference may have been sent in the time that a restored database has forgotten. Returns those that wait. */
export async function doubtForgotten(
  db: SqlExecutor,
  from: Date,
  to: Date,
): Promise<{ environment: Environment; waiting: number }[]> {
  const { rows } = await db.query<{ environment: Environment; waiting: number }>(
    `with doubtful as (
       update cngn_sends set maybe_sent_from = least(maybe_sent_from, $1), maybe_sent_until = $2, absent_since = null
        where status in (${IN_DOUBT_OR_QUEUED}) returning environment, sent_at)
     select environment, count(*)::int as waiting from doubtful where sent_at is null group by environment order by environment`,
    [from, to],
  )
  return rows
}

/**
 * Money out that waits for a second person may have been approved and sent in the time that a restored database has forgotten. Until the lists
 * show whether it was, it has an order that may have been sent, and nobody answers it. Where a convert was sent to is not known: the
 * approval asked for another address. Returns how much waits.
 */
export async function doubtWaiting(
  db: SqlExecutor,
  from: Date,
  to: Date,
): Promise<{ environment: Environment; waiting: number }[]> {
  const { rows } = await db.query<{
    id: string
    environment: Environment
    kind: Kind
    account: string
    amount: string
    target: string
  }>(
    `select id, environment, kind, account, amount::text,
            case kind when 'payout' then account_number when 'withdrawal' then address else '${ANYWHERE}' end as target
       from cngn_transfers where approval_status = 'waiting' order by id`,
  )
  const counts = new Map<Environment, number>()
  for (const { id, environment, kind, account, amount, target } of rows) {
    const channel = kind === 'payout' ? 'payout' : 'withdrawal'
    await db.query(
      `insert into cngn_sends (id, organisation_id, environment, kind, account, fingerprint, attempts, next_send_at, delivery_seconds,
                               maybe_sent_from, maybe_sent_until, created_at)
       select id, organisation_id, environment, kind, account, $2, 0, now(), 2, $3, $4, created_at from cngn_transfers where id = $1
       on conflict (id) do nothing`,
      [id, fingerprintOf(account, channel, BigInt(amount), target), from, to],
    )
    counts.set(environment, (counts.get(environment) ?? 0) + 1)
  }
  return [...counts].map(([environment, waiting]) => ({ environment, waiting }))
}

/** Has money out that waits for a second person an order? Then it is not known yet whether it was sent: see {@link doubtWaiting}. */
export async function isInDoubt(unit: UnitOfWork, id: string): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query('select 1 from cngn_sends where id = $1', [id])
  return rows.length > 0
}

/** Money out that waits for a second person was not sent: it has no order, as before the database was restored. */
export const dropQueued = (unit: UnitOfWork, id: string) =>
  sqlOf(unit.em).query("delete from cngn_sends where id = $1 and status = 'queued'", [id])

/** Is the order one that was sent with other credentials than those of now? */
export async function isOfOthers(unit: UnitOfWork, id: string, now: string | null): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query(
    `select 1 from cngn_sends where id = $1 and not ${withSameCredentials('$2')}`,
    [id, now],
  )
  return rows.length > 0
}

/** When orders of other credentials than those of now (`$3`) were claimed last, since a time: the journal has them, the account of now does not. */
export async function sentElsewhere(
  { pool }: Runtime,
  values: readonly [environment: Environment, account: string, now: string | null, since: Date],
): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | string | null }>(
    `select max(sent_at) as at from cngn_sends
      where environment = $1 and account = $2 and sent_at >= $4 and not ${withSameCredentials('$3')}`,
    [...values],
  )
  return rows[0]?.at ? new Date(rows[0].at) : null
}

/** Orders of an account (`$1`, `$2`) go from credentials (`$3`) to others (`$4`): what has not ended, and what lists may still be compared with. */
export const bindSends = (db: SqlExecutor, values: readonly string[]) =>
  db.query(
    `update cngn_sends set credentials = $4 where environment = $1 and account = $2 and credentials = $3
        and (status <> 'ended' or next_check_at is not null or sent_at > now() - interval '30 days')`,
    [...values],
  )
