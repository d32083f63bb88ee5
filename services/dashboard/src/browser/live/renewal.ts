import type { Query, QueryClient } from '@tanstack/react-query'
import { waitMs } from './allowance.ts'

/** Changes that arrive together are read together, ms. */
const TOGETHER = 250

/** Reads again what is shown, after it has changed. */
export interface Renewal {
  /** Says that something has changed: what was read before, or is being read, may be older. */
  changed(): void
  end(): void
}

/**
 * Reads again what is kept under a key and was read before the last change: each read at most once in `apart` ms, one at a time, only while
 * the tab is visible, and no more than the allowance of the tab leaves. However often something changes, what changed last is read.
 */
export function renewal(queries: QueryClient, key: string, apart: number): Renewal {
  const cache = queries.getQueryCache()
  /** When each read began. One from before has no time, and is as old as any. */
  const begun = new WeakMap<Query, number>()
  let changedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  const beginOf = (query: Query) => begun.get(query) ?? Number.NEGATIVE_INFINITY
  const outdated = () =>
    cache.findAll({
      queryKey: [key],
      type: 'active',
      fetchStatus: 'idle',
      predicate: (query) => !query.isStatic() && beginOf(query) <= changedAt,
    })
  const schedule = () => {
    if (timer !== undefined || document.visibilityState === 'hidden') return
    const due = outdated().map((query) => beginOf(query) + apart)
    if (due.length > 0) timer = setTimeout(read, Math.max(TOGETHER, waitMs(), Math.min(...due) - performance.now()))
  }
  const read = () => {
    timer = undefined
    if (document.visibilityState !== 'hidden' && waitMs() === 0) {
      const now = performance.now()
      const due = new Set(outdated().filter((query) => beginOf(query) + apart <= now))
      void queries.refetchQueries({ predicate: (query) => due.has(query) })
    }
    schedule()
  }
  const leave = cache.subscribe((event) => {
    if (event.query.queryKey[0] !== key) return
    // Reading on says nothing about the pages before.
    if (event.type === 'updated' && event.action.type === 'fetch' && !event.action.meta)
      begun.set(event.query, performance.now())
    else if (event.type === 'updated' || event.type === 'observerAdded') schedule()
  })
  document.addEventListener('visibilitychange', schedule)
  return {
    changed() {
      changedAt = performance.now()
      schedule()
    },
    end() {
      leave()
      document.removeEventListener('visibilitychange', schedule)
      clearTimeout(timer)
    },
  }
}
