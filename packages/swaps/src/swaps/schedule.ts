import { pollAfter } from '@payments/platform'
import type { SwapRow } from '../entity.ts'

/** NOTIFY channel that triggers the worker when a swap's next poll was moved forward. */
export const POLL = 'swaps.poll'

/** While money is at the deposit address, or a transaction is under way. */
export const SOON_SECONDS = 2
/** While a deposit is expected: most payers pay within minutes, so the interval grows with the age of the swap. */
export const WAITING_SECONDS = 5
const LONGEST_WAITING_SECONDS = 60
/** The interval is this part of the age. */
const AGE = 20
/** The longest interval between two attempts of a swap that cannot be processed. */
const FAILING_SECONDS = 60
/** The longest interval of a refund that waits for its receiver, or for the next day. */
const LONGEST_REFUND_WAIT_SECONDS = 3600
/** The longest interval of a swap that has ended: late deposits to its address are still sent back. */
const LONGEST_SECONDS = 86_400
const DAY_MS = 86_400_000

type Poll = Pick<SwapRow, 'pollSeconds' | 'nextPollAt'>

/** The next poll of a swap. `moving`: its money is on the way, or has to be sent. */
export function nextPoll(
  swap: Pick<SwapRow, 'status' | 'pollSeconds' | 'depositsUntil' | 'createdAt'>,
  moving: boolean,
  now: number = Date.now(),
): Poll {
  if (moving) return pollAfter(SOON_SECONDS, now)
  if (swap.status === 'awaiting_deposit') {
    const age = (now - swap.createdAt.getTime()) / 1000
    const seconds = Math.min(Math.max(Math.round(age / AGE), WAITING_SECONDS), LONGEST_WAITING_SECONDS)
    // Its end is not missed by an interval: a swap that has run out is expired soon.
    const left = (swap.depositsUntil.getTime() - now) / 1000
    return pollAfter(left > 0 ? Math.min(seconds, Math.max(Math.ceil(left), WAITING_SECONDS)) : WAITING_SECONDS, now)
  }
  // Payers who are late are late by minutes, so the first hours are watched closely.
  const fresh = now - swap.depositsUntil.getTime() < DAY_MS ? 3600 : LONGEST_SECONDS
  return pollAfter(Math.min(Math.max(swap.pollSeconds, WAITING_SECONDS) * 2, fresh), now)
}

/** The next attempt after one that failed. `waits`: nothing failed, but something outside this service must happen first. */
export const nextAttempt = (
  { pollSeconds }: Pick<SwapRow, 'pollSeconds'>,
  waits: boolean,
  now: number = Date.now(),
): Poll =>
  pollAfter(
    Math.min(Math.max(pollSeconds, SOON_SECONDS) * 2, waits ? LONGEST_REFUND_WAIT_SECONDS : FAILING_SECONDS),
    now,
  )
