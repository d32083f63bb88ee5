import { pollBudget } from '@payments/platform'

/** The provider's limit, which scheduled polls share with those that merchants and operators ask for. */
export const budget = pollBudget({ provider: 'routes', polls: 'payment_routes', budgets: 'provider_rate_budgets' })
