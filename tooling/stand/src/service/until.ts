import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  readonly patienceMs?: number
  readonly everyMs?: number
}

/** Waits until something is so, a minute at most unless it is told otherwise. @throws Error with `what` when it is not in time */
export async function until(
  what: string,
  reached: () => Promise<boolean> | boolean,
  { patienceMs = 60_000, everyMs = 200 }: Patience = {},
): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await reached()); await sleep(everyMs))
    if (Date.now() > end) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
}
