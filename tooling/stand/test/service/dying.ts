import { setTimeout as pause } from 'node:timers/promises'
import type { Providers, Runtime } from '@payments/platform'
import type { TestService } from './service.ts'

/** A runtime whose connections are lost before their effect number `cut`. */
function dyingRuntime(service: TestService, cut: number): { runtime: Runtime; cuts: () => number } {
  let effects = 0
  let cuts = 0
  const { pool } = service.runtime
  const runtime = observed(service.runtime, {
    async effect(processID) {
      if (processID === undefined || effects++ !== cut) return
      cuts++
      await end(pool, processID)
    },
  })
  return { runtime, cuts: () => cuts }
}

/**
 * Runs `work` again and again, each time with a connection that is lost before one effect later, until none is lost. Effects are commits
 * and statements outside of transactions that write: whatever statement a crash precedes, PostgreSQL keeps what was committed and nothing
 * else, which is what a crash before the next effect leaves. `after` looks at what each run leaves behind: its result, unless it failed.
 * `cut` is null after the last one, which succeeds.
 * @returns how many runs lost their connection: for one unit of work, one
 * @throws the error of a run that lost none
 */
export async function dyingEverywhere<T>(
  service: TestService,
  work: (runtime: Runtime, cut: number) => Promise<T>,
  after?: (cut: number | null, result: T | undefined) => Promise<unknown>,
): Promise<number> {
  for (let cut = 0; ; cut++) {
    const { runtime, cuts } = dyingRuntime(service, cut)
    const result = await work(runtime, cut).catch((error: unknown) => {
      if (cuts() === 0) throw error
      return undefined
    })
    const wasCut = cuts() > 0
    await after?.(wasCut ? cut : null, result)
    if (!wasCut) return cut
  }
}

/** A process with one fault, and whether it has happened. */
interface FaultyProcess {
  readonly runtime: Runtime
  failed(): boolean
}

/**
 * A process that is killed before its effect number `point`: a commit, a statement outside of transactions that writes, or a call of a
 * provider. Nothing that it tries afterwards has an effect, and PostgreSQL rolls back what it had open, so that a kill before any
 * statement in between would leave the same.
 */
export function killedAt(service: TestService, point: number): FaultyProcess {
  let points = 0
  let killed = false
  const die = async (processID?: number) => {
    if (!killed) return
    if (processID !== undefined) await end(service.runtime.pool, processID)
    throw new Error('This process was killed')
  }
  const reach = (processID?: number) => {
    killed ||= points++ === point
    return die(processID)
  }
  const runtime = observed(service.runtime, {
    call: async (run) => {
      await reach()
      return run()
    },
    effect: reach,
    read: die,
  })
  return { runtime, failed: () => killed }
}

/** A process that gets no answer to its call of a provider number `point`, which has its effect. */
export function unansweredAt(service: TestService, point: number): FaultyProcess {
  let calls = 0
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    const lost = calls++ === point
    const answer = await run()
    if (lost) throw new Error('The answer of the provider was lost')
    return answer
  }
  return { runtime: observed(service.runtime, { call }), failed: () => calls > point }
}

interface Observer {
  /** Before each commit, and each statement outside of transactions that writes; `processID` is its backend, where it has a connection of its own. */
  effect?(processID?: number): Promise<void>
  /** Before every other statement. */
  read?(processID?: number): Promise<void>
  /** Around each call of a provider. */
  call?<T>(run: () => Promise<T>): Promise<T>
}

/** The runtime, whose statements and calls of providers are observed. */
function observed(runtime: Runtime, { effect, read, call }: Observer): Runtime {
  const { pool } = runtime
  const connect = async () => {
    const client = await pool.connect()
    const { processID } = client as unknown as { processID: number }
    let open = false
    const isObserved = (name: string) => name === 'begin' || name.startsWith('query')
    return replaced(client, isObserved, (run, name) => (...given: unknown[]) => {
      if (name === 'begin') {
        open = true
        return run(...given)
      }
      const text = textOf(given[0])
      const has = open ? name === 'queryAndCommit' || COMMITS.test(text) : writes(text)
      if (BEGINS.test(text)) open = true
      else if (has || ENDS.test(text)) open = false
      return after(has ? effect : read, processID, run, given)
    })
  }
  const own = replaced(
    replaced(
      pool,
      (name) => name === 'query',
      (run) =>
        (...given: unknown[]) =>
          after(writes(textOf(given[0])) ? effect : read, undefined, run, given),
    ),
    (name) => name === 'connect',
    () => connect,
  )
  return { ...runtime, pool: own, ...(call ? { providers: calling(runtime.providers, call) } : {}) }
}

/** Calls a method after what is observed before its statement. */
async function after(observe: Observer['effect'], processID: number | undefined, run: Method, given: unknown[]) {
  await observe?.(processID)
  return run(...given)
}

const BEGINS = /^\s*(begin|start transaction)\b/i
const COMMITS = /^\s*commit\b/i
const ENDS = /^\s*(commit|rollback)\b/i
/** Everything but the forms of statements that only read, by their first words. */
const writes = (text: string): boolean =>
  !/^\s*(select|begin|start transaction|rollback|set|show|discard|listen)\b/i.test(text)
const textOf = (query: unknown): string => (typeof query === 'string' ? query : (query as { text: string }).text)

type Method = (...given: unknown[]) => unknown

/** An object some of whose methods are replaced. */
const replaced = <T extends object>(
  of: T,
  isReplaced: (name: string) => boolean,
  by: (run: Method, name: string) => Method,
): T =>
  new Proxy(of, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Method
      return isReplaced(String(name)) ? by(method, String(name)) : method
    },
  })

/** What a provider answers by itself, without its system. */
const LOCAL = ['isAvailable', 'callback', 'account']

/** The same providers, whose calls are observed. */
function calling(providers: Providers, call: NonNullable<Observer['call']>): Providers {
  const provider = (each: object) =>
    replaced(
      each,
      (name) => !LOCAL.includes(name),
      (run) =>
        (...given) =>
          call(async () => run(...given)),
    )
  const found = (each: unknown) => (Array.isArray(each) ? each.map(provider) : provider(each as object))
  return replaced(
    providers,
    (name) => ['for', 'candidates', 'of', 'inUse'].includes(name),
    (run) =>
      (...given) => {
        const answer = run(...given)
        return answer instanceof Promise ? answer.then(found) : found(answer)
      },
  )
}

/** Ends a backend, and waits until it has ended: its next statement may come before the signal. PostgreSQL's own wait asks every 100 ms. */
async function end(pool: Runtime['pool'], processID: number): Promise<void> {
  await pool.query('select pg_terminate_backend($1)', [processID])
  const remaining = 'select 1 from pg_stat_activity where pid = $1'
  while ((await pool.query(remaining, [processID])).rows.length > 0) await pause(1)
}
