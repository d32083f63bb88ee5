import { type ClaimedPoll, pollBudget } from '@payments/platform'
import type { Direction } from './provider.ts'

/** The provider's limit, which scheduled polls share with those that operators ask for. */
export const budget = pollBudget({
  provider: 'fiat',
  polls: 'fiat_polls',
  budgets: 'fiat_rate_budgets',
  extra: ['direction'],
})

export type ClaimedOrder = ClaimedPoll & { readonly direction: Direction }
