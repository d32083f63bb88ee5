import type { Environment } from './actor.ts'
import { errors, ServiceError } from './errors.ts'

/**
 * The key of a domain's port. `capability` completes the sentence "<capability> in the live environment", with its verb
 * in the right number: "Payment routes are not available". `Sandbox` is what the simulated provider offers beyond the port.
 */
export interface Port<Live, Sandbox extends Live = Live> {
  readonly capability: string
  readonly '~types'?: { live: Live; sandbox: Sandbox }
}

/** Names a port, with the sentence of the 503 that an environment without a provider answers. */
export const port = <Live, Sandbox extends Live = Live>(capability: string): Port<Live, Sandbox> => ({ capability })

/** Which implementation of each port serves which environment. */
export interface Providers {
  /** @throws ServiceError 503 where the environment has none configured. */
  get<L, S extends L>(key: Port<L, S>, environment: Environment): L
  /** The same, or undefined where none is configured. */
  find<L, S extends L>(key: Port<L, S>, environment: Environment): L | undefined
  /** The simulated provider of the test environment, with its controls. */
  sandbox<L, S extends L>(key: Port<L, S>): S
}

/** One provider bound to a port in an environment. */
export interface Binding {
  readonly port: Port<unknown>
  readonly environment: Environment
  readonly provider: unknown
}

export const bind = <L, S extends L>(key: Port<L, S>, environment: Environment, provider: L): Binding => ({
  port: key as Port<unknown>,
  environment,
  provider,
})

/** The bindings as a lookup. The first binding of a port and environment wins. */
export function providers(bindings: readonly Binding[]): Providers {
  const find = <T>(key: Port<T>, environment: Environment): T | undefined =>
    bindings.find((binding) => binding.port === key && binding.environment === environment)?.provider as T | undefined
  const get = <T>(key: Port<T>, environment: Environment): T => {
    const found = find(key, environment)
    if (found !== undefined) return found
    throw new ServiceError('capability_unavailable', {
      ...errors.capability_unavailable,
      message: `${key.capability} in the ${environment} environment`,
    })
  }
  return {
    find: (key, environment) => find(key as Port<never>, environment),
    get: (key, environment) => get(key as Port<never>, environment),
    sandbox: (key) => get(key as Port<never>, 'test'),
  }
}
