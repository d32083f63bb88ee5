import { initTRPC, TRPCError } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { ZodError, z } from 'zod'
import { type Access, type Actor, authorise } from './actor.ts'
import type { Read, Runtime, Work } from './context.ts'
import type { Log } from './log.ts'
import { Refusal, type RefusalMaker } from './refusals.ts'
import { reader, type Seal, unitOfWork } from './unit.ts'

/** What every procedure is called with. The gateway adds `seal`; a direct caller needs only the first three. */
export interface Context {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly log: Log
  /** Which address asked, for sign-in and limits. */
  readonly ip?: string
  /** Makes the last statement of a command's transaction from its output: the stored reply of an idempotency key. */
  readonly seal?: Seal<unknown>
}

/** What an operation is, besides its schemas. The REST façade, the OpenAPI document and the tests fold over it. */
export interface OperationMeta extends OpenApiMeta {
  readonly access: Access
  readonly status: 200 | 201
  /** The success message of the envelope. */
  readonly message: string
  readonly refusals: readonly RefusalMaker[]
  /** The reply holds a secret: it is encrypted where it is stored for replay. */
  readonly secretReply: boolean
  /** A provider must answer before the transaction: a lease on the idempotency key guards that step. */
  readonly prepares: boolean
  /** Present when the operation is a complete list: the gateway streams it page by page. */
  readonly listing?: Listing
}

/** A complete list, as pages of items under one name. */
export interface Listing {
  readonly name: string
  readonly item: z.ZodType
  pages(read: Read): AsyncIterable<readonly unknown[]>
}

const t = initTRPC
  .meta<OperationMeta>()
  .context<Context>()
  .create({
    errorFormatter({ shape, error }) {
      const refusal = error.cause instanceof Refusal ? error.cause : undefined
      return {
        ...shape,
        message: refusal?.message ?? (error.cause instanceof ZodError ? 'Validation failed' : shape.message),
        data: { code: shape.data.code, refusal: refusal?.code },
      }
    },
  })

export const router = t.router
export const mergeRouters = t.mergeRouters

/** `POST /customers/{customerId}` as the line of an operation shows it. */
type RestLine = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

interface Description<I extends z.ZodObject, O extends z.ZodType> {
  readonly rest: RestLine
  readonly access: Access
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly message: string
  readonly status?: 200 | 201
  readonly input: I
  readonly output: O
  readonly refusals?: readonly RefusalMaker[]
  readonly secretReply?: boolean
}

const guarded = t.procedure.use(({ ctx, meta, next }) => {
  authorise(meta?.access ?? 'operator', ctx.actor)
  return next()
})

function metaOf(description: Description<z.ZodObject, z.ZodType>, prepares: boolean): OperationMeta {
  const [method, path] = description.rest.split(' ') as ['GET', `/${string}`]
  return {
    openapi: {
      method,
      path,
      tags: [description.tag],
      summary: description.summary,
      ...(description.description ? { description: description.description } : {}),
      protect: description.access !== 'public' && description.access !== 'sign-in',
    },
    access: description.access,
    status: description.status ?? 200,
    message: description.message,
    refusals: description.refusals ?? [],
    secretReply: description.secretReply ?? false,
    prepares,
  }
}

/** A reading operation. */
export function query<I extends z.ZodObject, O extends z.ZodType>(
  description: Description<I, O> & { run(read: Read, input: z.output<I>): Promise<z.input<O>> },
) {
  return guarded
    .meta(metaOf(description, false))
    .input(description.input)
    .output(description.output)
    .query((async ({ ctx, input }: { ctx: Context; input: z.output<I> }) =>
      description.run(reader(ctx.runtime, ctx.actor, ctx.log), input)) as never)
}

/**
 * A reading operation that lists all of something. Over tRPC it is one answer; the gateway sends it page by page, so that a
 * long list costs no more memory than a page.
 */
export function list<N extends string, T extends z.ZodType>(
  description: Omit<Description<z.ZodObject, z.ZodType>, 'input' | 'output'> & {
    name: N
    item: T
    pages(read: Read): AsyncIterable<readonly z.input<T>[]>
  },
) {
  const { name, item } = description
  const input = z.strictObject({})
  const output = z.object({ [name]: z.array(item), total: z.number().int() } as { [K in N]: z.ZodArray<T> } & {
    total: z.ZodNumber
  })
  const meta = { ...metaOf({ ...description, input, output }, false), listing: description }
  return guarded
    .meta(meta)
    .input(input)
    .output(output)
    .query((async ({ ctx }: { ctx: Context }) => {
      const items: unknown[] = []
      for await (const page of description.pages(reader(ctx.runtime, ctx.actor, ctx.log))) items.push(...page)
      return { [name]: items, total: items.length }
    }) as never)
}

/** A changing operation: one unit of work. */
export function command<I extends z.ZodObject, O extends z.ZodType>(
  description: Description<I, O> & { run(work: Work, input: z.output<I>, context: Context): Promise<z.input<O>> },
) {
  return unit(description, undefined, (work, input, _prepared, context) => description.run(work, input, context))
}

/**
 * A command that needs a provider's answer before the merchant can be answered. `prepare` runs before the transaction
 * opens and must repeat without harm; `run` gets what it returned.
 */
export function preparedCommand<I extends z.ZodObject, O extends z.ZodType, P>(
  description: Description<I, O> & {
    prepare(read: Read, input: z.output<I>): Promise<P>
    run(work: Work, input: z.output<I>, prepared: P): Promise<z.input<O>>
  },
) {
  return unit(
    description,
    (read, input) => description.prepare(read, input),
    (work, input, prepared) => description.run(work, input, prepared),
  )
}

function unit<I extends z.ZodObject, O extends z.ZodType, P>(
  description: Description<I, O>,
  prepare: ((read: Read, input: z.output<I>) => Promise<P>) | undefined,
  run: (work: Work, input: z.output<I>, prepared: P, context: Context) => Promise<z.input<O>>,
) {
  return guarded
    .meta(metaOf(description, prepare !== undefined))
    .input(description.input)
    .use(async ({ ctx, input, next }) => {
      const parsed = input as z.output<I>
      const read = reader(ctx.runtime, ctx.actor, ctx.log)
      const prepared = (prepare ? await prepare(read, parsed) : undefined) as P
      let last: Awaited<ReturnType<typeof next>> | undefined
      await unitOfWork(
        read,
        async (work) => {
          // tRPC hands errors back instead of throwing them: without the throw a refused command would commit.
          const result = await next({ ctx: { ...ctx, verb: () => run(work, parsed, prepared, ctx) } as Context })
          if (!result.ok) throw result.error.cause instanceof Error ? result.error.cause : result.error
          last = result
          return result.data
        },
        ctx.seal,
      )
      return last as NonNullable<typeof last>
    })
    .output(description.output)
    .mutation((async ({ ctx }: { ctx: Context }) => (ctx as Context & { verb(): Promise<unknown> }).verb()) as never)
}

/** What a caller did wrong, out of the wrapping that tRPC puts around it; undefined for a fault of ours. */
export function refusalOf(error: unknown): Refusal | ZodError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof Refusal) return at
    if (at instanceof TRPCError && at.code === 'BAD_REQUEST' && at.cause instanceof ZodError) return at.cause
  }
  return undefined
}
