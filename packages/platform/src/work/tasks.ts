import { Client, type QueryConfig } from 'pg'
import { keptTo } from '../database/connections/connect.ts'
import { isDatabaseUnavailable } from '../database/errors.ts'
import type { Runtime } from '../operations/context/context.ts'
import { type DueWatch, type Watched, watchDue } from './due.ts'

/**
 * Work that must be done within a second or is claimed in batches. A task runs when a commit triggers it, when its tables say that
 * something is due, or at an interval. All other background work is a job (see `docs/decisions/scheduled-work.md`).
 */
export interface Task {
  /** `runtime.trigger` takes this name. */
  readonly name: string
  /** Why it is no job: what reacts within a second, or is claimed in batches. */
  readonly because: string
  readonly intervalMs?: number
  /** SQL: when there is work for it, see {@link Watched}. A task without it runs at its interval. */
  due?(runtime: Runtime): string
  /** False where there is never anything for it to do: with these settings and providers. Then it does not run. */
  isNeeded?(runtime: Runtime): boolean
  /**
   * Where the task runs. `one-process`: under an advisory lock, in one process at a time. `every-process`: in all processes
   * at once; its own statements prevent conflicts.
   */
  readonly runsIn: 'one-process' | 'every-process'
  /** Does one batch. Returns true when more work may be due already. */
  run(runtime: Runtime): Promise<boolean>
  /** Waits for work that `run` started and did not wait for. */
  stop?(runtime: Runtime): Promise<void>
}

/** Work that is in flight beyond one batch. */
export interface Slots {
  /** Starts work until all slots are taken. Does not wait for it. */
  fill(): Promise<void>
  /** Starts no more work, and waits for what is in flight. */
  stop(): Promise<void>
}

/** A task that keeps slots filled in every process at once, when something is due. `create` is called once for each process. */
export function slotsTask(
  { name, because, due }: Required<Pick<Task, 'name' | 'because' | 'due'>>,
  create: (runtime: Runtime) => Slots,
): Task {
  const slots = new WeakMap<Runtime, Slots>()
  const slotsOf = (runtime: Runtime): Slots => {
    const existing = slots.get(runtime) ?? create(runtime)
    slots.set(runtime, existing)
    return existing
  }
  return {
    name,
    because,
    due,
    runsIn: 'every-process',
    async run(runtime) {
      await slotsOf(runtime).fill()
      return false
    },
    stop: (runtime) => slotsOf(runtime).stop(),
  }
}

const CHANNEL = 'payments_tasks'

/** Triggers of one task are this far apart at least, ms: where few come, and where many do. */
const APART_MS = { few: 20, many: 60 }
/** From so many in a millisecond on they are many: each run of the task then has more to do, and costs as much whatever it does. */
const MANY = 0.2

/**
 * Triggers a task in every process: at once, and again {@link APART_MS} later where it was triggered meanwhile. Called after the commit:
 * NOTIFY inside a transaction would halve its throughput (measured 0.48 to 0.53).
 */
export function createTriggers(send: (task: string) => Promise<unknown>, local: (task: string) => void) {
  const recent = new Map<string, { readonly timer: NodeJS.Timeout; again: number }>()
  let stopped = false
  const fire = (task: string, apart: number): void => {
    const timer = setTimeout(() => {
      const again = recent.get(task)?.again ?? 0
      recent.delete(task)
      if (again > 0) fire(task, again / apart < MANY ? APART_MS.few : APART_MS.many)
    }, apart)
    timer.unref()
    recent.set(task, { timer, again: 0 })
    local(task)
    send(task).catch(() => undefined)
  }
  return {
    trigger(task: string): void {
      const last = recent.get(task)
      if (last) last.again++
      else if (!stopped) fire(task, APART_MS.few)
    },
    stop(): void {
      stopped = true
      for (const { timer } of recent.values()) clearTimeout(timer)
      recent.clear()
    },
  }
}

/** Sends a trigger to the other processes. */
export const sendTrigger = (
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  task: string,
): Promise<unknown> => pool.query('select pg_notify($1, $2)', [CHANNEL, task])

/** How often a task runs whatever its tables say, ms. */
const AT_LEAST_MS = 900_000

/** The running tasks of a process. */
export interface RunningTasks {
  trigger(task: string): void
  stop(): Promise<void>
}

/**
 * Runs tasks until stopped, and wakes `others` with them when something is due. Triggers from other processes and all advisory locks use one connection outside the pool, so a
 * task never holds a pooled connection while it waits for another. When a process dies, its connection is closed and its
 * locks are released. When only that connection breaks, a running task finishes its batch; its own statements keep that safe.
 */
export function startTasks(
  runtime: Runtime,
  all: readonly Task[],
  databaseUrl: string,
  others: readonly Watched[] = [],
): RunningTasks {
  let stopping = false
  let watch: DueWatch | undefined
  const tasks = all.filter((task) => task.isNeeded?.(runtime) ?? true)
  const triggerByTask = new Map<string, () => void>()
  const wake = (task: string) => triggerByTask.get(task)?.()
  const trigger = (task: string) => {
    wake(task)
    watch?.soon()
  }
  const control = createControl(runtime, databaseUrl, trigger)

  const runs = tasks.map(async (task) => {
    const everyMs = task.due ? AT_LEAST_MS : (task.intervalMs ?? AT_LEAST_MS)
    let triggered = false
    let endWait: (() => void) | undefined
    triggerByTask.set(task.name, () => {
      triggered = true
      endWait?.()
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
        const timer = setTimeout(resolve, everyMs)
        endWait = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })

  watch = watchDue(control.due, [
    ...tasks.flatMap(({ name, due }) => (due ? { due: due(runtime), wake: () => wake(name) } : [])),
    ...others,
  ])

  return {
    trigger,
    async stop() {
      stopping = true
      await watch?.stop()
      for (const triggerTask of triggerByTask.values()) triggerTask()
      await Promise.all(runs)
      await Promise.all(tasks.map((task) => task.stop?.(runtime)))
      await control.stop()
    },
  }
}

/** The connection for triggers and locks. It reconnects whenever it breaks. */
function createControl(runtime: Runtime, databaseUrl: string, onTrigger: (task: string) => void) {
  let stopping = false
  let current: Client | undefined
  let endWait: (() => void) | undefined
  let asked: Promise<unknown> = Promise.resolve()

  /** All tasks share the connection, and a connection answers one statement after another: the client must not be asked sooner. */
  const inTurn = <R extends object>(client: Client, statement: QueryConfig): Promise<{ rows: R[] }> => {
    const answer = asked.then(() => client.query<R>(statement))
    asked = answer.catch((error: unknown) => {
      // Without an answer it would be waited for until TCP gives up, a quarter of an hour, and nothing would be due until then.
      if (isDatabaseUnavailable(error)) client.connection.stream.destroy()
    })
    return answer
  }
  const lock = (client: Client, call: string, name: string): Promise<{ rows: { held: boolean }[] }> =>
    inTurn(client, { name: call, text: `select ${call}(hashtext($1)) as held`, values: [name] })

  const connected = (async () => {
    while (!stopping) {
      const client = new Client(keptTo(databaseUrl, 'payments-tasks'))
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
          endWait = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    }
  })()

  return {
    /** Asks for what is due; undefined without an answer. It is prepared: to plan it takes longer than to run it. */
    async due(text: string): Promise<readonly (number | null)[] | undefined> {
      if (!current) return undefined
      try {
        const { rows } = await inTurn<{ due: (number | null)[] }>(current, { name: 'payments_due', text })
        runtime.database.available()
        return rows[0]?.due
      } catch (error) {
        if (!stopping && !runtime.database.report(error)) runtime.log.error({ err: error }, 'what is due not read')
        return undefined
      }
    },
    /** Runs `work` if no other process holds the lock; otherwise returns false (no more work due). */
    async locked(name: string, work: () => Promise<boolean>): Promise<boolean> {
      const client = current
      if (!client) return false
      const { rows } = await lock(client, 'pg_try_advisory_lock', name)
      if (!rows[0]?.held) return false
      try {
        return await work()
      } finally {
        await lock(client, 'pg_advisory_unlock', name).catch(() => undefined)
      }
    },
    async stop() {
      stopping = true
      endWait?.()
      await current?.end().catch(() => undefined)
      await connected
    },
  }
}
