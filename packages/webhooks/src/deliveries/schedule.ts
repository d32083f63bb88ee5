/** Seconds before each attempt, counted from the previous one (eight attempts in total). */
export const SCHEDULE_SECONDS = [0, 30, 300, 1800, 7200, 28_800, 86_400, 144_000] as const

/** The longest accepted `Retry-After`: the wait before the last attempt. */
const LONGEST_SECONDS = 144_000

/**
 * Seconds until the attempt after `made` attempts, ±10 %; undefined when there is none left. `retryAfter` can only
 * lengthen the wait. `random` is in [0, 1).
 */
export function nextDelay(made: number, retryAfter: number | undefined, random = Math.random()): number | undefined {
  const planned = SCHEDULE_SECONDS[made]
  if (planned === undefined) return undefined
  const jittered = planned * (0.9 + random * 0.2)
  return Math.max(jittered, Math.min(retryAfter ?? 0, LONGEST_SECONDS))
}

/** The header `Retry-After` (RFC 9110: seconds or a date) in seconds from `now`; undefined when it is neither. */
export function retryAfterSeconds(header: string | undefined, now = new Date()): number | undefined {
  const text = header ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  if (!/[A-Za-z]{3}/.test(text) || Number.isNaN(at)) return undefined
  return Math.max(0, (at - now.getTime()) / 1000)
}
