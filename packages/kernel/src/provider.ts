import type { Environment } from './actor.ts'
import { errors, ServiceError } from './errors.ts'

/**
 * The key of a domain's port. `capability` is the beginning of the message "<capability> in the live environment" and
 * includes the verb: "Payment routes are not available". `Sandbox` is the interface of the simulated provider: the port
 * and its controls.
 */
export interface Port<Live, Sandbox extends Live = Live> {
  /** The provider's name for operators, such as `fiat`; null where it is no external system, so that calls need no record. */
  readonly name: string | null
  readonly capability: string
  readonly '~types'?: { live: Live; sandbox: Sandbox }
}

/** Defines a port: its name for operators, and the beginning of the 503 message for an environment without a provider. */
export const port = <Live, Sandbox extends Live = Live>(
  name: string | null,
  capability: string,
): Port<Live, Sandbox> => ({
  name,
  capability,
})

/** Finds the implementation of a port for an environment. */
export interface Providers {
  /** @throws ServiceError 503 when no provider is configured for the environment. */
  get<L, S extends L>(key: Port<L, S>, environment: Environment): L
  /** Like `get`, but returns undefined when no provider is configured. */
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

/** Looks up providers in a list of bindings. The first binding of a port and environment is used. */
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
