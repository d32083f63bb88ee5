import { router } from '@payments/platform'
import type { TRPCRouterRecord } from '@trpc/server'
import { domains } from './domains.ts'
import { sandboxRouter } from './sandbox.ts'

const sandbox = sandboxRouter(domains)

type Records = NonNullable<(typeof domains)[number]['router']> | typeof sandbox
type Merged<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never

/**
 * Joins records of procedures. Several domains may add to one branch, such as `admin` and `sandbox`.
 * @throws Error at load time when two domains define one procedure.
 */
function merge(records: readonly TRPCRouterRecord[], path = ''): TRPCRouterRecord {
  const merged: Record<string, TRPCRouterRecord[string]> = {}
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const known = merged[name]
      if (known && (isProcedure(known) || isProcedure(value))) throw new Error(`Two domains define ${path}${name}`)
      merged[name] = known ? merge([known as TRPCRouterRecord, value as TRPCRouterRecord], `${path}${name}.`) : value
    }
  }
  return merged
}

const isProcedure = (value: TRPCRouterRecord[string]): boolean => typeof value === 'function'

/** Every procedure of every domain. */
export const appRouter = router(
  merge([sandbox, ...domains.flatMap((domain) => domain.router ?? [])]) as Merged<Records>,
)

/** What typed clients import. */
export type AppRouter = typeof appRouter
