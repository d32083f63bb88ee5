import type { Environment } from '@payments/kernel'
import type { Runtime } from '@payments/platform'

/** Names of the tasks: money out, the provider's lists, and deliveries of converts. */
export const SEND = 'cngn.send'
export const FEED = 'cngn.feed'
export const DELIVERY = 'cngn.delivery'

/** Reads a provider's list soon: something was sent or may have arrived. The first use of an account starts its list now. */
export async function pollFeedSoon(
  runtime: Runtime,
  environment: Environment,
  account: string,
  now = false,
): Promise<void> {
  await runtime.pool.query(FEED_SOON, [environment, account, now ? 0 : SOON_SECONDS])
  if (now) runtime.trigger(FEED)
}

const SOON_SECONDS = 2
/** A poll that was claimed by a process that died is due again after this. */
export const LOST_SECONDS = 30
/** How far the provider's clock may be behind or before ours, seconds. */
export const SKEW_SECONDS = 120
/** How far a poll goes back beyond what it has to, seconds: for movements that a provider lists late. */
export const LATE_SECONDS = 600 + SKEW_SECONDS
/** How long an account in which nothing is in flight is not polled, at most. */
const IDLE_SECONDS = 3600

/** SQL: the list of an account (`$2`) is due in `$3` seconds at the latest. */
export const FEED_SOON = `insert into cngn_feeds as f (environment, account, next_poll_at, poll_seconds, checked_at)
  values ($1, $2, now() + make_interval(secs => $3), ${SOON_SECONDS}, now())
  on conflict (environment, account) do update
    set next_poll_at = least(f.next_poll_at, excluded.next_poll_at), poll_seconds = least(f.poll_seconds, excluded.poll_seconds)
  where f.next_poll_at > excluded.next_poll_at or f.poll_seconds > excluded.poll_seconds`

/** The interval to the next poll, seconds: soon after a change, then double the last one. */
export function nextInterval(
  last: number,
  { changed, open }: { readonly changed: boolean; readonly open: boolean },
  { soonest, longest }: { readonly soonest: number; readonly longest: number },
): number {
  if (changed) return soonest
  return Math.min(Math.max(last * 2, soonest), open ? longest : Math.max(longest, IDLE_SECONDS))
}

/** A movement is asked for again after twice the time each time, until it is this long, seconds. */
const LATEST_CHECK_SECONDS = 3600

/** SQL: when a movement is asked for by its reference again, `$2` seconds after the first time; never when it is over. */
export const nextCheck = (over: string): string =>
  `check_seconds = least(${LATEST_CHECK_SECONDS}, greatest($2::int, check_seconds * 2)),
  next_check_at = case when ${over} then null
    else now() + make_interval(secs => least(${LATEST_CHECK_SECONDS}, greatest($2::int, check_seconds * 2))) end`
