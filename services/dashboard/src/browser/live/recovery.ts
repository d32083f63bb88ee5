import { CallError } from '@payments/client'
import type { Query, QueryClient } from '@tanstack/react-query'
import { waitMs } from './allowance.ts'

/** What could not be read is read again this often, ms. */
const AGAIN_MS = 5000
const SERVICE_FAILED = 500
const TOO_MANY = 429

/** True if the same call may succeed later: the service was not reached, failed, or had too much to do. */
export function isTemporary(error: unknown): boolean {
  const status = error instanceof CallError ? error.status : undefined
  return status === undefined || status === TOO_MANY || status >= SERVICE_FAILED
}

/**
 * Reads what is shown and could not be read again, until it is: every five seconds while the tab is visible, and once the network is back.
 * Meanwhile the error stays on the screen.
 */
export function recoverReads(queries: QueryClient): void {
  const cache = queries.getQueryCache()
  let timer: ReturnType<typeof setTimeout> | undefined
  const failed = () =>
    cache.findAll({
      type: 'active',
      fetchStatus: 'idle',
      predicate: ({ state: { status, error } }) => status === 'error' && isTemporary(error),
    })
  const schedule = () => {
    if (timer === undefined && document.visibilityState !== 'hidden' && failed().length > 0)
      timer = setTimeout(read, Math.max(AGAIN_MS, waitMs()))
  }
  const read = () => {
    clearTimeout(timer)
    timer = undefined
    if (document.visibilityState === 'hidden') return
    const again = new Set(failed())
    void queries.refetchQueries({ predicate: (query) => again.has(query) })
  }
  /** Why a query that is shown has nothing to show. */
  const errors = new WeakMap<Query, Error>()
  cache.subscribe((event) => {
    const { query } = event
    const { data, error, status } = query.state
    if (event.type === 'observerRemoved' && query.getObserversCount() === 0) errors.delete(query)
    if (event.type === 'observerAdded') schedule()
    if (event.type !== 'updated') return
    if (status === 'error') schedule()
    if (data === undefined && error) errors.set(query, error)
    else if (event.action.type !== 'fetch') errors.delete(query)
    // The library forgets it when it reads again.
    const kept = errors.get(query)
    if (event.action.type === 'fetch' && status === 'pending' && kept) query.setState({ status: 'error', error: kept })
  })
  document.addEventListener('visibilitychange', schedule)
  addEventListener('online', read)
}
