import {
  type Binding,
  type Carried,
  type Environment,
  type Extension,
  environments,
  errors,
  type Port,
  type Provider,
  ServiceError,
} from '@payments/kernel'

/** `active`: takes new objects. `draining`: carries only those that it has. `off`: nothing is asked of it, and its objects wait. */
export const providerStates = ['active', 'draining', 'off'] as const
export type ProviderState = (typeof providerStates)[number]

/** What operators decided for a provider. */
export interface ProviderControl {
  readonly state: ProviderState
  /** Lower is asked first. Null: as the settings order it. */
  readonly priority: number | null
}

/** How providers are chosen for new objects. */
export interface ProviderRules {
  /**
   * Names in the order of the settings, undefined where they give none. A bound provider that an order leaves out takes no new objects.
   * @param scope what an order may depend on, such as a currency or a network
   */
  order(port: string, environment: Environment, scope?: string): readonly string[] | undefined
  /** By name. */
  controls(environment: Environment): Promise<ReadonlyMap<string, ProviderControl>>
}

/** What a new object needs of its provider. */
interface Wanted<L> {
  /** What the settings' order may depend on, such as a currency or a network. */
  readonly scope?: string
  /** Can the provider carry it, by its declared capabilities? */
  serves?(provider: L): boolean
}

/** Finds providers: for a new object by the rules, for an existing one by the name that it stores. */
export interface Providers {
  /**
   * The provider that a new object gets: the first of {@link candidates}.
   * @throws ServiceError 503 when there is none
   */
  for<L extends Provider, S extends L>(key: Port<L, S>, environment: Environment, wanted?: Wanted<L>): Promise<L>
  /**
   * Active providers that can carry a new object, in the order in which they are asked; those that are not available come last.
   * @throws ServiceError 503 when there is none
   */
  candidates<L extends Provider, S extends L>(
    key: Port<L, S>,
    environment: Environment,
    wanted?: Wanted<L>,
  ): Promise<readonly L[]>
  /** The provider of an existing object, in every state. @throws ServiceError 503 when it is not bound any more */
  of<L extends Provider, S extends L>(key: Port<L, S>, object: Carried): L
  /** Every provider that may be asked, draining ones too: who is polled, and who may call back. */
  inUse<L extends Provider, S extends L>(key: Port<L, S>, environment: Environment): Promise<readonly L[]>
  /** Every bound provider, whatever operators decided. */
  bound<L extends Provider, S extends L>(key: Port<L, S>, environment: Environment): readonly L[]
  /** The ports that no provider serves for new objects in an environment, each with the message of its 503. */
  missing(environment: Environment): Promise<readonly Missing[]>
  /** Every bound provider with the port that it serves, for operators. */
  list(): readonly BoundProvider[]
  /** The simulated provider of the test environment, with its controls. */
  sandbox<L extends Provider, S extends L>(key: Port<L, S>): S
  /** The implementation of an extension. @throws ServiceError 503 when there is none */
  get<T>(key: Extension<T>, environment: Environment): T
}

/** A port without a provider. */
interface Missing {
  /** Name of the port. */
  readonly port: string
  readonly message: string
}

/** A provider as operators see it. */
interface BoundProvider extends Carried {
  /** Name of the port. */
  readonly port: string
  readonly available: boolean
}

/** Without settings and decisions of operators, bindings are asked in their order. */
const NO_RULES: ProviderRules = { order: () => undefined, controls: async () => new Map() }

/** Looks up providers in a list of bindings. Of several of one port, environment and name, the first is used. */
export function providers(bindings: readonly Binding[], rules: ProviderRules = NO_RULES): Providers {
  const bound = <T>(key: Binding['port'], environment: Environment): T[] =>
    bindings
      .filter((each) => each.port === key && each.environment === environment)
      .map(({ provider }) => provider as T)
  const named = <L extends Provider>(key: Port<L>, environment: Environment): L[] => {
    const byName = new Map<string, L>()
    for (const each of bound<L>(key, environment)) if (!byName.has(each.name)) byName.set(each.name, each)
    return [...byName.values()]
  }
  const unavailable = ({ capability }: Binding['port'], environment: Environment, cause?: string): ServiceError =>
    new ServiceError(
      'capability_unavailable',
      { ...errors.capability_unavailable, message: `${capability} in the ${environment} environment` },
      cause === undefined ? {} : { cause: new Error(cause) },
    )
  const first = <T>(found: readonly T[], key: Binding['port'], environment: Environment, cause?: string): T => {
    if (found[0] === undefined) throw unavailable(key, environment, cause)
    return found[0]
  }
  const candidates = async <L extends Provider>(key: Port<L>, environment: Environment, wanted: Wanted<L> = {}) => {
    const { scope, serves } = wanted
    const all = named(key, environment)
    const order = rules.order(key.name, environment, scope) ?? all.map(({ name }) => name)
    const controls = all.length === 0 ? new Map<string, ProviderControl>() : await rules.controls(environment)
    const place = ({ name }: L) => controls.get(name)?.priority ?? order.indexOf(name)
    const found = all
      .filter(({ name }) => order.includes(name) && (controls.get(name)?.state ?? 'active') === 'active')
      .filter((provider) => serves?.(provider) ?? true)
      .map((provider) => ({ provider, down: provider.isAvailable?.() === false, at: place(provider) }))
      .sort((a, b) => Number(a.down) - Number(b.down) || a.at - b.at)
      .map(({ provider }) => provider)
    first(found, key, environment)
    return found
  }
  const ports = [...new Set(bindings.flatMap(({ port: key }) => (key.name === null ? [] : [key as Port<never>])))]
  return {
    candidates: (key, environment, wanted) =>
      candidates(key as Port<never>, environment, wanted as Wanted<Provider>) as Promise<never>,
    for: async (key, environment, wanted) =>
      (await candidates(key as Port<never>, environment, wanted as Wanted<Provider>))[0] as never,
    of(key, { provider, environment }) {
      const all = named(key as Port<never>, environment)
      const own = all.filter(({ name }) => name === provider)
      // Objects of the test environment have one provider, whatever it was called when they were created.
      const found = own.length === 0 && environment === 'test' ? all.slice(-1) : own
      return first(found, key, environment, `No provider named ${provider}`)
    },
    async inUse(key, environment) {
      const all = named(key as Port<never>, environment)
      if (all.length === 0) return []
      const controls = await rules.controls(environment)
      return all.filter(({ name }: Provider) => controls.get(name)?.state !== 'off')
    },
    bound: (key, environment) => named(key as Port<never>, environment),
    async missing(environment) {
      const found = await Promise.all(
        ports.map(async (key) => {
          try {
            await candidates(key, environment)
            return []
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error
            return [{ port: key.name, message: error.message }]
          }
        }),
      )
      return found.flat()
    },
    list() {
      return ports.flatMap((key) =>
        environments.flatMap((environment) =>
          named<Provider>(key, environment).map((provider) => ({
            port: key.name,
            environment,
            provider: provider.name,
            available: provider.isAvailable?.() !== false,
          })),
        ),
      )
    },
    sandbox: (key) => first(bound(key as Port<never>, 'test'), key, 'test'),
    get: (key, environment) => first(bound(key, environment), key, environment),
  }
}
