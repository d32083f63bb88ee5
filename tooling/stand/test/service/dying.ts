import { setTimeout as pause } from 'node:timers/promises'
import type { Runtime } from '@payments/platform'
import type { TestService } from './service.ts'

/** A runtime whose transactions lose their connection before their statement number `cut`. */
export function dyingRuntime(service: TestService, cut: number): { runtime: Runtime; cuts: () => number } {
  let statements = 0
  let cuts = 0
  const { pool } = service.runtime
  const connect = async () => {
    const client = await pool.connect()
    return new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...given: unknown[]) => unknown
        if (!['query', 'queryPrepared', 'queryAndCommit'].includes(String(name))) return call
        return async (...given: unknown[]) => {
          if (statements++ === cut) {
            cuts++
            const { processID } = target as unknown as { processID: number }
            await pool.query('select pg_terminate_backend($1)', [processID])
            await gone(pool, processID)
          }
          return call(...given)
        }
      },
    })
  }
  const dyingPool = new Proxy(pool, {
    get(target, name) {
      const value = Reflect.get(target, name)
      return name === 'connect' ? connect : typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { runtime: { ...service.runtime, pool: dyingPool }, cuts: () => cuts }
}

/** Waits until a backend has ended: its next statement may come before the signal. PostgreSQL's own wait asks every 100 ms. */
async function gone(pool: Runtime['pool'], processID: number): Promise<void> {
  const remaining = 'select 1 from pg_stat_activity where pid = $1'
  while ((await pool.query(remaining, [processID])).rows.length > 0) await pause(1)
}
