import type { EntitySchema } from '@mikro-orm/postgresql'
import type { AnyRouter, TRPCRouterRecord } from '@trpc/server'
import type { z } from 'zod'
import type { Environment } from './actor.ts'
import type { Runtime, Work } from './context.ts'
import type { Job } from './jobs.ts'
import type { Loop } from './loops.ts'
import type { Resource } from './resource.ts'

/** One step of the schema, owned by one package. Names start with a timestamp and run in that order. */
export interface MigrationStep {
  readonly name: string
  readonly up: readonly string[]
}

/** An event type of the catalogue: what it means, and the schema of its `data`. */
export interface EventType {
  readonly says: string
  readonly data: z.ZodType
  /** What `data` looks like, for those who write a receiver; it satisfies `data`. */
  readonly sample?: Readonly<Record<string, unknown>>
  /** Sent only to endpoints whose allowlist names it. */
  readonly optIn?: boolean
}

/** A figure by which those who run the service see that something lags or is stuck. `/metrics` folds over them. */
export interface Gauge {
  /** As Prometheus names things, with the unit at its end. */
  readonly name: string
  readonly help: string
  /** Read from the database at each scrape, so it must be cheap; the same in every process. */
  read(runtime: Runtime): Promise<Readonly<Record<Environment, number>>>
}

/** Everything a package adds to the service. `packages/app` folds over the list of these. */
export interface Domain<R extends TRPCRouterRecord | AnyRouter = TRPCRouterRecord | AnyRouter> {
  readonly name: string
  readonly router?: R
  // biome-ignore lint/suspicious/noExplicitAny: an entity's own type does not matter to a list of all of them
  readonly entities?: readonly EntitySchema<any, any, any>[]
  readonly migrations?: readonly MigrationStep[]
  // biome-ignore lint/suspicious/noExplicitAny: rows differ, the list only walks them
  readonly resources?: readonly Resource<any, any, any>[]
  // biome-ignore lint/suspicious/noExplicitAny: each job checks its own data
  readonly jobs?: readonly Job<any>[]
  readonly loops?: readonly Loop[]
  readonly gauges?: readonly Gauge[]
  readonly events?: Readonly<Record<string, EventType>>
  /** Brings the due times of the actor's organisation that lie ahead `seconds` nearer, in the test environment. */
  readonly advance?: (work: Work, seconds: number) => Promise<void>
  /** Tables that are never updated or deleted from, or only by their own triggers: the service's role is not granted it. */
  readonly appendOnly?: readonly string[]
}

export const domain = <const R extends TRPCRouterRecord | AnyRouter>(definition: Domain<R>): Domain<R> => definition
