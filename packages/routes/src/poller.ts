import type { Environment } from '@payments/kernel'
import { type ClaimedPoll, claimPolls, pollTask as polling, type Runtime } from '@payments/platform'
import { poll } from './deposits.ts'
import { routesProvider } from './provider.ts'
import { budget } from './rate-budget.ts'
import { POLL } from './schedule.ts'

const polls = {
  name: POLL,
  port: routesProvider,
  object: 'paymentRoute',
  claim: ({ pool }: Runtime, environment: Environment, { callsPerMinute }: { callsPerMinute: number }, limit: number) =>
    budget.claim(pool, environment, callsPerMinute, limit),
  poll,
}

/** Claims due routes of both environments, at most `room` of them and as many as the providers' rate budgets allow now. */
export const claimRound = (runtime: Runtime, room: number): Promise<readonly ClaimedPoll[]> =>
  claimPolls(runtime, polls, room)

/** Polls the routes that are due. `docs/decisions/payment-route-polling.md` explains the schedule. */
export const pollTask = polling(polls)
