/** A tab may make so many calls at once; after that one in this time, ms: a third of the 3000 in 15 minutes that a session has. */
const BURST = 30
const CALL_MS = 1000
/** What a tab is told to wait at most, however much its user or its polling has called, ms: reads become fewer, but never end. */
const LONGEST_WAIT_MS = 30_000

/** When all calls so far are paid for, one each {@link CALL_MS}. */
let paidAt = Number.NEGATIVE_INFINITY

/** Counts calls of the tab, whoever caused them. */
export function countCalls(calls: number): void {
  const now = performance.now()
  paidAt = Math.min(Math.max(paidAt, now - BURST * CALL_MS) + calls * CALL_MS, now + LONGEST_WAIT_MS)
}

/** How long the tab waits before it reads by itself, ms. */
export const waitMs = (): number => Math.max(0, paidAt - performance.now())
