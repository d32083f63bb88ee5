/**
 * The next value of an `updatedAt` that must rise strictly: now, or one millisecond after the last value if the clock has
 * not advanced (or was set back). The caller holds the row's lock, so webhook receivers can order snapshots by this value.
 */
export function risingAfter(last: Date, now: Date = new Date()): Date {
  return now > last ? now : new Date(last.getTime() + 1)
}
