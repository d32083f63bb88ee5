/**
 * The next value of a strictly rising `updatedAt`: now, or one millisecond after the last one where the clock has not
 * moved on (or has moved back). Callers hold the row's lock, so receivers can order snapshots by it.
 */
export function risingAfter(last: Date, now: Date = new Date()): Date {
  return now > last ? now : new Date(last.getTime() + 1)
}
