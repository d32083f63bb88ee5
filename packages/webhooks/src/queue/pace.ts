/** Attempts per minute to an endpoint that has never answered 2xx: half of them at once, the others one by one. */
export const UNANSWERED_PER_MINUTE = 10

const BURST = UNANSWERED_PER_MINUTE / 2
/** More than anybody claims. */
const ALL = 1000
/** Seconds between attempts after the first {@link BURST}. */
const INTERVAL = 60 / (UNANSWERED_PER_MINUTE - BURST)

/**
 * SQL on a queue `q`: how many attempts may begin now. `paced_until` is the theoretical arrival time of the generic cell rate
 * algorithm (ITU-T I.371): within any minute there are at most {@link UNANSWERED_PER_MINUTE}.
 */
export const PACED_ROOM = `case when q.answered_at is not null then ${ALL} when q.paced_until <= now() then ${BURST}
  else greatest(0, ${BURST} - ceil(extract(epoch from q.paced_until - now()) / ${INTERVAL}))::int end`

/** SQL: `paced_until` of a queue `q` after so many more attempts. */
export const pacedAfter = (attempts: string): string =>
  `greatest(q.paced_until, now()) + make_interval(secs => ${INTERVAL} * (${attempts}))`

/** SQL: a due time, not before the pace of a queue `q` that has not answered allows an attempt. */
export const paced = (due: string, answered: string, pacedUntil = 'q.paced_until'): string =>
  `greatest(${due}, case when not (${answered}) then ${pacedUntil} - make_interval(secs => ${INTERVAL * (BURST - 1)}) end)`
