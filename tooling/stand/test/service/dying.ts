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
            // It waits until the backend is gone: the signal alone may come after the next statement.
            await pool.query('select pg_terminate_backend($1, 10000)', [processID])
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
