import { type Actor, errors } from '@payments/kernel'

/** Bounds the operations of each organisation that run at the same time in this process. */
export interface ConcurrencyLimit {
  /**
   * Runs `work` when the organisation has a free place. The service itself and anonymous callers are not bounded here: tasks have
   * bounds of their own, and rate limits count anonymous callers by address.
   * @throws organisation_busy 429 when too many operations wait already, or when none of the running ones ends in time
   */
  run<T>(actor: Actor, work: () => Promise<T>): Promise<T>
}

interface Places {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * `running` operations of one organisation at a time, and more while fewer than `shared` of all run: what others do not use need not be
 * idle, and is theirs again as soon as an operation ends. Of those that wait for it, the organisation with the fewest is next. Up to `waiting`
 * more of each wait, first come first served, at most `waitSeconds`. So one organisation never occupies all database connections, however
 * many requests it sends. Where places pause, an organisation that never stops asking has the database for half of the time at most.
 */
export function concurrencyLimit(bounds: {
  running: number
  shared: number
  waiting: number
  waitSeconds: number
  /** A place stays taken after its operation for as long as that took. */
  pauses?: boolean
}): ConcurrencyLimit {
  const byOrganisation = new Map<string, Places>()
  let all = 0

  const start = (places: Places): void => {
    places.running++
    all++
  }
  const isFree = (places: Places): boolean => places.running < bounds.running || all < bounds.shared

  async function enter(places: Places): Promise<void> {
    if (isFree(places)) return start(places)
    if (places.waiting.length >= bounds.waiting) throw errors.organisation_busy({ retryAfter: 1 })
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        places.waiting.splice(places.waiting.indexOf(next), 1)
        reject(errors.organisation_busy({ retryAfter: 1 }))
      }, bounds.waitSeconds * 1000)
      places.waiting.push(next)
    })
  }

  /** The place of an operation that has ended passes to one that waits. */
  function leave(own: Places): void {
    own.running--
    all--
    const waiting = [...byOrganisation.values()].filter((places) => places.waiting.length > 0 && isFree(places))
    const [next] = waiting.sort((a, b) => a.running - b.running)
    if (!next) return
    start(next)
    next.waiting.shift()?.()
  }

  return {
    async run({ kind, organisationId }, work) {
      if (kind === 'anonymous' || kind === 'system') return work()
      const places = byOrganisation.get(organisationId) ?? { running: 0, waiting: [] }
      byOrganisation.set(organisationId, places)
      await enter(places)
      const started = performance.now()
      const end = () => {
        leave(places)
        if (places.running === 0) byOrganisation.delete(organisationId)
      }
      try {
        return await work()
      } finally {
        if (bounds.pauses) setTimeout(end, performance.now() - started).unref()
        else end()
      }
    },
  }
}
