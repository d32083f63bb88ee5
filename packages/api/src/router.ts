import { actionsRouter, type Commands } from '@payments/operators'
import { type Operation, type OperationMeta, type ProcedureRule, router } from '@payments/platform'
import type { TRPCRouterRecord } from '@trpc/server'
import { domains } from './domains.ts'
import { sandboxRouter } from './sandbox.ts'

const sandbox = sandboxRouter(domains)

/** Operators' commands by name. The router is complete when the first request asks. */
const commands: Commands = (name) => {
  const procedures = appRouter._def.procedures as unknown as Record<string, Described>
  return Object.hasOwn(procedures, name) ? procedures[name]?._def.meta.operation : undefined
}
const actions = actionsRouter(commands)

interface Described {
  readonly _def: { readonly meta: OperationMeta & { readonly operation: Operation } }
}

type Records = NonNullable<NonNullable<(typeof domains)[number]['api']>['router']> | typeof sandbox | typeof actions
type Merged<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never

/**
 * Merges records of procedures. Several domains may add procedures to one branch, such as `admin` and `sandbox`.
 * @throws Error at load time when two domains define the same procedure.
 */
function merge(records: readonly TRPCRouterRecord[], path = ''): TRPCRouterRecord {
  const merged: Record<string, TRPCRouterRecord[string]> = {}
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const existing = merged[name]
      if (existing && (isProcedure(existing) || isProcedure(value)))
        throw new Error(`Two domains define ${path}${name}`)
      merged[name] = existing
        ? merge([existing as TRPCRouterRecord, value as TRPCRouterRecord], `${path}${name}.`)
        : value
    }
  }
  return merged
}

const isProcedure = (value: TRPCRouterRecord[string]): boolean => typeof value === 'function'

/** Every procedure of every domain. */
export const appRouter = router(
  merge([sandbox, actions, ...domains.flatMap((domain) => domain.api?.router ?? [])]) as Merged<Records>,
)

/** The type that typed clients import. */
export type AppRouter = typeof appRouter

/** What each procedure declares, by its name. */
export const procedureRules: Readonly<Record<string, ProcedureRule>> = Object.fromEntries(
  Object.entries(appRouter._def.procedures as unknown as Record<string, Described>).map(([name, { _def }]) => {
    const { access, personal, operation } = _def.meta
    return [name, { access, personal, money: operation.operatorCommand?.money ?? false }]
  }),
)
