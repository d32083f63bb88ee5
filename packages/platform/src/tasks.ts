import { Client } from 'pg'
import type { Runtime } from './context.ts'

/**
 * Work that must be done within a second or is taken in batches: found by a poll, and sooner when something was
 * committed. Everything else is a job (see `docs/decisions/scheduled-work.md`).
 */
export interface Task {
  /** Also the name that `runtime.trigger` takes. */
  readonly name: string
  readonly intervalMs: number
  /**
   * Where it runs. `one-process`: under an advisory lock, in one process at a time. `every-process`: its own statements
   * keep the processes apart.
   */
  readonly runsIn: 'one-process' | 'every-process'
  /** Does one batch; true when there may be more at once. */
  run(runtime: Runtime): Promise<boolean>
  /** Waits for what `run` left going on. */
  stop?(runtime: Runtime): Promise<void>
}

const CHANNEL = 'payments_tasks'

/**
 * Tells every process to run a task, at most once for each task in 20 ms and after the commit: NOTIFY inside a transaction
 * would halve its throughput (measured 0.48 to 0.53).
 */
export function createTriggers(send: (task: string) => Promise<unknown>, local: (task: string) => void) {
  const pending = new Map<string, NodeJS.Timeout>()
  return {
    trigger(task: string): void {
      if (pending.has(task)) return
      const timer = setTimeout(() => {
        pending.delete(task)
        local(task)
        send(task).catch(() => undefined)
      }, 20)
      timer.unref()
      pending.set(task, timer)
    },
    stop(): void {
      for (const timer of pending.values()) clearTimeout(timer)
      pending.clear()
    },
  }
}

/** Sends a trigger to the other processes. */
export const sendTrigger = (
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  task: string,
): Promise<unknown> => pool.query('select pg_notify($1, $2)', [CHANNEL, task])

/** A process's running tasks. */
export interface RunningTasks {
  trigger(task: string): void
  stop(): Promise<void>
}

/**
 * Runs tasks until stopped. Triggers from other processes and all advisory locks use one connection of their own, so a
 * task never holds a pooled connection while it waits for another. A process that dies drops its connection and with it
 * the locks; a task that is running when only that connection breaks ends its batch, which its own statements make safe.
 */
export function startTasks(runtime: Runtime, tasks: readonly Task[], databaseUrl: string): RunningTasks {
  let stopping = false
  const wakers = new Map<string, () => void>()
  const trigger = (task: string) => wakers.get(task)?.()
  const control = createControl(runtime, databaseUrl, trigger)

  const runs = tasks.map(async (task) => {
    let triggered = false
    let wake: (() => void) | undefined
    wakers.set(task.name, () => {
      triggered = true
      wake?.()
    })
    while (!stopping) {
      triggered = false
      let more = false
      try {
        more =
          task.runsIn === 'every-process'
            ? await task.run(runtime)
            : await control.locked(`task:${task.name}`, () => task.run(runtime))
        runtime.database.available()
      } catch (error) {
        if (!stopping && !runtime.database.report(error))
          runtime.log.error({ task: task.name, err: error }, 'task failed')
      }
      if ((more && !runtime.database.isDown) || triggered || stopping) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, task.intervalMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })

  return {
    trigger,
    async stop() {
      stopping = true
      for (const wake of wakers.values()) wake()
      await Promise.all(runs)
      await Promise.all(tasks.map((task) => task.stop?.(runtime)))
      await control.stop()
    },
  }
}

/** The connection for triggers and locks, opened again whenever it breaks. */
function createControl(runtime: Runtime, databaseUrl: string, onTrigger: (task: string) => void) {
  let stopping = false
  let current: Client | undefined
  let pause: (() => void) | undefined

  const connected = (async () => {
    while (!stopping) {
      const client = new Client({
        connectionString: databaseUrl,
        application_name: 'payments-tasks',
        connectionTimeoutMillis: 5000,
        keepAlive: true,
      })
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve())
        client.on('end', () => resolve())
      })
      try {
        await client.connect()
        client.on('notification', ({ payload }) => payload && onTrigger(payload))
        await client.query(`listen ${CHANNEL}`)
        current = client
        runtime.database.available()
        if (!stopping) await ended
      } catch (error) {
        if (!stopping && !runtime.database.report(error)) runtime.log.warn({ err: error }, 'task connection failed')
      }
      current = undefined
      await client.end().catch(() => undefined)
      if (!stopping)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 1000)
          pause = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    }
  })()

  return {
    /** Runs `work` if no other process holds the lock; false (nothing more to do) otherwise. */
    async locked(name: string, work: () => Promise<boolean>): Promise<boolean> {
      const client = current
      if (!client) return false
      const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtext($1)) as held', [
        name,
      ])
      if (!rows[0]?.held) return false
      try {
        return await work()
      } finally {
        await client.query('select pg_advisory_unlock(hashtext($1))', [name]).catch(() => undefined)
      }
    },
    async stop() {
      stopping = true
      pause?.()
      await current?.end().catch(() => undefined)
      await connected
    },
  }
}
