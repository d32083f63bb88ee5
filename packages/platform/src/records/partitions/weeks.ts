const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The Monday 00:00 UTC with which the week of a time begins. */
export const mondayOf = (time: number): Date =>
  new Date(Math.floor((time - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS)

export const weekAfter = (monday: Date): Date => new Date(monday.getTime() + WEEK_MS)

/** `2026-11-23`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** When rows have to be created to be kept now. */
export const keptSince = (days: number): Date => new Date(Date.now() - days * DAY_MS)
