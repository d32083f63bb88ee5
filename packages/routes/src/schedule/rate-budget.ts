import { pollBudget } from '@payments/platform'

/** The provider's limit, which scheduled polls share with those that merchants and operators ask for. */
export const budget = pollBudget({ bucket: 'deposit polls', polls: 'payment_route_polls' })

/** Quotes have a limit of their own. */
export const { pauseOf } = budget
