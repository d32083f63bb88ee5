import type { Environment } from './actor.ts'
import { Refusal } from './refusals.ts'

/** The key of a domain's port: what it is called in a refusal, and (as a type only) what it looks like. */
export interface Port<T> {
  readonly capability: string
  readonly '~type'?: T
}

/** Names a port. `capability` completes the sentence "<capability> is not available in the live environment". */
export const port = <T>(capability: string): Port<T> => ({ capability })

/** Which implementation of each port serves which environment. */
export interface Providers {
  /** @throws Refusal 503 where the environment has none configured. */
  get<T>(key: Port<T>, environment: Environment): T
  /** The same for those who can do without. */
  find<T>(key: Port<T>, environment: Environment): T | undefined
}

/** One line of the composition. */
export interface Binding<T = unknown> {
  readonly port: Port<T>
  readonly environment: Environment
  readonly provider: T
}

export const bind = <T>(key: Port<T>, environment: Environment, provider: T): Binding => ({
  port: key,
  environment,
  provider,
})

/** The table of bindings as a lookup. */
export function providers(bindings: readonly Binding[]): Providers {
  const find = <T>(key: Port<T>, environment: Environment): T | undefined =>
    bindings.find((binding) => binding.port === key && binding.environment === environment)?.provider as T | undefined
  return {
    find,
    get<T>(key: Port<T>, environment: Environment): T {
      const found = find(key, environment)
      if (found !== undefined) return found
      throw new Refusal('capability_unavailable', {
        status: 503,
        says: `${key.capability} is not available in the ${environment} environment`,
      })
    },
  }
}
