import type { PoolClient } from 'pg'
import { Client } from 'pg'
import type { Runtime } from './context.ts'

/** Work that is looked for rather than sent: by NOTIFY when something was committed, and by a slow poll in any case. */
export interface Loop {
  /** Also the channel of `runtime.wake`. */
  readonly name: string
  readonly everyMs: number
  /** Runs in every process at once, without the advisory lock: its own statements keep the processes apart. */
  readonly shared?: true
  /** Does one batch; true when there may be more at once. */
  run(runtime: Runtime): Promise<boolean>
  /** Lets what `run` left going on end. */
  stop?(runtime: Runtime): Promise<void>
}

const CHANNEL = 'payments_wake'

/** Sends wakes to every process, at most one for each channel in 20 ms. NOTIFY inside a transaction would halve its throughput. */
export function wakes(notify: (channel: string) => Promise<unknown>, local: (channel: string) => void) {
  const pending = new Map<string, NodeJS.Timeout>()
  return {
    wake(channel: string): void {
      if (pending.has(channel)) return
      const timer = setTimeout(() => {
        pending.delete(channel)
        local(channel)
        notify(channel).catch(() => undefined)
      }, 20)
      timer.unref()
      pending.set(channel, timer)
    },
    stop(): void {
      for (const timer of pending.values()) clearTimeout(timer)
      pending.clear()
    },
  }
}

/** NOTIFY on the shared channel. */
export const notify = (
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  channel: string,
): Promise<unknown> => pool.query('select pg_notify($1, $2)', [CHANNEL, channel])

/**
 * Runs loops until stopped. Each that is not `shared` holds a session advisory lock while it works, so that N workers share one drainer;
 * a worker that dies drops its connection and with it the lock.
 */
export function startLoops(
  runtime: Runtime,
  loops: readonly Loop[],
  databaseUrl: string,
): { stop(): Promise<void>; poke(channel: string): void } {
  let stopping = false
  const pokes = new Map<string, () => void>()
  const poke = (channel: string) => pokes.get(channel)?.()

  const runs = loops.map(async (loop) => {
    let woken = false
    let rouse: (() => void) | undefined
    pokes.set(loop.name, () => {
      woken = true
      rouse?.()
    })
    while (!stopping) {
      woken = false
      let more = false
      try {
        more = await (loop.shared ? loop.run(runtime) : underLock(runtime, loop.name, () => loop.run(runtime)))
      } catch (error) {
        if (!stopping) runtime.log.error({ loop: loop.name, err: error }, 'loop failed')
      }
      if (more || woken || stopping) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, loop.everyMs)
        rouse = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })

  let listener: Client | undefined
  const listen = async () => {
    while (!stopping) {
      const client = new Client({ connectionString: databaseUrl, application_name: 'payments-loops' })
      try {
        await client.connect()
        client.on('notification', ({ payload }) => payload && poke(payload))
        await client.query(`listen ${CHANNEL}`)
        listener = client
        await new Promise<void>((resolve) => {
          client.on('error', () => resolve())
          client.on('end', () => resolve())
        })
      } catch (error) {
        if (!stopping) runtime.log.warn({ err: error }, 'listen failed, polling goes on')
      }
      await client.end().catch(() => undefined)
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, 1000).unref())
    }
  }
  const listening = listen()

  return {
    poke,
    async stop() {
      stopping = true
      for (const each of pokes.values()) each()
      await listener?.end().catch(() => undefined)
      await Promise.all([...runs, listening])
      await Promise.all(loops.map((loop) => loop.stop?.(runtime)))
    },
  }
}

/** Runs `work` if no other process holds the lock of this name; false (nothing more to do) otherwise. */
async function underLock(runtime: Runtime, name: string, work: () => Promise<boolean>): Promise<boolean> {
  const client: PoolClient = await runtime.pool.connect()
  let broken: Error | undefined
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtext($1)) as held', [
      `loop:${name}`,
    ])
    if (!rows[0]?.held) return false
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock(hashtext($1))', [`loop:${name}`]).catch((error: Error) => {
        broken = error
      })
    }
  } finally {
    client.release(broken)
  }
}
