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
 * `running` operations of one organisation at a time; up to `waiting` more wait, first come first served, at most
 * `waitSeconds`. So one organisation never occupies all database connections, however many requests it sends.
 */
export function concurrencyLimit(bounds: { running: number; waiting: number; waitSeconds: number }): ConcurrencyLimit {
  const byOrganisation = new Map<string, Places>()

  async function enter(places: Places): Promise<void> {
    if (places.running < bounds.running) {
      places.running++
      return
    }
    if (places.waiting.length >= bounds.waiting) throw errors.organisation_busy({ retryAfter: 1 })
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        places.waiting.splice(places.waiting.indexOf(start), 1)
        reject(errors.organisation_busy({ retryAfter: 1 }))
      }, bounds.waitSeconds * 1000)
      places.waiting.push(start)
    })
  }

  return {
    async run({ kind, organisationId }, work) {
      if (kind === 'anonymous' || kind === 'system') return work()
      const places = byOrganisation.get(organisationId) ?? { running: 0, waiting: [] }
      byOrganisation.set(organisationId, places)
      await enter(places)
      try {
        return await work()
      } finally {
        // The place passes to the first that waits.
        const next = places.waiting.shift()
        if (next) next()
        else if (--places.running === 0) byOrganisation.delete(organisationId)
      }
    },
  }
}
