import type { Environment } from '@payments/kernel'
import { type Budget, pollBudget } from '@payments/platform'
import type { RoutesProvider } from '../provider/provider.ts'

const BUCKET = 'deposit polls'
/** The provider's limit, which scheduled polls share with those that merchants and operators ask for. */
export const budget = pollBudget({ bucket: BUCKET, polls: 'payment_routes' })

/** Where a pause that the provider asks for in a poll is kept, for the polls of all processes. Quotes have a limit of their own. */
export const pauseOf = (provider: RoutesProvider, environment: Environment): Budget => ({
  provider: provider.name,
  bucket: BUCKET,
  environment,
})
