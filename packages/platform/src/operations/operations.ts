import {
  type Access,
  type Actor,
  allowsAnonymous,
  authorise,
  authoriseToken,
  checkInput,
  type ErrorFactory,
  errors,
  fieldsOf,
  items,
  noInput,
  type Requirement,
  type RoleRule,
  roleRuleOf,
  ServiceError,
  total,
} from '@payments/kernel'
import { initTRPC, TRPCError } from '@trpc/server'
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { ZodError, z } from 'zod'
import { isDatabaseUnavailable } from '../database/errors.ts'
import type { WalPosition } from '../database/standby/position.ts'
import type { Log } from '../settings/log.ts'
import type { QueryContext, Runtime, UnitOfWork } from './context/context.ts'

/** The tRPC context of a procedure. */
export interface CallContext {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly log: Log
  /** Client address, for sign-in and rate limits. */
  readonly ip?: string
  /** The header `User-Agent`. */
  readonly userAgent?: string | undefined
  /** Id of the last event that a client of an event stream has received before it connected again. */
  readonly lastEventId?: string | undefined
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal
  /** The position of the primary when the request was received, where a standby serves reads. */
  readonly position?: WalPosition | undefined
  /** Runs an operation with input that fits its schema: procedures have checked it. `@payments/api` provides it. */
  run(operation: Operation, call: CallContext, input: unknown): Promise<unknown>
}

/** Media types of replies that are not JSON. */
export const mediaTypes = {
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  pdf: 'application/pdf',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  'event-stream': 'text/event-stream; charset=utf-8',
} as const
export type Produces = keyof typeof mediaTypes

/** A complete list, and the name of the array in the reply. */
export interface CompleteList {
  readonly name: string
  readonly item: z.ZodType
  /** All items in pages, for a reply that is streamed. */
  read(context: QueryContext): AsyncIterable<readonly unknown[]>
  /** The newest 200 and the exact number of all, for a reply that is one result. */
  newest(context: QueryContext): Promise<{ readonly rows: readonly unknown[]; readonly total: number | null }>
}

/** A reply that is streamed. */
interface Download {
  readonly produces: Produces
  /** The type of this reply, where the caller chooses one of the operation's `formats`; `produces` is the first of them. */
  formatOf?(input: never): Produces
  /** Name of the file, if the reply is a file. */
  filename?(input: never): string
  /** Yields the reply in pieces. An error before the first piece is sent in the envelope; a later one closes the connection. */
  stream(context: QueryContext, input: never, signal: AbortSignal, call: CallContext): AsyncIterable<string | Buffer>
}

/** An operation: its schemas, its metadata and its handler. Exactly one of `query`, `completeList`, `download`, `command` is set. */
export interface Operation {
  readonly input: z.ZodObject
  readonly output: z.ZodType
  readonly meta: OperationMeta
  readonly query?: (context: QueryContext, input: never, call: CallContext) => Promise<unknown>
  readonly completeList?: CompleteList
  readonly download?: Download
  readonly command?: {
    /** Runs before the transaction. Its changes remain when the command fails. */
    before?(context: QueryContext, input: never, call: CallContext): Promise<unknown>
    run(unit: UnitOfWork, input: never, prepared: never, call: CallContext): Promise<unknown>
  }
  /** Set for operators' commands: see `operator-command.ts`. */
  readonly operatorCommand?: {
    /** It moves money or records its outcome: the session must be confirmed, and no internal token may call it. */
    readonly money: boolean
    /** A dry run may call `before`, because it only reads. */
    readonly dryRun: boolean
  }
}

/** The metadata that the REST façade, the OpenAPI documents, the access tests and the docs are derived from. */
export interface OperationMeta extends OpenApiMeta {
  readonly access: Access
  /** The roles whose sessions it admits. */
  readonly role: RoleRule
  readonly status: 200 | 201
  /** The success message of the envelope. */
  readonly message: string
  /** The message where it depends on the input, which fits its schema. */
  readonly messageOf?: ((input: Readonly<Record<string, unknown>>) => string) | undefined
  readonly errors: readonly ErrorFactory[]
  /** The reply contains a secret: it is encrypted when it is stored for replay. */
  readonly secretReply: boolean
  /** `before` makes a provider call that has an effect: a lease on the idempotency key protects that step. */
  readonly callsProvider: boolean
  /** It reads as many rows as the organisation has: one such operation of an organisation runs at a time. */
  readonly scans: boolean
  /** It needs a person: no internal token may call it. */
  readonly personal: boolean
  /** What it returns never changes: while it is the same object, it is checked and written as JSON once. */
  readonly unchanging: boolean
  /** Announced in `docs/CHANGELOG.md`: replies carry the headers `Deprecation` and `Sunset` (ISO 8601 dates). */
  readonly deprecated?: { readonly since: string; readonly sunset: string }
  /** Media type of the reply. Absent: JSON in the envelope. */
  readonly produces?: Produces
  /** Every media type that the caller may choose, where there are several. */
  readonly formats?: readonly Produces[]
}

/** Is the reply a list? Every list has its total beside its items. */
export const isList = ({ output }: Operation): boolean => 'shape' in output && 'total' in (output.shape as object)

/** tRPC's names for the HTTP statuses of errors. */
export const TRPC_CODES: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

const t = initTRPC
  .meta<OperationMeta & { readonly operation?: Operation }>()
  .context<CallContext>()
  .create({
    errorFormatter({ shape, error }) {
      const caller = callerErrorOf(error) ?? (isDatabaseUnavailable(error) ? errors.busy({ retryAfter: 2 }) : undefined)
      const fields = caller instanceof ZodError ? fieldsOf(caller) : caller?.fields
      return {
        ...shape,
        message:
          caller instanceof ZodError
            ? 'Validation failed'
            : (caller?.message ?? MESSAGES[error.code] ?? 'Internal server error'),
        data: {
          code: caller ? TRPC_CODES[caller instanceof ServiceError ? caller.status : 422] : shape.data.code,
          httpStatus: caller instanceof ServiceError ? caller.status : caller ? 422 : shape.data.httpStatus,
          error: caller instanceof ServiceError ? caller.code : caller ? 'validation_failed' : 'internal',
          ...(fields ? { errors: fields } : {}),
        },
      }
    },
  })

/** Messages of the errors that tRPC itself raises. Its own messages may contain internals, so none of them is sent. */
const MESSAGES: Readonly<Partial<Record<TRPC_ERROR_CODE_KEY, string>>> = {
  PARSE_ERROR: 'Malformed JSON body',
  BAD_REQUEST: 'Malformed request',
  NOT_FOUND: 'Not found',
  METHOD_NOT_SUPPORTED: 'Method not allowed',
  UNSUPPORTED_MEDIA_TYPE: 'Content-Type must be application/json',
}

export const router = t.router

/** Method and path of an operation, for example `PATCH /customers/{customerId}`. */
type RestLine = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

export interface Described {
  readonly rest: RestLine
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly message: string
  readonly messageOf?: OperationMeta['messageOf']
  readonly status?: 200 | 201
  readonly errors?: readonly ErrorFactory[]
  readonly secretReply?: boolean
  /** It reads as many rows as the organisation has, however few it returns. */
  readonly scans?: true
  /** It needs a person: no internal token may call it. */
  readonly personal?: true
  readonly deprecated?: OperationMeta['deprecated']
}
export type Description = Described & Requirement
export interface Shapes<I extends z.ZodObject, O extends z.ZodType> {
  readonly input: I
  readonly output: O
}

function metaOf(
  description: Description,
  more: { callsProvider?: boolean; unchanging?: boolean; produces?: Produces; formats?: readonly Produces[] } = {},
): OperationMeta {
  const [method, path] = description.rest.split(' ') as ['GET', `/${string}`]
  return {
    openapi: {
      method,
      path,
      tags: [description.tag],
      summary: description.summary,
      ...(description.description ? { description: description.description } : {}),
      protect: !allowsAnonymous(description.access),
    },
    access: description.access,
    role: roleRuleOf(description),
    status: description.status ?? 200,
    message: description.message,
    ...(description.messageOf ? { messageOf: description.messageOf } : {}),
    errors: description.errors ?? [],
    secretReply: description.secretReply ?? false,
    callsProvider: more.callsProvider ?? false,
    unchanging: more.unchanging ?? false,
    scans: description.scans ?? false,
    personal: description.personal ?? false,
    ...(description.deprecated ? { deprecated: description.deprecated } : {}),
    ...(more.produces ? { produces: more.produces } : {}),
    ...(more.formats ? { formats: more.formats } : {}),
  }
}

/** Access is checked before the input, so that a caller without access learns nothing about the operation. */
const guarded = t.procedure.use(async ({ ctx, meta, next, path, getRawInput }) => {
  authorise(meta ?? { access: 'operator' }, ctx.actor)
  authoriseToken(ctx.actor, {
    name: path,
    money: meta?.operation?.operatorCommand?.money ?? false,
    personal: meta?.personal ?? true,
  })
  checkInput(await getRawInput())
  return next()
})

const procedure = <I extends z.ZodObject, O extends z.ZodType>(operation: Operation & Shapes<I, O>) =>
  guarded
    .meta({ ...operation.meta, operation })
    .input(operation.input as I)
    .output(operation.output as O)
const resolver =
  (operation: Operation) =>
  ({ ctx, input }: { ctx: CallContext; input: unknown }) =>
    ctx.run(operation, ctx, input) as never

/** Defines an operation that only reads. */
export function query<I extends z.ZodObject, O extends z.ZodType>(
  definition: Description &
    Shapes<I, O> & {
      /** The operation calls a provider, without an effect there. */
      callsProvider?: true
      /** `run` returns the same object as long as the reply is the same, and never changes it: reference data. */
      unchanging?: true
      run(context: QueryContext, input: z.output<I>, call: CallContext): Promise<z.input<O>>
    },
) {
  const { input, output, run } = definition
  const operation = { input, output, meta: metaOf(definition, definition), query: run }
  return procedure<I, O>(operation).query(resolver(operation))
}

/**
 * Defines an operation that returns a complete list: over REST all of it, page by page, so that a long list needs no more memory than one
 * page. Over tRPC and to agents, whose reply is one result, the newest 200 with the number of all: the search of the same rows goes on.
 */
export function completeList<N extends string, T extends z.ZodType>(
  definition: Description & {
    name: N
    item: T
    rows(context: QueryContext): AsyncIterable<readonly z.input<T>[]>
    newest(context: QueryContext): Promise<{ readonly rows: readonly z.input<T>[]; readonly total: number | null }>
  },
) {
  const { name, item, rows: read, newest } = definition
  const input = noInput
  const output = z.object({ [name]: items('All of them, newest first', item), total } as { [K in N]: z.ZodArray<T> } & {
    total: z.ZodNumber
  })
  const operation = { input, output, meta: metaOf(definition), completeList: { name, item, read, newest } }
  return procedure<typeof input, typeof output>(operation).query(resolver(operation))
}

/** Defines a reading operation whose reply is a file or an event stream. Over tRPC it yields the same pieces as text. */
export function download<I extends z.ZodObject>(
  definition: Omit<Described, 'status' | 'secretReply'> &
    Requirement & {
      input: I
      produces: Produces
      formats?: readonly Produces[]
      formatOf?(input: z.output<I>): Produces
      filename?(input: z.output<I>): string
      stream(
        context: QueryContext,
        input: z.output<I>,
        signal: AbortSignal,
        call: CallContext,
      ): AsyncIterable<string | Buffer>
    },
) {
  const { input, produces, formats } = definition
  const output = z.unknown()
  const operation = {
    input,
    output,
    meta: metaOf(definition, { produces, ...(formats ? { formats } : {}) }),
    download: definition as Download,
  }
  return procedure<I, z.ZodType<AsyncIterable<string | Buffer>>>(operation as never).query(resolver(operation))
}

/**
 * Defines an operation that changes data, in one unit of work. `before` runs before the transaction, and its result is
 * passed to `run`. `callsProvider` declares that `before` makes a provider call that has an effect, such as reserving an
 * address; `before` must then be idempotent, because the caller may repeat the request.
 */
export function command<I extends z.ZodObject, O extends z.ZodType, P = undefined>(
  definition: CommandDefinition<I, O, P, z.input<O>> & { readonly access: Exclude<Access, 'operator'> },
) {
  return mutation(definition)
}

/** What {@link command} and the operators' commands have in common. `R` is what `run` returns. */
export type CommandDefinition<I extends z.ZodObject, O extends z.ZodType, P, R> = Description &
  Shapes<I, O> & {
    callsProvider?: true
    before?(context: QueryContext, input: z.output<I>, call: CallContext): Promise<P>
    run(unit: UnitOfWork, input: z.output<I>, prepared: P, call: CallContext): Promise<R>
  }

/** The procedure of a command. Packages use {@link command} and `operatorCommand`. */
export function mutation<I extends z.ZodObject, O extends z.ZodType, P>(
  definition: CommandDefinition<I, O, P, z.input<O>>,
  operatorCommand?: Operation['operatorCommand'],
) {
  const { input, output, before, run } = definition
  const operation: Operation & Shapes<I, O> = {
    input,
    output,
    meta: metaOf(definition, definition),
    command: { ...(before ? { before } : {}), run },
    ...(operatorCommand ? { operatorCommand } : {}),
  }
  return procedure<I, O>(operation).mutation(resolver(operation))
}

/** The error that the caller receives, unwrapped from tRPC's error; undefined for an internal error. */
export function callerErrorOf(error: unknown): ServiceError | ZodError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ServiceError || at instanceof InvalidInput) return at instanceof InvalidInput ? at.cause : at
    if (at instanceof TRPCError && at.code === 'BAD_REQUEST' && at.cause instanceof ZodError) return at.cause
  }
  return undefined
}

/**
 * In place of an input: the request has none that could be read, and `error` says why. A request whose idempotency key has a stored
 * reply gets that reply, whatever its body; so the executor raises the error in its place, after that.
 */
export class UnreadableInput {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** The input of an operation does not fit its schema. An output that does not fit is an internal error and stays a ZodError. */
export class InvalidInput extends Error {
  override name = 'InvalidInput'
  override readonly cause: ZodError
  constructor(cause: ZodError) {
    super('Validation failed')
    this.cause = cause
  }
}
