import { appRouter } from '@payments/app'
import type { Context, OperationMeta } from '@payments/kernel'
import type { AnyProcedure } from '@trpc/server'
import type { z } from 'zod'

/** One REST operation, folded from a procedure's meta. */
export interface Operation {
  /** Path of the procedure in the router, e.g. `customers.create`. */
  readonly name: string
  readonly method: string
  /** With `{placeholders}`, without the `/v1` prefix. */
  readonly path: string
  readonly placeholders: readonly string[]
  readonly meta: OperationMeta
  readonly input: z.ZodObject
  readonly output: z.ZodType
  call(context: Context, input: unknown): Promise<unknown>
}

type Callable = AnyProcedure &
  ((options: object) => Promise<unknown>) & {
    _def: { meta: OperationMeta; type: string; inputs: z.ZodObject[]; output: z.ZodType }
  }

/** Every operation of the service that has a REST line, fixed paths before those with placeholders. */
export const operations: readonly Operation[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, Callable>,
)
  .flatMap(([name, procedure]): Operation[] => {
    const { meta, type, inputs, output } = procedure._def
    const [input] = inputs
    if (!meta.openapi || !input) return []
    const path = meta.openapi.path
    return [
      {
        name,
        method: meta.openapi.method,
        path,
        placeholders: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
        meta,
        input,
        output,
        call: (context, value) =>
          procedure({
            ctx: context,
            input: value,
            getRawInput: async () => value,
            path: name,
            type,
            signal: undefined,
            batchIndex: 0,
          }),
      },
    ]
  })
  .sort((a, b) => a.placeholders.length - b.placeholders.length || (a.path < b.path ? -1 : 1))
