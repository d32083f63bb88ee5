import type { Log } from '@payments/platform'

const FIRST_MS = 10_000
const AGAIN_MS = 30_000

/** Does something that may take long, and says in the log that the process waits for it: first after 10 s, then every 30 s. */
export async function waitingFor<T>(what: string, log: Log, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  let timer: NodeJS.Timeout
  const say = () => {
    log.warn({ seconds: Math.round((performance.now() - since) / 1000) }, `waiting for ${what}`)
    timer = setTimeout(say, AGAIN_MS)
  }
  timer = setTimeout(say, FIRST_MS)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}
