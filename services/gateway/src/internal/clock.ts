import type { Log, SqlExecutor } from '@payments/platform'

const EVERY_MS = 60_000
/** More than this is worth a warning, seconds: the doctor's limit, too. A token lasts minutes. */
const MOST = 2
/** An answer that took longer says too little about when it was given, ms. */
const LATE_MS = 1_000

/**
 * By how many seconds this machine's clock is ahead of the database's; undefined where the answer took so long that it says nothing.
 * @throws Error where the database does not answer
 */
export async function clockSkew(db: SqlExecutor, now: () => number = Date.now): Promise<number | undefined> {
  const before = now()
  const { rows } = await db.query<{ epoch: number }>('select extract(epoch from clock_timestamp())::float8 as epoch')
  const after = now()
  const answer = rows[0]
  if (!answer || after - before > LATE_MS) return undefined
  return (before + after) / 2000 - answer.epoch
}

export interface Clock {
  /** What was measured last; undefined before. */
  skew(): number | undefined
  stop(): void
}

/**
 * Compares the clock of this machine with the database's every minute. A clock that is an hour behind locks everybody out, because tokens and
 * codes seem to have expired: each time it is wrong, the log says by how much.
 */
export function watchClock(db: SqlExecutor, log: Log, now: () => number = Date.now): Clock {
  let latest: number | undefined
  const measure = async () => {
    // Without the database there is nothing to compare with, and others say that it is away.
    const skew = await clockSkew(db, now).catch(() => undefined)
    if (skew === undefined) return
    latest = skew
    if (Math.abs(skew) > MOST)
      log.warn({ seconds: Math.round(skew * 10) / 10 }, "the clock of this machine differs from the database's")
  }
  void measure()
  const timer = setInterval(measure, EVERY_MS)
  timer.unref()
  return { skew: () => latest, stop: () => clearInterval(timer) }
}
