import type { Environment } from '@payments/kernel'
import { dueInTurns, type Runtime, type SqlExecutor, sqlOf, type UnitOfWork } from '@payments/platform'
import { SendEntity } from '../../entity.ts'
import { sendMachine } from '../../states/states.ts'
import type { Kind } from '../../transfers/kinds.ts'
import { FEED_SOON, LOST_SECONDS, nextCheck, SEND } from '../schedule.ts'
import { EQUAL_IN_DOUBT, looksLike } from './equal.ts'
import { CALL_SECONDS } from './evidence.ts'

// The only writer of `cngn_sends`: each function is one event of `sendMachine`, or changes when something is due.

type Event = (typeof sendMachine.events)[number]
type Status = keyof typeof sendMachine.states

const statuses = Object.keys(sendMachine.states) as Status[]
const quoted = (states: readonly Status[]) => states.map((state) => `'${state}'`).join(', ')

/** SQL: the states in which an event happens. */
const before = (event: Event): string => quoted(statuses.filter((state) => sendMachine.step(state, event)))

/** The state that an event leads to: the same from each state. */
function after(event: Event): Status {
  const [to, ...others] = new Set(statuses.flatMap((state) => sendMachine.step(state, event) ?? []))
  if (!to || others.length > 0) throw new Error(`${event} does not lead to one state`)
  return to
}

/**
 * Applies an event to the order `$1`, where it is possible and the condition holds. `set` may use `$2` and so on.
 * @returns the columns of the order that changed; undefined when none did
 */
async function move(
  db: SqlExecutor,
  event: Event,
  id: string,
  { set, where = 'true', values = [] }: { set: string; where?: string; values?: readonly unknown[] },
): Promise<{ environment: Environment; account: string } | undefined> {
  const { rows } = await db.query<{ environment: Environment; account: string }>(
    `update cngn_sends s set status = '${after(event)}', ${set}
      where id = $1 and status in (${before(event)}) and (${where}) returning environment, account`,
    [id, ...values],
  )
  return rows[0]
}

/** The order of a new object, with the commit that creates and reserves it. */
export function insertSend(
  unit: UnitOfWork,
  row: Readonly<Record<'id' | 'organisationId' | 'account' | 'fingerprint', string>> & {
    readonly environment: Environment
    readonly kind: Kind
    readonly createdAt: Date
  },
): void {
  unit.insert(SendEntity, {
    ...row,
    status: sendMachine.initial,
    attempts: 0,
    sentAt: null,
    firstSentAt: null,
    failedAt: null,
    refusal: null,
    releasedAt: null,
    nextSendAt: row.createdAt,
    reference: null,
    matched: false,
    absentSince: null,
    surplus: 0n,
    nextCheckAt: null,
    checkSeconds: 0,
    ended: false,
    nextDeliveryAt: null,
    deliverySeconds: 2,
    error: null,
    maybeSentFrom: null,
    maybeSentUntil: null,
  })
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}

export interface ClaimedSend {
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly environment: Environment
}

/** Takes orders that wait, one of each organisation in turn, and postpones them, so that no other process takes them. */
export async function claimSends(runtime: Runtime, environment: Environment, limit: number): Promise<ClaimedSend[]> {
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_send_at', where: "environment = $1 and status = 'queued'", limit: '$2' })})
     update cngn_sends s set next_send_at = now() + make_interval(secs => $3)
      where s.id = any (array(select id from due)) and status = 'queued' and next_send_at <= now()
      returning s.id, kind, organisation_id`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({ id: row.id, kind: row.kind, organisationId: row.organisation_id, environment }))
}

/** An order that waits is tried again after so many seconds. */
export const postpone = (unit: UnitOfWork, id: string, seconds: number, error: string | null = null) =>
  sqlOf(unit.em).query(
    "update cngn_sends set next_send_at = now() + make_interval(secs => $2), error = coalesce($3, error) where id = $1 and status = 'queued'",
    [id, seconds, error],
  )

/**
 * The provider is called next. False: it must wait, may have been sent already, or has ended. Each statement sees what was committed
 * before it, so this one checks again all that makes an order wait: an equal one may have been found since.
 */
export const claim = async (unit: UnitOfWork, id: string, amount: bigint | null): Promise<boolean> =>
  Boolean(
    await move(sqlOf(unit.em), 'claim', id, {
      set: `sent_at = clock_timestamp(), first_sent_at = coalesce(first_sent_at, clock_timestamp()), attempts = attempts + 1,
            error = null, absent_since = null, failed_at = null, refusal = null,
            surplus = coalesce((select difference from cngn_treasuries where environment = s.environment and difference > 0
                                 and differs_since < now() - interval '5 minutes'), 0)`,
      where: `maybe_sent_until is null and not exists (${EQUAL_IN_DOUBT}) and not exists (${looksLike('$2')})`,
      values: [amount],
    }),
  )

/**
 * An order that a process may have sent which a restored database has forgotten is one without an answer: the lists find it, or find
 * that it was not sent. Equal ones one after the other, so that a movement never fits two, and the oldest first: what left before an
 * order existed is one of an older order, and while no order has it, the treasury has fallen by more than the orders explain.
 */
export async function doubt(unit: UnitOfWork, id: string): Promise<boolean> {
  const from = 'greatest(maybe_sent_from, created_at)'
  const moved = await move(sqlOf(unit.em), 'doubt', id, {
    set: `sent_at = ${from}, first_sent_at = least(first_sent_at, ${from}), error = null, absent_since = null, failed_at = null,
          refusal = null, surplus = 0`,
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
  Boolean(
    await move(sqlOf(unit.em), 'hold', id, { set: 'error = $2', where: 'released_at is null', values: [because] }),
  )

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
    await move(db, 'hold', id, {
      set: 'sent_at = clock_timestamp(), error = $2',
      values: ['cngn_maybe_sent' satisfies HeldBecause],
    }),
  )
}

/** An operator releases it: it is sent, for whichever reason it was held. */
export async function releaseHeld(unit: UnitOfWork, id: string): Promise<boolean> {
  const moved = await move(sqlOf(unit.em), 'requeue', id, {
    set: `sent_at = null, error = null, released_at = now(), next_send_at = now(), maybe_sent_from = null, maybe_sent_until = null`,
    where: "status = 'held'",
  })
  if (moved) unit.afterCommit(() => unit.runtime.trigger(SEND))
  return Boolean(moved)
}

/** No call was made, or the provider recognises its orders: it waits again. */
export const notCalled = (unit: UnitOfWork, id: string, seconds: number, because: string | null) =>
  move(sqlOf(unit.em), 'requeue', id, {
    set: 'sent_at = null, absent_since = null, next_send_at = now() + make_interval(secs => $2), error = $3',
    where: "status = 'claimed'",
    values: [seconds, because],
  })

/** The call failed: whether it was sent is unknown. */
export const lose = (unit: UnitOfWork, id: string, error: string) =>
  move(sqlOf(unit.em), 'lose', id, {
    set: 'failed_at = clock_timestamp(), refusal = null, error = $2',
    values: [error],
  })

/**
 * The provider says that it initiated nothing (`not_initiated`: it may be asked again after so many seconds) or refuses the order
 * (`refusal`: why the object fails). That is believed once its list shows nothing else.
 */
export const refuse = (unit: UnitOfWork, id: string, refusal: string, seconds: number, because: string | null) =>
  move(sqlOf(unit.em), 'lose', id, {
    set: 'failed_at = clock_timestamp(), refusal = $2, next_send_at = now() + make_interval(secs => $3), error = $4',
    values: [refusal, seconds, because ?? refusal],
  })

/** Calls that were never answered, because their process died, are over. */
export const loseUnanswered = (runtime: Runtime, environment: Environment, account: string, seconds: number) =>
  runtime.pool.query(
    `update cngn_sends set status = 'unresolved', error = coalesce(error, 'cngn_no_answer'), failed_at = sent_at + make_interval(secs => $3)
      where environment = $1 and account = $2 and status = 'claimed' and sent_at < now() - make_interval(secs => $3)`,
    [environment, account, seconds],
  )

/** Nothing was sent, by the evidence of the lists: it waits again, and not before the provider wants to be asked. */
export async function sendAgain(unit: UnitOfWork, id: string): Promise<boolean> {
  const moved = await move(sqlOf(unit.em), 'requeue', id, {
    set: `sent_at = null, absent_since = null, maybe_sent_from = null, maybe_sent_until = null,
          next_send_at = case when refusal is null then now() else greatest(next_send_at, now()) end`,
    where: "status <> 'held'",
  })
  if (moved) unit.afterCommit(() => unit.runtime.trigger(SEND))
  return Boolean(moved)
}

/** The first complete list that did not show an order; null: one showed something that could be it. */
export const noteAbsent = (unit: UnitOfWork, id: string, since: Date | null) =>
  sqlOf(unit.em).query(
    'update cngn_sends set absent_since = $2 where id = $1 and absent_since is distinct from $2::timestamptz',
    [id, since],
  )

/** SQL: another order has the reference `$2`. */
const HELD_BY_ANOTHER = `exists (select from cngn_sends other
  where other.environment = s.environment and other.account = s.account and other.reference = $2 and other.id <> $1)`

/**
 * The provider's reference of an order becomes known; false when it was already, or when another order keeps it. `matched`: the order
 * was found by what it looks like. Equal orders need not wait any more.
 *
 * An equal order keeps what it was found by: it was sent first, and one movement pays one of the two, whichever. The other stays unresolved,
 * and is sent again once the lists show no second movement.
 */
export async function resolve(unit: UnitOfWork, id: string, reference: string, matched = false): Promise<boolean> {
  const db = sqlOf(unit.em)
  // What the provider says itself is better than what another order was found by.
  if (!matched)
    await db.query(
      `update cngn_sends o set status = 'unresolved', ${UNMATCHED} from cngn_sends s
        where s.id = $1 and o.environment = s.environment and o.account = s.account and o.reference = $2 and o.id <> s.id
          and o.fingerprint is distinct from s.fingerprint and o.matched and o.status = 'accepted'`,
      [id, reference],
    )
  const moved = await move(db, 'find', id, {
    set: `reference = $2, matched = $3, sent_at = coalesce(sent_at, clock_timestamp()), absent_since = null, error = null,
          refusal = null, next_check_at = now(), check_seconds = 0`,
    where: `not ${HELD_BY_ANOTHER}`,
    values: [reference, matched],
  })
  if (moved) await freeEqual(unit, id)
  return Boolean(moved)
}

/** SQL: what looked like the order is not it. Lists from now on say whether it was sent. */
const UNMATCHED =
  'reference = null, matched = false, absent_since = null, next_check_at = null, failed_at = clock_timestamp(), refusal = null'

/** The movement that was found for an order is not it. False: an equal order is in doubt, and a movement would fit both. */
export async function unmatch(unit: UnitOfWork, id: string, reference: string): Promise<boolean> {
  const db = sqlOf(unit.em)
  const moved = await move(db, 'release', id, {
    set: UNMATCHED,
    where: `reference = $2 and not exists (${EQUAL_IN_DOUBT} and o.sent_at is not null)`,
    values: [reference],
  })
  if (moved)
    await db.query(
      'insert into cngn_listed (environment, account, reference, listed_at) values ($1, $2, $3, now()) on conflict do nothing',
      [moved.environment, moved.account, reference],
    )
  return Boolean(moved)
}

/** The answer names a reference when the order has ended, or a list has shown it before: what the provider lists of it is compared with that. */
export const confirm = (unit: UnitOfWork, id: string, reference: string) =>
  sqlOf(unit.em).query(
    `update cngn_sends s set reference = $2, matched = false, next_check_at = coalesce(next_check_at, now())
      where id = $1 and ((reference is null and status = 'ended' and not ${HELD_BY_ANOTHER}) or (reference = $2 and matched))`,
    [id, reference],
  )

/**
 * Nothing more happens to an order. `watch`: it failed; for a while it is asked whether it was paid after all. `reference`: an operator
 * knows it.
 */
export async function endSend(
  unit: UnitOfWork,
  id: string,
  { watch = false, reference = null }: { readonly watch?: boolean; readonly reference?: string | null } = {},
): Promise<void> {
  await sqlOf(unit.em).query(
    `update cngn_sends set status = 'ended', next_delivery_at = null, reference = coalesce(reference, $3),
            next_check_at = case when $2 and coalesce(reference, $3) is not null then now() end where id = $1`,
    [id, watch, reference],
  )
  await freeEqual(unit, id)
}

/** The equal order that waits longest is sent next, at a cost that does not grow with the number of those that wait. */
async function freeEqual(unit: UnitOfWork, id: string): Promise<void> {
  await sqlOf(unit.em).query(
    `with equal as materialized (
       select w.id from cngn_sends s join cngn_sends w on w.environment = s.environment and w.fingerprint = s.fingerprint
        where s.id = $1 and w.status = 'queued'
        order by w.next_send_at limit 1 for update of w skip locked)
     update cngn_sends o set next_send_at = least(o.next_send_at, now()) from equal where o.id = equal.id`,
    [id],
  )
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}

/** The cNGN of a convert has been sent: from now on its delivery is polled. False: it is already. */
export const startDelivery = async (unit: UnitOfWork, id: string): Promise<boolean> =>
  Boolean(await move(sqlOf(unit.em), 'deliver', id, { set: 'next_delivery_at = now(), next_check_at = null' }))

export interface ClaimedDelivery {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly seconds: number
}

/** Takes converts whose delivery is due for a poll, and postpones them, so that no other process takes them. */
export async function claimDeliveries(
  runtime: Runtime,
  environment: Environment,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await runtime.pool.query<{ id: string; organisation_id: string; delivery_seconds: number }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_delivery_at', where: 'environment = $1 and next_delivery_at is not null', limit: '$2' })})
     update cngn_sends s set next_delivery_at = now() + make_interval(secs => greatest($3, delivery_seconds))
      where s.id = any (array(select id from due)) and next_delivery_at <= now()
      returning s.id, organisation_id, delivery_seconds`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisation_id,
    environment,
    seconds: row.delivery_seconds,
  }))
}

/** A delivery that has not ended is polled again after so many seconds. */
export const postponeDelivery = (unit: UnitOfWork, id: string, seconds: number) =>
  sqlOf(unit.em).query(
    `update cngn_sends set next_delivery_at = now() + make_interval(secs => $2::int), delivery_seconds = $2::int
      where id = $1 and status = 'delivering'`,
    [id, seconds],
  )

/** It is asked for by its reference now, and next time later: see `CHECK`. One that failed is, for a week. */
export const checkLater = ({ pool }: Runtime, id: string, soonest: number) =>
  pool.query(
    `update cngn_sends set ${nextCheck("status = 'ended' and sent_at < now() - interval '7 days'")} where id = $1`,
    [id, soonest],
  )

/** Orders that have no reference may have been sent in the time that a restored database has forgotten. Returns those that wait. */
export async function doubtForgotten(
  db: SqlExecutor,
  from: Date,
  to: Date,
): Promise<{ environment: Environment; waiting: number }[]> {
  const { rows } = await db.query<{ environment: Environment; waiting: number }>(
    `with doubtful as (
       update cngn_sends set maybe_sent_from = $1, maybe_sent_until = $2, absent_since = null
        where status in (${IN_DOUBT_OR_QUEUED}) returning environment, sent_at)
     select environment, count(*)::int as waiting from doubtful where sent_at is null group by environment order by environment`,
    [from, to],
  )
  return rows
}

/**
 * May the provider still answer or carry out a call for this order? Until then its outcome is unknown, and its money must stay reserved. The
 * order stays locked. One that the provider has accepted is not asked for: it has an end of its own.
 */
export async function isUnderWay(unit: UnitOfWork, id: string): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query<{ under_way: boolean }>(
    `select status in ('claimed', 'unresolved') and sent_at > clock_timestamp() - make_interval(secs => $2) as under_way
       from cngn_sends where id = $1 for update`,
    [id, CALL_SECONDS],
  )
  return rows[0]?.under_way === true
}
