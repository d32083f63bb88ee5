import type { SwapRow } from './entity.ts'

/** NOTIFY channel that triggers the worker when a swap's next poll was moved forward. */
export const POLL = 'swaps.poll'

/** While money is at the deposit address, or a transaction is under way. */
export const SOON_SECONDS = 2
/** While a deposit is expected. */
export const WAITING_SECONDS = 5
/** The longest interval between two attempts of a swap that cannot be processed. */
const FAILING_SECONDS = 60
/** The longest interval of a swap that has ended: late deposits to its address are still sent back. */
const LONGEST_SECONDS = 86_400
const DAY_MS = 86_400_000
const JITTER = 0.2

type Poll = Pick<SwapRow, 'pollSeconds' | 'nextPollAt'>

/** The next poll of a swap. `moving`: its money is on the way, or has to be sent. */
export function nextPoll(
  swap: Pick<SwapRow, 'status' | 'pollSeconds' | 'depositsUntil'>,
  moving: boolean,
  now: number = Date.now(),
): Poll {
  if (moving) return after(SOON_SECONDS, now)
  if (swap.status === 'awaiting_deposit') return after(WAITING_SECONDS, now)
  // Payers who are late are late by minutes, so the first hours are watched closely.
  const fresh = now - swap.depositsUntil.getTime() < DAY_MS ? 3600 : LONGEST_SECONDS
  return after(Math.min(Math.max(swap.pollSeconds, WAITING_SECONDS) * 2, fresh), now)
}

/** The next attempt after one that failed. */
export const nextAttempt = ({ pollSeconds }: Pick<SwapRow, 'pollSeconds'>, now: number = Date.now()): Poll =>
  after(Math.min(Math.max(pollSeconds, SOON_SECONDS) * 2, FAILING_SECONDS), now)

function after(pollSeconds: number, now: number): Poll {
  const jitter = 1 + (Math.random() * 2 - 1) * JITTER
  return { pollSeconds, nextPollAt: new Date(now + pollSeconds * jitter * 1000) }
}
