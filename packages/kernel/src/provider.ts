import type { Environment } from './actor.ts'

/** What every provider says of itself. */
export interface Provider {
  /** Stored with each object that it carries: it names the provider in budgets, evidence and the journal. */
  readonly name: string
  /**
   * Fingerprint of the credentials that it calls with; absent where it has none, as in the sandbox. Other credentials may be another account's,
   * which knows nothing of the objects of the first.
   */
  readonly credentials?: string
  /** False while its calls would fail at once, such as while its circuit breaker is open. */
  isAvailable?(): boolean
}

/**
 * The key of a domain's port. `capability` is the beginning of the message "<capability> in the live environment" and
 * includes the verb: "Payment routes are not available". `Sandbox` is the interface of the simulated provider: the port
 * and its controls.
 */
export interface Port<Live, Sandbox extends Live = Live> {
  /** What its providers are for, such as `fiat`: `FIAT_PROVIDERS` orders them. */
  readonly name: string
  readonly capability: string
  readonly '~types'?: { live: Live; sandbox: Sandbox }
}

/** The key of a part that another domain of this service implements. It is no external system: it has one implementation. */
export interface Extension<Implementation> {
  readonly name: null
  readonly capability: string
  readonly '~types'?: { implementation: Implementation }
}

/** Defines a port: its name, and the beginning of the 503 message for an environment without a provider. */
export const port = <Live extends Provider, Sandbox extends Live = Live>(
  name: string,
  capability: string,
): Port<Live, Sandbox> => ({ name, capability })

export const extension = <Implementation>(capability: string): Extension<Implementation> => ({ name: null, capability })

/** An object that a provider carries. */
export interface Carried {
  readonly provider: string
  readonly environment: Environment
}

/** One provider bound to a port, or an implementation to an extension, in an environment. */
export interface Binding {
  readonly port: Port<unknown> | Extension<unknown>
  readonly environment: Environment
  readonly provider: unknown
}

export function bind<T>(key: Extension<T>, environment: Environment, implementation: T): Binding
export function bind<L, S extends L>(key: Port<L, S>, environment: Environment, provider: L): Binding
export function bind(key: Binding['port'], environment: Environment, provider: unknown): Binding {
  return { port: key, environment, provider }
}
