import type { Environment } from '@payments/kernel'
import { type Budget, pollBudget } from '@payments/platform'
import type { RoutesProvider } from './provider.ts'

/** The provider's limit, which scheduled polls share with those that merchants and operators ask for. */
export const budget = pollBudget({ provider: 'routes', polls: 'payment_routes', budgets: 'provider_rate_budgets' })

/** Where a pause that the provider asks for in a poll is kept, for the polls of all processes. Quotes have a limit of their own. */
export const pauseOf = (provider: RoutesProvider, environment: Environment): Budget => ({
  provider: provider.name,
  bucket: 'polls',
  environment,
})
