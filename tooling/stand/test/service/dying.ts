import { setTimeout as pause } from 'node:timers/promises'
import type { Providers, Runtime } from '@payments/platform'
import type { TestService } from './service.ts'

/** A runtime whose transactions lose their connection before their statement number `cut`. */
function dyingRuntime(service: TestService, cut: number): { runtime: Runtime; cuts: () => number } {
  let statements = 0
  let cuts = 0
  const { pool } = service.runtime
  const runtime = observed(service.runtime, {
    async statement(processID) {
      if (processID === undefined || statements++ !== cut) return
      cuts++
      await end(pool, processID)
    },
  })
  return { runtime, cuts: () => cuts }
}

/**
 * Runs `work` again and again, each time with a connection that is lost before one statement later, the commit included, until none is
 * lost. `after` looks at what each run leaves behind: its result, unless it failed. `cut` is null after the last one, which succeeds.
 * @returns how many runs lost their connection
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
 * A process that is killed before its statement, or its call of a provider, number `point`: nothing that it tries afterwards has an
 * effect, and PostgreSQL rolls back what it had open.
 */
export function killedAt(service: TestService, point: number): FaultyProcess {
  let points = 0
  let killed = false
  const reach = () => {
    killed ||= points++ === point
    if (killed) throw new Error('This process was killed')
  }
  const runtime = observed(service.runtime, {
    call: async (run) => {
      reach()
      return run()
    },
    async statement(processID) {
      try {
        reach()
      } catch (error) {
        if (processID !== undefined) await end(service.runtime.pool, processID)
        throw error
      }
    },
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
  /** Before each statement; `processID` is its backend, where it is in a transaction. */
  statement?(processID?: number): Promise<void>
  /** Around each call of a provider. */
  call?<T>(run: () => Promise<T>): Promise<T>
}

/** The runtime, whose statements and calls of providers are observed. */
function observed(runtime: Runtime, { statement, call }: Observer): Runtime {
  const { pool } = runtime
  const connect = async () => {
    const client = await pool.connect()
    const { processID } = client as unknown as { processID: number }
    return replaced(client, (name) => name.startsWith('query'), after(processID))
  }
  /** A method that is called after what is observed before a statement. */
  const after =
    (processID?: number) =>
    (run: Method) =>
    async (...given: unknown[]) => {
      await statement?.(processID)
      return run(...given)
    }
  const own = replaced(
    replaced(pool, (name) => name === 'query', after()),
    (name) => name === 'connect',
    () => connect,
  )
  return { ...runtime, pool: own, ...(call ? { providers: calling(runtime.providers, call) } : {}) }
}

type Method = (...given: unknown[]) => unknown

/** An object some of whose methods are replaced. */
const replaced = <T extends object>(of: T, isReplaced: (name: string) => boolean, by: (run: Method) => Method): T =>
  new Proxy(of, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Method
      return isReplaced(String(name)) ? by(method) : method
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
