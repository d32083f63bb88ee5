import { pollTask as polling } from '@payments/platform'
import { poll } from './polls.ts'
import { fiatProvider } from './provider.ts'
import { budget, type ClaimedOrder } from './rate-budget.ts'
import { POLL } from './schedule.ts'

/** Polls the orders that are due. `docs/decisions/local-fiat.md` explains the schedule. */
export const pollTask = polling({
  name: POLL,
  port: fiatProvider,
  object: 'order',
  claim: ({ pool }, environment, { callsPerMinute }, limit) =>
    budget.claim(pool, environment, callsPerMinute, limit) as Promise<ClaimedOrder[]>,
  poll,
})
