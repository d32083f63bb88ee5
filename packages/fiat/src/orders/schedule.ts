import { type Environment, isId } from '@payments/kernel'
import {
  ANNOUNCED_SQL,
  arrayOf,
  groupedBy,
  type NextPoll,
  pollAfter,
  pollQueue,
  type Runtime,
  type SqlExecutor,
  type UnitOfWork,
  unlessAnnounced,
} from '@payments/platform'
import { PollEntity } from '../entities/entity.ts'
import type { Direction } from '../provider/provider.ts'
import type { OrderRow } from './orders.ts'

/** Name of the task that polls the provider. */
export const POLL = 'fiat.poll'
export const polls = pollQueue({ table: 'fiat_polls', task: POLL })

const ANNOUNCE = `insert into fiat_polls as q (id, organisation_id, environment, provider, direction, next_poll_at, poll_seconds, created_at)
  select id, organisation_id, environment, provider, direction, ${ANNOUNCED_SQL}, $2, created_at
    from (select id, organisation_id, environment, provider, 'offramp' as direction, created_at from offramps
          union all select id, organisation_id, environment, provider, 'onramp', created_at from onramps) o
   where id = any ($1::uuid[]) and ($3::text is null or environment = $3) order by id
  on conflict (organisation_id, environment, id) do update set next_poll_at = excluded.next_poll_at, poll_seconds = least(q.poll_seconds, excluded.poll_seconds)`

/**
 * Makes orders due now, also where their polls have ended: the provider or an operator says that something has changed. One statement,
 * and no poll that was claimed before takes it back: {@link keepPolls} and {@link endPolls} heed it.
 * @param environment only its orders
 * @returns whether any order is known
 */
export async function announce(db: SqlExecutor, ids: readonly string[], environment?: Environment): Promise<boolean> {
  const { rows } = await db.query(`${ANNOUNCE} returning 1`, [ids.filter(isId), SOON_SECONDS, environment ?? null])
  return rows.length > 0
}

/** An order whose next poll is kept. */
export interface PolledOrder {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly provider: string
  readonly createdAt: Date
}

/**
 * Keeps with the commit when a locked order is polled next, also where its polls had ended.
 * @param cancelledSince since when the provider hides the order; as it was by default
 */
export function keepPolls(
  unit: UnitOfWork,
  direction: Direction,
  { id, organisationId, environment, provider, createdAt }: PolledOrder,
  { nextPollAt, pollSeconds }: NextPoll,
  cancelledSince?: Date | null,
): void {
  const values = [
    id,
    organisationId,
    environment,
    provider,
    direction,
    nextPollAt,
    pollSeconds,
    createdAt,
    cancelledSince ?? null,
  ]
  const text = `insert into fiat_polls as q (id, organisation_id, environment, provider, direction, next_poll_at, poll_seconds, created_at, cancelled_since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (organisation_id, environment, id) do update set poll_seconds = excluded.poll_seconds, failing_since = null, error = null,
            next_poll_at = ${unlessAnnounced('q.next_poll_at', 'excluded.next_poll_at')}
            ${cancelledSince === undefined ? '' : ', cancelled_since = excluded.cancelled_since'}`
  unit.appendToCommit({ text, values }, keyOf(id))
}

const keyOf = (id: string) => `fiat poll ${id}`

interface Postponed extends NextPoll {
  readonly id: string
  /** The interval with which it was claimed. */
  readonly was: number
}

// What another has locked gets its next poll from that, and what has changed meanwhile has another interval.
const POSTPONE = `with postponed as (
    select * from unnest(${arrayOf('uuid', '$1')}, $2::integer[], $3::integer[], $4::timestamptz[]) as n (id, was, seconds, at)
  ), free as (
    select id from fiat_polls where id = any (${arrayOf('uuid', '$1')}) order by id for no key update skip locked
  )
  update fiat_polls q set poll_seconds = n.seconds, failing_since = null, error = null, cancelled_since = null,
         next_poll_at = ${unlessAnnounced('q.next_poll_at', 'n.at')}
    from postponed n
   where q.id = any (array(select id from free)) and n.id = q.id and n.was = q.poll_seconds`

/** Postpones the next poll of an order of which nothing is new: one statement for all that are polled at the same time. It locks no order. */
export const postpone = groupedBy(async ({ pool }: Runtime, all: readonly Postponed[]) => {
  await pool.query(POSTPONE, [
    all.map(({ id }) => id),
    all.map(({ was }) => was),
    all.map(({ pollSeconds }) => pollSeconds),
    all.map(({ nextPollAt }) => nextPollAt),
  ])
  return all
})

/** Ends the polls of a locked order with the commit: nothing more can happen to it. */
export const endPolls = (unit: UnitOfWork, id: string): void =>
  unit.appendToCommit(
    { text: `delete from fiat_polls where id = $1 and next_poll_at <> ${ANNOUNCED_SQL}`, values: [id] },
    keyOf(id),
  )

/** Poll interval after creation, seconds: callbacks report a deposit sooner. */
const FIRST_POLL_SECONDS = 15
/** Poll interval after a change. */
export const SOON_SECONDS = 2
/** The longest interval while an order waits for money or moves it. */
const LONGEST_ACTIVE_SECONDS = 60
/** The longest interval while the provider does not report the outcome of the money, in the first minutes. */
const LONGEST_UNKNOWN_SECONDS = 5
const UNKNOWN_SECONDS = 300
/** The longest interval while the provider keeps money that must come back. */
const LONGEST_HELD_SECONDS = 3600
/** An order that its provider cancelled and hides for this long has failed: by then it would have been assigned again or refunded. */
export const CANCELLED_SECONDS = 1800
/**
 * Orders that ended are polled for two weeks, ten minutes to a day apart: for late money and late returns. They are never in
 * the queue of orders in flight (up to a minute), which they would slow down.
 */
const LONGEST_WATCH_SECONDS = 86_400
const SHORTEST_WATCH_SECONDS = 600
const WATCH_SECONDS = 14 * 86_400

/** What the next poll follows from. */
export interface Pollable {
  readonly status: string
  readonly updatedAt: Date
  readonly refund?: { readonly status: string } | null
  readonly failureReason?: string | null
  readonly receivedAmount?: bigint | null
  readonly providerOutcome?: string | null
}

const ACTIVE = new Set(['pending', 'processing', 'settled', 'awaiting_payment'])

/** The next poll of an order: soon after a change, else after double the last interval, longer once it has ended; null when nothing more can happen. */
export function nextPoll(order: Pollable, last: number, changed: boolean, now: number = Date.now()): NextPoll | null {
  const longest = longestInterval(order, now - order.updatedAt.getTime())
  if (longest === LONGEST_WATCH_SECONDS && now - order.updatedAt.getTime() > WATCH_SECONDS * 1000) return null
  const pollSeconds =
    longest === LONGEST_WATCH_SECONDS
      ? Math.min(Math.max(last * 2, SHORTEST_WATCH_SECONDS), longest)
      : changed
        ? SOON_SECONDS
        : Math.min(Math.max(last, 1) * 2, longest)
  return pollAfter(pollSeconds, now)
}

/** May money of the order be on its way? One that has ended is only watched. */
export const isInFlight = (order: Pollable): boolean => longestInterval(order, 0) !== LONGEST_WATCH_SECONDS

function longestInterval(order: Pollable, age: number): number {
  if (order.providerOutcome) return age < UNKNOWN_SECONDS * 1000 ? LONGEST_UNKNOWN_SECONDS : LONGEST_ACTIVE_SECONDS
  if (ACTIVE.has(order.status)) return LONGEST_ACTIVE_SECONDS
  if (order.status !== 'failed' || order.receivedAmount == null) return LONGEST_WATCH_SECONDS
  if (order.refund?.status === 'completed') return LONGEST_WATCH_SECONDS
  return order.refund?.status === 'pending' ? LONGEST_ACTIVE_SECONDS : LONGEST_HELD_SECONDS
}

/** Schedules the first poll of a new order, with the commit that creates it. */
export function startPolls(unit: UnitOfWork, direction: Direction, order: OrderRow): void {
  const { id, organisationId, environment, provider, createdAt } = order
  const next = {
    nextPollAt: new Date(createdAt.getTime() + FIRST_POLL_SECONDS * 1000),
    pollSeconds: FIRST_POLL_SECONDS,
  }
  const polled = { failingSince: null, error: null, cancelledSince: null }
  unit.insert(PollEntity, { id, organisationId, environment, provider, direction, ...next, ...polled, createdAt })
}

/** Schedules the next poll of an order that an operator settled: a report that contradicts is still noticed. */
export function schedulePolls(unit: UnitOfWork, direction: Direction, order: OrderRow): void {
  const next = nextPoll(order, SOON_SECONDS, true)
  if (next) keepPolls(unit, direction, order, next)
}
