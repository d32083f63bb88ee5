import type { Binding, Environment, Provider } from '@payments/kernel'
import { sharedRead } from '../database/shared/shared-read.ts'
import type { SqlExecutor } from '../database/sql.ts'
import type { Domain } from '../domain/domain.ts'
import type { ProviderControl, ProviderRules, ProviderState } from '../operations/context/lookup.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'

/** What operators decided for the providers of an environment, by name. One without a row is active, in the order of the settings. */
export async function readControls(
  db: SqlExecutor,
  environment: Environment,
): Promise<ReadonlyMap<string, ProviderControl>> {
  const { rows } = await db.query<{ provider: string; state: ProviderState; priority: number | null }>(
    'select provider, state, priority from provider_controls where environment = $1',
    [environment],
  )
  return new Map(rows.map(({ provider, state, priority }) => [provider, { state, priority }]))
}

/** Stores what an operator decided, in the caller's transaction. It holds in every process from its commit on. */
export async function writeControl(
  db: SqlExecutor,
  environment: Environment,
  provider: string,
  { state, priority }: ProviderControl,
): Promise<void> {
  await db.query(
    `insert into provider_controls (provider, environment, state, priority) values ($1, $2, $3, $4)
     on conflict (provider, environment) do update set state = excluded.state, priority = excluded.priority`,
    [provider, environment, state, priority],
  )
}

/**
 * How this process chooses providers: the order of the settings for the live environment, and what operators decided, read after each new
 * object is asked for, so that a provider that is drained gets none from the operator's commit on.
 * @param db outside of transactions: its reads are shared
 */
export function providerRules(domains: readonly Domain[], settings: Settings, db: SqlExecutor): ProviderRules {
  const orders = new Map(
    domains.flatMap(({ providers = [] }) =>
      providers.map(({ port, order }) => [port.name, order?.of(settings)] as const),
    ),
  )
  const shared = (environment: Environment) => sharedRead(() => readControls(db, environment))
  const controls = { test: shared('test'), live: shared('live') } satisfies Record<Environment, unknown>
  return {
    order(port, environment, scope = '') {
      const order = environment === 'live' ? orders.get(port) : undefined
      return order?.get(scope) ?? order?.get('')
    },
    controls: (environment) => controls[environment](),
  }
}

/** @throws SettingsError for an order that names a provider that is not bound: it would never be asked */
export function checkProviderOrders(domains: readonly Domain[], settings: Settings, live: readonly Binding[]): void {
  for (const { port, order } of domains.flatMap(({ providers = [] }) => providers)) {
    const names = [...(order?.of(settings)?.values() ?? [])].flat()
    if (!order || names.length === 0) continue
    const bound = live.flatMap((each) => (each.port === port ? [(each.provider as Provider).name] : []))
    const unknown = names.find((name) => !bound.includes(name))
    if (unknown !== undefined)
      throw new SettingsError(
        `${order.setting}: no provider "${unknown}" is configured${bound.length > 0 ? `; those that are: ${bound.join(', ')}` : ''}`,
      )
  }
}
