import { appRouter } from '@payments/api'
import type { Operation, OperationMeta } from '@payments/platform'

/** One REST operation, derived from a procedure's metadata. */
export interface RestOperation {
  /** Path of the procedure in the router, for example `customers.create`. */
  readonly name: string
  readonly method: string
  /** Path with `{placeholders}`, without the prefix `/v1`. */
  readonly path: string
  readonly placeholders: readonly string[]
  readonly operation: Operation
}

interface Procedure {
  readonly _def: { readonly meta: OperationMeta & { readonly operation: Operation } }
}

/** Every operation with a REST line. Fixed paths come before paths with placeholders. */
export const operations: readonly RestOperation[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, Procedure>,
)
  .flatMap(([name, procedure]): RestOperation[] => {
    const { operation } = procedure._def.meta
    const { openapi } = operation.meta
    if (!openapi) return []
    const { method, path } = openapi
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    return [{ name, method, path, placeholders, operation }]
  })
  .sort((a, b) => a.placeholders.length - b.placeholders.length || (a.path < b.path ? -1 : 1))
