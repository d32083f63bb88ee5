import type { QueryContext } from '@payments/platform'
import { cngnProvider } from './provider.ts'

/** The provider that holds the actor's money, and its account there. @throws capability_unavailable 503 */
export function heldBy({ runtime, actor }: Pick<QueryContext, 'runtime' | 'actor'>): {
  provider: string
  account: string
} {
  const provider = runtime.providers.get(cngnProvider, actor.environment)
  return { provider: provider.name, account: provider.account(actor.organisationId) }
}
