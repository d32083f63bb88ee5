import type { Runtime } from '@payments/platform'

const AGAIN_MS = 60_000
const GATHER_MS = 250
const REMEMBERED = 100_000

/** Notes which keys are in use; see {@link keyUses}. */
export interface KeyUses {
  note(keyId: string): void
}

/**
 * Writes `lastUsedAt` off the request path: uses are gathered for a quarter of a second and written in one statement, at
 * most once a minute for each key, across processes. Best effort: what a dying process had gathered is lost.
 */
export function keyUses(runtime: Pick<Runtime, 'pool' | 'log'>): KeyUses {
  const written = new Map<string, number>()
  const waiting = new Set<string>()

  function write(): void {
    const ids = [...waiting].sort()
    waiting.clear()
    runtime.pool
      .query(
        `update api_keys set last_used_at = now()
          where id = any($1::uuid[]) and (last_used_at is null or last_used_at < now() - make_interval(secs => $2))`,
        [ids, AGAIN_MS / 1000 - 1],
      )
      .catch((error: unknown) => runtime.log.debug({ err: error }, 'use of keys not written'))
  }

  return {
    note(keyId) {
      const now = Date.now()
      if (now - (written.get(keyId) ?? 0) < AGAIN_MS) return
      if (written.size >= REMEMBERED) written.clear()
      written.set(keyId, now)
      if (waiting.size === 0) setTimeout(write, GATHER_MS).unref()
      waiting.add(keyId)
    },
  }
}
