import type { RouteRow } from './entity.ts'

/** NOTIFY channel that triggers the poller when a route's next poll was moved forward. */
export const POLL = 'routes.poll'

/** Poll interval after creation: a merchant who tries a new route usually pays at once. */
export const FIRST_POLL_SECONDS = 15
/** Poll interval while a deposit is pending. */
export const SOON_SECONDS = 2
/** A deposit that is pending for longer counts as stuck: a provider delivers within minutes. */
export const STUCK_SECONDS = 3600
/** The longest poll interval of an idle route and of a deleted route. */
const LONGEST_SECONDS = 3600
const LONGEST_DELETED_SECONDS = 86_400
const DAY_SECONDS = 86_400
/** The longest poll interval of a hidden route while its payer is expected, and afterwards. */
const LONGEST_WATCHED_SECONDS = 30
const LONGEST_UNWATCHED_SECONDS = 7 * DAY_SECONDS
const JITTER = 0.2

/** The next poll interval: short while a deposit is pending, else double the last one, with 20 % jitter so that routes created together spread. */
export function nextPoll(
  route: Pick<RouteRow, 'status' | 'pollSeconds'> & Partial<Pick<RouteRow, 'hidden' | 'watchedUntil'>>,
  moving: boolean,
  now: number = Date.now(),
): Pick<RouteRow, 'pollSeconds' | 'nextPollAt'> {
  const longest = longestInterval(route, now)
  const pollSeconds = moving ? SOON_SECONDS : Math.min(route.pollSeconds * 2, longest)
  const jitter = 1 + (Math.random() * 2 - 1) * JITTER
  return { pollSeconds, nextPollAt: new Date(now + pollSeconds * jitter * 1000) }
}

function longestInterval({ status, hidden, watchedUntil }: Parameters<typeof nextPoll>[0], now: number): number {
  if (hidden) return watchedUntil && watchedUntil.getTime() > now ? LONGEST_WATCHED_SECONDS : LONGEST_UNWATCHED_SECONDS
  return status === 'deleted' ? LONGEST_DELETED_SECONDS : LONGEST_SECONDS
}

/**
 * The share of polls that request the full history instead of changes alone: one a day, at any poll interval. So a
 * deposit that the provider listed late, with an old timestamp, is still found.
 */
export const fullSyncShare = (pollSeconds: number): number => Math.min(1, pollSeconds / DAY_SECONDS)
