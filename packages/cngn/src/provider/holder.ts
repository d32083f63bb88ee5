import { type Environment, environments } from '@payments/kernel'
import type { QueryContext, Runtime } from '@payments/platform'
import {
  type CngnProvider,
  type CustomerAccountsProvider,
  cngnProvider,
  convertOutProvider,
  customerAccountsProvider,
} from './provider.ts'

/**
 * The provider that holds the treasury of an environment. There is one: money that lies in its accounts does not move to another
 * provider by a setting. See `docs/decisions/cngn.md`.
 * @throws capability_unavailable 503
 */
export const treasuryProvider = ({ providers }: Pick<Runtime, 'providers'>, environment: Environment): CngnProvider =>
  providers.of(cngnProvider, { provider: treasuryName({ providers }, environment), environment })

/** The name of that provider; empty where there is none. */
export const treasuryName = ({ providers }: Pick<Runtime, 'providers'>, environment: Environment): string =>
  providers.bound(cngnProvider, environment)[0]?.name ?? ''

/** The credentials that it is asked with; null: it has none, as in the sandbox. */
export const credentialsNow = (runtime: Pick<Runtime, 'providers'>, environment: Environment): string | null =>
  treasuryProvider(runtime, environment).credentials ?? null

/** The provider with accounts and addresses of customers in that treasury; undefined where it gives none. */
export const customerAccounts = (
  { providers }: Pick<Runtime, 'providers'>,
  environment: Environment,
): CustomerAccountsProvider | undefined => providers.bound(customerAccountsProvider, environment)[0]

/** The addresses of the treasury on networks, as far as converters know them: nothing is paid out to one. */
export const treasuryAddresses = ({ providers }: Pick<Runtime, 'providers'>): readonly string[] =>
  environments
    .flatMap((environment) => providers.bound(convertOutProvider, environment))
    .flatMap(({ returnAddresses = {} }) => Object.values(returnAddresses))

/** Refuses a new object while the provider takes none. @throws capability_unavailable 503 */
export async function checkTreasury({ runtime, actor }: Pick<QueryContext, 'runtime' | 'actor'>): Promise<void> {
  await runtime.providers.for(cngnProvider, actor.environment)
}

/** The provider that holds the actor's money, and its account there. @throws capability_unavailable 503 */
export function heldBy({ runtime, actor }: Pick<QueryContext, 'runtime' | 'actor'>): {
  provider: string
  account: string
} {
  const provider = treasuryProvider(runtime, actor.environment)
  return { provider: provider.name, account: provider.account(actor.organisationId) }
}
