import { isId } from '@payments/kernel'
import { type NextPoll, pollAfter, pollQueue, type SqlExecutor } from '@payments/platform'

/** Name of the task that polls the provider. */
export const POLL = 'fiat.poll'
export const polls = pollQueue({ table: 'fiat_polls', task: POLL })

const RESUME = `insert into fiat_polls (id, organisation_id, environment, provider, direction, next_poll_at, poll_seconds, created_at)
  select id, organisation_id, environment, provider, direction, now(), $2, created_at
    from (select id, organisation_id, environment, provider, 'offramp' as direction, created_at from offramps
          union all select id, organisation_id, environment, provider, 'onramp', created_at from onramps) o
   where id = any ($1::uuid[])
  on conflict (id) do nothing`

/** Makes orders whose polls have ended due now: the provider or an operator says that something has changed. Others stay as they are. */
export const resumePolls = (db: SqlExecutor, ids: readonly string[]): Promise<unknown> =>
  db.query(RESUME, [ids.filter(isId), SOON_SECONDS])

/** Poll interval after creation, seconds: callbacks report a deposit sooner. */
export const FIRST_POLL_SECONDS = 15
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

function longestInterval(order: Pollable, age: number): number {
  if (order.providerOutcome) return age < UNKNOWN_SECONDS * 1000 ? LONGEST_UNKNOWN_SECONDS : LONGEST_ACTIVE_SECONDS
  if (ACTIVE.has(order.status)) return LONGEST_ACTIVE_SECONDS
  if (order.status !== 'failed' || order.receivedAmount == null) return LONGEST_WATCH_SECONDS
  if (order.refund?.status === 'completed') return LONGEST_WATCH_SECONDS
  return order.refund?.status === 'pending' ? LONGEST_ACTIVE_SECONDS : LONGEST_HELD_SECONDS
}
