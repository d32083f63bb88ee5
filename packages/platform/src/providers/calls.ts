import { AsyncLocalStorage } from 'node:async_hooks'
import { type Binding, type Environment, newId, type Provider, ServiceError, type Tenant } from '@payments/kernel'
import type { SqlExecutor } from '../database/sql.ts'
import type { Runtime } from '../operations/context/context.ts'
import { histograms } from '../operations/context/histograms.ts'
import type { TimelineSource } from '../operations/context/timeline.ts'
import { failSpan, spanned, TraceKind, traced } from '../settings/traces.ts'

const WRITE_MS = 1000
const MAX_WAITING = 10_000

/** `refused`: the provider answered, and the answer is the caller's error. `failed`: it did not answer, or not as agreed. */
export const callOutcomes = ['succeeded', 'refused', 'failed'] as const
type CallOutcome = (typeof callOutcomes)[number]

/** The object for which providers are called. */
interface Subject extends Tenant {
  readonly id: string
}
const subjects = new AsyncLocalStorage<Subject>()

/** Runs `work`; calls of providers within it belong to the timeline of the object. */
export const aboutObject = <T>(
  { id, organisationId, environment }: Partial<Tenant> & { readonly id: string },
  work: () => Promise<T>,
): Promise<T> =>
  traced('object', { attributes: { 'payments.object_id': id } }, () =>
    organisationId && environment ? subjects.run({ id, organisationId, environment }, work) : work(),
  )

interface Call {
  readonly provider: string
  readonly environment: Environment
  readonly operation: string
  readonly outcome: CallOutcome
  /** Code of the error; empty for a call that succeeded. */
  readonly error: string
  readonly milliseconds: number
  readonly at: Date
  readonly subject: Subject | undefined
}

export interface ProviderCalls {
  /** The same bindings, whose calls are recorded. */
  recorded(bindings: readonly Binding[]): Binding[]
  /** Writes what is waiting. Never rejects. */
  flush(): Promise<void>
}

/**
 * Records calls of providers: counts by minute for the health of a provider, and for the timeline of an object how often each
 * kind of call ended how, with the first and the last time. Rows are added up for a second and written outside the
 * transactions of the work; those of a process that is killed are lost.
 */
export function providerCalls({ priorityPool, log }: Pick<Runtime, 'priorityPool' | 'log'>): ProviderCalls {
  let waiting: Call[] = []
  let scheduled = false
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const calls = waiting
    waiting = []
    if (calls.length === 0) return
    try {
      await priorityPool.query({ name: 'provider-minutes', text: MINUTES, values: [JSON.stringify(minutesOf(calls))] })
      await priorityPool.query({ name: 'provider-calls', text: CALLS, values: [JSON.stringify(objectsOf(calls))] })
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'provider calls not recorded')
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write)
    return writing
  }
  function record(call: Call): void {
    if (waiting.length >= MAX_WAITING) return
    waiting.push(call)
    if (scheduled) return
    scheduled = true
    setTimeout(() => {
      scheduled = false
      void flush()
    }, WRITE_MS).unref()
  }

  const recorded = (binding: Binding): Binding => {
    const { environment, port } = binding
    if (port.name === null) return binding
    const { name: ofPort } = port
    const label = labelOf(ofPort, binding.provider as Provider)
    const done = (operation: string, started: number, outcome: CallOutcome, error = ''): void => {
      const milliseconds = performance.now() - started
      histograms.providerCalls.observe({ environment, provider: label, operation, outcome }, milliseconds / 1000)
      record({
        provider: label,
        environment,
        operation,
        outcome,
        error,
        milliseconds: Math.round(milliseconds),
        at: new Date(),
        subject: subjects.getStore(),
      })
    }
    const provider = new Proxy(binding.provider as object, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function' || typeof name === 'symbol') return value
        return (...given: unknown[]) => {
          const started = performance.now()
          const { span, result: answer } = spanned(`${label} ${name}`, { kind: TraceKind.CLIENT }, () =>
            value.apply(target, given),
          )
          // What answers at once is no call: its span is never sent.
          if (!(answer instanceof Promise)) return answer
          answer
            .then(
              () => done(name, started, 'succeeded'),
              (error: unknown) => {
                done(name, started, outcomeOf(error), codeOf(error))
                failSpan(span, error)
              },
            )
            .finally(() => span.end())
          return answer
        }
      },
    })
    return { ...binding, provider }
  }
  return { recorded: (bindings) => bindings.map(recorded), flush }
}

/** The provider that operators see. The sandbox is one of each port. */
const labelOf = (port: string, { name }: Provider): string => (name === 'sandbox' ? `sandbox ${port}` : name)

const outcomeOf = (error: unknown): CallOutcome =>
  error instanceof ServiceError && error.status < 500 ? 'refused' : 'failed'
const codeOf = (error: unknown): string =>
  error instanceof ServiceError ? error.code : error instanceof Error ? error.name : 'Error'

/** Adds up values with the same key: a statement cannot write a row twice. */
function summed<T extends { calls: number }>(rows: readonly (readonly [string, T])[], add: (sum: T, row: T) => T): T[] {
  const sums = new Map<string, T>()
  for (const [key, row] of rows) {
    const sum = sums.get(key)
    sums.set(key, sum ? add(sum, row) : row)
  }
  return [...sums.values()]
}

const minutesOf = (calls: readonly Call[]) =>
  summed(
    calls.map(({ provider, environment, operation, outcome, milliseconds, at }) => {
      const minute = new Date(Math.floor(at.getTime() / 60_000) * 60_000).toISOString()
      const row = { provider, environment, operation, outcome, minute, calls: 1, milliseconds }
      return [[provider, environment, operation, outcome, minute].join(), row] as const
    }),
    (sum, row) => ({ ...sum, calls: sum.calls + 1, milliseconds: sum.milliseconds + row.milliseconds }),
  )

const objectsOf = (calls: readonly Call[]) =>
  summed(
    calls.flatMap(({ subject, provider, operation, outcome, error, at }) => {
      if (!subject) return []
      const { id: resourceId, organisationId, environment } = subject
      const what = { provider, operation, outcome, error }
      const row = { id: newId(), organisationId, environment, resourceId, ...what, calls: 1, firstAt: at, lastAt: at }
      return [[[resourceId, provider, operation, outcome, error].join(), row] as const]
    }),
    (sum, row) => ({ ...sum, calls: sum.calls + 1, lastAt: row.lastAt }),
  )

const MINUTES = `insert into provider_minutes (provider, environment, operation, outcome, minute, calls, milliseconds)
  select provider, environment, operation, outcome, minute, calls, milliseconds
    from json_to_recordset($1) as row (provider text, environment text, operation text, outcome text, minute timestamptz, calls integer, milliseconds bigint)
   order by provider, environment, operation, outcome, minute
  on conflict (provider, environment, operation, outcome, minute)
    do update set calls = provider_minutes.calls + excluded.calls, milliseconds = provider_minutes.milliseconds + excluded.milliseconds`

// All in one order, so that processes that write the same rows cannot deadlock.
const CALLS = `insert into provider_calls (id, organisation_id, environment, resource_id, provider, operation, outcome, error, calls, first_at, last_at)
  select id, "organisationId", environment, "resourceId", provider, operation, outcome, error, calls, "firstAt", "lastAt"
    from json_to_recordset($1) as row (id uuid, "organisationId" uuid, environment text, "resourceId" uuid, provider text, operation text,
      outcome text, error text, calls integer, "firstAt" timestamptz, "lastAt" timestamptz)
   order by "resourceId", provider, operation, outcome, error
  on conflict (organisation_id, environment, resource_id, provider, operation, outcome, error)
    do update set calls = provider_calls.calls + excluded.calls, last_at = greatest(provider_calls.last_at, excluded.last_at)`

/** How a provider answered one kind of call. */
export interface ProviderAnswers {
  readonly provider: string
  readonly environment: Environment
  readonly operation: string
  readonly succeeded: number
  readonly refused: number
  readonly failed: number
  readonly averageMilliseconds: number
  readonly lastFailureAt: Date | string | null
}

/** How the providers answered in the last 15 minutes, over all processes. */
export async function readProviderAnswers(db: SqlExecutor): Promise<ProviderAnswers[]> {
  const of = (outcome: CallOutcome) =>
    `coalesce(sum(calls) filter (where outcome = '${outcome}'), 0)::int as ${outcome}`
  const { rows } = await db.query<ProviderAnswers>(
    `select provider, environment, operation, ${callOutcomes.map(of).join(', ')}, (sum(milliseconds) / sum(calls))::int as "averageMilliseconds",
            max(minute) filter (where outcome = 'failed') as "lastFailureAt"
       from provider_minutes where minute > now() - interval '15 minutes' group by provider, environment, operation order by 1, 2, 3`,
  )
  return rows
}

interface Row {
  id: string
  resource_id: string
  provider: string
  operation: string
  outcome: CallOutcome
  error: string
  calls: number
  first_at: string
  last_at: string
}

/** The calls of providers for an object, for operators only: one entry for each kind of call and outcome, at its last time. */
export const providerTimeline: TimelineSource = async (
  db,
  { organisationId, environment, ids, limit, forOperators },
) => {
  if (!forOperators) return { entries: [], total: 0 }
  const { rows } = await db.query<Row & { total: number }>(
    `select id, resource_id, provider, operation, outcome, error, calls, first_at, last_at, count(*) over ()::int as total
       from provider_calls where organisation_id = $1 and environment = $2 and resource_id = any ($3::uuid[]) order by last_at desc limit $4`,
    [organisationId, environment, ids, limit],
  )
  const entries = rows.map((row) => ({
    kind: 'provider_call' as const,
    at: new Date(row.last_at),
    id: row.id,
    resourceId: row.resource_id,
    summary: `${row.provider} ${row.operation} ${row.outcome}${row.error ? ` (${row.error})` : ''}, ${row.calls === 1 ? 'once' : `${row.calls} times`}`,
    details: {
      provider: row.provider,
      operation: row.operation,
      outcome: row.outcome,
      error: row.error || null,
      calls: row.calls,
      firstAt: new Date(row.first_at).toISOString(),
    },
  }))
  return { entries, total: rows[0]?.total ?? 0 }
}
