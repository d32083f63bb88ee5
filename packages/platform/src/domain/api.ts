import type { ErrorFactory } from '@payments/kernel'
import type { TRPCRouterRecord } from '@trpc/server'
import type { z } from 'zod'
import type { Authentication } from '../operations/authentication.ts'
import type { UnitOfWork } from '../operations/context/context.ts'
import type { Callback, Page } from '../operations/http.ts'

/** A section of the API reference: operations name it as their `tag`. */
interface Tag {
  readonly name: string
  readonly description: string
  readonly position: number
}

/** An event type of the catalogue: its description and the schema of its `data`. */
export interface EventType {
  readonly description: string
  readonly data: z.ZodType
  /** An example of `data`, for engineers who write a receiver: `sampleOf` takes it from the examples of the schema, when it is asked for. */
  readonly sample: () => Readonly<Record<string, unknown>>
  /** Sent only to endpoints that list this type in `events`. */
  readonly optIn?: boolean
}

/** What callers of a domain see: operations, errors, events, and what it serves beside the operations. */
export interface ApiDeclaration<R extends TRPCRouterRecord = TRPCRouterRecord> {
  /** Sections of the API reference, in the order of `position`: the order in which an integration needs them. */
  readonly tags?: readonly Tag[]
  /** The operations, by their names over tRPC. */
  readonly router?: R
  /** Turns credentials into actors. Exactly one domain declares it. */
  readonly authentication?: Authentication
  /** The rows of the errors that its operations and pages throw. */
  readonly errors?: Readonly<Record<string, ErrorFactory>>
  /** The types of its events, by name. */
  readonly events?: Readonly<Record<string, EventType>>
  /** Which requests its providers send, and what they start. */
  readonly callbacks?: readonly Callback[]
  /** Routes outside `/v1`. */
  readonly pages?: readonly Page[]
  readonly sandbox?: {
    /** Moves all future due times of the actor's organisation forward by `seconds`. Test environment only. */
    advance?(unit: UnitOfWork, seconds: number): Promise<void>
  }
}
