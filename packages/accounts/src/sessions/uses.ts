import type { Runtime } from '@payments/platform'

const WRITE_INTERVAL_MS = 60_000
const BATCH_MS = 250
const MAX_REMEMBERED = 100_000

/** Records the uses of API keys, sessions or internal tokens; see {@link usesOf}. */
interface Uses {
  record(id: string): void
}

/**
 * Writes `lastUsedAt` outside the request: uses are collected for a quarter of a second and written in one statement, at
 * most once a minute for each key or session, across processes. Best effort: uses that a process collected before it died are lost.
 */
export function usesOf(
  runtime: Pick<Runtime, 'pool' | 'log'>,
  table: 'api_keys' | 'sessions' | 'internal_tokens',
): Uses {
  const written = new Map<string, number>()
  const pending = new Set<string>()

  function write(): void {
    const ids = [...pending].sort()
    pending.clear()
    runtime.pool
      .query(
        `update ${table} set last_used_at = now()
          where id = any($1::uuid[]) and (last_used_at is null or last_used_at < now() - make_interval(secs => $2))`,
        [ids, WRITE_INTERVAL_MS / 1000 - 1],
      )
      .catch((error: unknown) => runtime.log.debug({ err: error, table }, 'use not recorded'))
  }

  return {
    record(id) {
      const now = Date.now()
      if (now - (written.get(id) ?? 0) < WRITE_INTERVAL_MS) return
      if (written.size >= MAX_REMEMBERED) written.clear()
      written.set(id, now)
      if (pending.size === 0) setTimeout(write, BATCH_MS).unref()
      pending.add(id)
    },
  }
}
