import type { Environment } from '@payments/kernel'
import { type Budget, type ClaimedPoll, pollBudget } from '@payments/platform'
import type { Direction, FiatProvider } from '../provider/provider.ts'

/** The provider's limit, which scheduled polls share with those that operators ask for. */
export const budget = pollBudget({ bucket: 'order polls', polls: 'fiat_polls', extra: ['direction'] })

/** The limit of calls for what is new. Its pauses hold for every call: the provider counts all of them together. */
export const pauseOf = ({ name }: FiatProvider, environment: Environment): Budget => ({
  provider: name,
  bucket: 'new',
  environment,
})

export type ClaimedOrder = ClaimedPoll & { readonly direction: Direction }
