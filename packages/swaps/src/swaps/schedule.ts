import { system } from '@payments/kernel'
import { type NextPoll, pollAfter, queryContext, type Runtime, type UnitOfWork } from '@payments/platform'
import { PollEntity, type PolledSwap, type PollRow, type SwapRow } from '../entity.ts'

/** NOTIFY channel that triggers the worker when a swap's next poll was moved forward. */
export const POLL = 'swaps.poll'

/** While money is at the deposit address, or a transaction is under way. */
const SOON_SECONDS = 2
/** While a deposit is expected: most payers pay within minutes, so the interval grows with the age of the swap. */
const WAITING_SECONDS = 5
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

/** The next poll of a swap. `moving`: its money is on the way, or has to be sent. */
export function nextPoll(
  swap: Pick<SwapRow, 'status' | 'depositsUntil' | 'createdAt'> & Pick<PollRow, 'pollSeconds'>,
  moving: boolean,
  now: number = Date.now(),
): NextPoll {
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
  { pollSeconds }: Pick<PollRow, 'pollSeconds'>,
  waits: boolean,
  now: number = Date.now(),
): NextPoll =>
  pollAfter(
    Math.min(Math.max(pollSeconds, SOON_SECONDS) * 2, waits ? LONGEST_REFUND_WAIT_SECONDS : FAILING_SECONDS),
    now,
  )

/** Schedules the first poll of a new swap, with the commit that creates it. */
export function startPolls(unit: UnitOfWork, { id, organisationId, environment, provider, createdAt }: SwapRow): void {
  const nextPollAt = new Date(createdAt.getTime() + WAITING_SECONDS * 1000)
  const next = { nextPollAt, pollSeconds: WAITING_SECONDS, failingSince: null, error: null, readTo: null }
  unit.insert(PollEntity, { id, organisationId, environment, provider, ...next })
}

/** A swap with how it is polled. */
export async function withPoll(runtime: Runtime, swap: SwapRow): Promise<PolledSwap> {
  const { em } = queryContext(runtime, system(swap.organisationId, swap.environment))
  const { nextPollAt, pollSeconds, failingSince, readTo } = await em.findOneOrFail(PollEntity, { id: swap.id })
  return { ...swap, nextPollAt, pollSeconds, failingSince, readTo }
}

/** Processes a swap of the actor's tenant soon. `dealtWith`: what failed before does not count any more. */
export async function pollNow(unit: UnitOfWork, id: string, dealtWith: boolean): Promise<void> {
  const cleared = dealtWith ? { failingSince: null, error: null } : { pollSeconds: SOON_SECONDS }
  await unit.em.nativeUpdate(PollEntity, { id }, { nextPollAt: new Date(), ...cleared })
}
