import { type NextPoll, pollAfter, pollQueue, type UnitOfWork } from '@payments/platform'
import { PollEntity, type PollRow, type RouteRow } from '../entity.ts'

/** NOTIFY channel that triggers the poller when a route's next poll was moved forward. */
export const POLL = 'routes.poll'
export const polls = pollQueue({ table: 'payment_route_polls', task: POLL })

/** Poll interval after creation: a merchant who tries a new route usually pays at once. */
export const FIRST_POLL_SECONDS = 15
/** Poll interval after a change, and while a deposit is new. */
export const SOON_SECONDS = 2
/** A deposit that is pending for longer counts as stuck: a provider delivers within minutes. */
export const STUCK_SECONDS = 3600
/** What has waited for some time is asked for after another part of that time. */
const PART_OF_AGE = 1 / 8
/** The longest poll interval of an idle route and of a deleted route. */
const LONGEST_SECONDS = 3600
const LONGEST_DELETED_SECONDS = 86_400
const DAY_SECONDS = 86_400
/** The longest poll interval of a hidden route whose payer has just begun, and the shortest after nobody is expected any more. */
const WATCHED_SECONDS = 30
const UNWATCHED_SECONDS = 3600
const LONGEST_UNWATCHED_SECONDS = 7 * DAY_SECONDS

type Polled = Pick<RouteRow, 'status'> &
  Pick<PollRow, 'pollSeconds'> &
  Partial<Pick<RouteRow, 'hidden' | 'createdAt'> & Pick<PollRow, 'watchedUntil'>>

/** What a poll found: since when its oldest deposit is pending, and whether anything changed. */
export interface Found {
  readonly pendingSince: Date | null
  readonly changed: boolean
}

/**
 * The next poll interval: short after a change, an eighth of its age while a deposit is pending, else double the last one, with 20 % jitter so
 * that routes created together spread.
 */
export function nextPoll(route: Polled, { pendingSince, changed }: Found, now: number = Date.now()): NextPoll {
  const pollSeconds = pendingSince
    ? clamp(ageOf(pendingSince, now) * PART_OF_AGE, SOON_SECONDS, LONGEST_SECONDS)
    : isUnwatched(route, now)
      ? clamp(route.pollSeconds * 2, UNWATCHED_SECONDS, LONGEST_UNWATCHED_SECONDS)
      : changed
        ? SOON_SECONDS
        : Math.min(route.pollSeconds * 2, longestInterval(route, now))
  return pollAfter(pollSeconds, now)
}

/**
 * Schedules the first poll of a new route, with the commit that creates it.
 * @param watchedUntil until when the payer of a hidden route is expected
 */
export function startPolls(
  unit: UnitOfWork,
  { id, organisationId, environment, provider, createdAt }: RouteRow,
  watchedUntil: Date | null = null,
): void {
  const nextPollAt = new Date(createdAt.getTime() + FIRST_POLL_SECONDS * 1000)
  const next = { nextPollAt, pollSeconds: FIRST_POLL_SECONDS }
  unit.insert(PollEntity, { id, organisationId, environment, provider, ...next, watchedUntil })
}

/** Polls a route of the actor's tenant now: something has changed in the sandbox. */
export async function pollNow(unit: UnitOfWork, id: string): Promise<void> {
  await unit.em.nativeUpdate(PollEntity, { id }, { nextPollAt: new Date(), pollSeconds: SOON_SECONDS })
  unit.afterCommit(() => unit.runtime.trigger(POLL))
}

const clamp = (seconds: number, least: number, most: number): number =>
  Math.round(Math.min(Math.max(seconds, least), most))

const ageOf = (since: Date, now: number): number => (now - since.getTime()) / 1000

const isUnwatched = ({ hidden, watchedUntil }: Polled, now: number): boolean =>
  hidden === true && (!watchedUntil || watchedUntil.getTime() <= now)

function longestInterval({ status, hidden, createdAt }: Polled, now: number): number {
  if (hidden) return clamp(createdAt ? ageOf(createdAt, now) * PART_OF_AGE : 0, WATCHED_SECONDS, LONGEST_SECONDS)
  return status === 'deleted' ? LONGEST_DELETED_SECONDS : LONGEST_SECONDS
}

/**
 * The share of polls that request the full history instead of changes alone: one a day, at any poll interval. So a
 * deposit that the provider listed late, with an old timestamp, is still found.
 */
export const fullSyncShare = (pollSeconds: number): number => Math.min(1, pollSeconds / DAY_SECONDS)
