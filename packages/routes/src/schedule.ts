import type { RouteRow } from './entity.ts'

/** Channel on which a route whose look was brought forward createTriggers the poller. */
export const POLL = 'routes.poll'

/** After creation: a merchant who tries a new route out pays at once. */
export const FIRST_POLL_SECONDS = 15
/** While money is on its way. */
export const SOON_SECONDS = 2
/** A deposit that is on its way for longer is stuck: a provider delivers within minutes. */
export const STUCK_SECONDS = 3600
/** The longest pause between two looks at an idle route, and at one that was deleted. */
const LONGEST_SECONDS = 3600
const LONGEST_DELETED_SECONDS = 86_400
const DAY_SECONDS = 86_400
const JITTER = 0.2

/** When to look at a route again: soon while money moves, else after double the pause, give or take a fifth, so that routes made together spread. */
export function nextPoll(
  route: Pick<RouteRow, 'status' | 'pollSeconds'>,
  moving: boolean,
  now: number = Date.now(),
): Pick<RouteRow, 'pollSeconds' | 'nextPollAt'> {
  const longest = route.status === 'deleted' ? LONGEST_DELETED_SECONDS : LONGEST_SECONDS
  const pollSeconds = moving ? SOON_SECONDS : Math.min(route.pollSeconds * 2, longest)
  const jitter = 1 + (Math.random() * 2 - 1) * JITTER
  return { pollSeconds, nextPollAt: new Date(now + pollSeconds * jitter * 1000) }
}

/**
 * The share of looks that ask for everything there ever was, and not for changes alone: one a day, whatever the pause between two. So a
 * deposit that the provider showed late, with an old time, is found all the same.
 */
export const fullSyncShare = (pollSeconds: number): number => Math.min(1, pollSeconds / DAY_SECONDS)
