import { pollTask as polling } from '@payments/platform'
import { fiatProvider } from '../provider/provider.ts'
import { poll } from './polls.ts'
import { budget, type ClaimedOrder, pauseOf } from './rate-budget.ts'
import { POLL } from './schedule.ts'

/** Polls the orders that are due. `docs/decisions/local-fiat.md` explains the schedule. */
export const pollTask = polling({
  name: POLL,
  port: fiatProvider,
  object: 'order',
  pause: pauseOf,
  claim: async ({ pool }, environment, { name: provider, callsPerMinute }, limit) =>
    (await budget.claim(pool, { provider, environment, callsPerMinute }, limit)) as ClaimedOrder[],
  poll,
})
