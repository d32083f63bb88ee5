import type { Environment } from '@payments/kernel'
import { claimPolls, nextPollOf, pollTask as polling, type Runtime } from '@payments/platform'
import { type RoutesProvider, routesProvider } from '../provider/provider.ts'
import { budget } from '../schedule/rate-budget.ts'
import { POLL } from '../schedule/schedule.ts'
import { type Batch, batchesOf, pollBatch } from './batches.ts'

/** Calls that wait for callbacks and the feed, where the provider allows so many a minute that they do not stop everything else. */
const RESERVED_CALLS = 2
const RESERVED_FROM = 60

const polls = {
  name: POLL,
  because: 'Payers watch for their deposit: a route is polled every few seconds, many with one call',
  port: routesProvider,
  object: 'paymentRoute',
  due: (environment: Environment, { name: provider }: RoutesProvider) =>
    nextPollOf('payment_route_polls', { provider, environment }),
  async claim(
    { pool }: Runtime,
    environment: Environment,
    { name: provider, callsPerMinute, depositsOf, addressesPerCall = 1 }: RoutesProvider,
    limit: number,
  ): Promise<Batch[]> {
    const perCall = depositsOf ? addressesPerCall : 1
    const reserve = callsPerMinute >= RESERVED_FROM ? RESERVED_CALLS : 0
    const of = { provider, environment, callsPerMinute }
    return batchesOf(await budget.claim(pool, of, limit * perCall, perCall, reserve), perCall)
  },
  poll: pollBatch,
}

/** Claims due routes of both environments, at most `room` batches of them and as many as the providers' rate budgets allow now. */
export const claimRound = (runtime: Runtime, room: number): Promise<readonly Batch[]> =>
  claimPolls(runtime, polls, room)

/** Polls the routes that are due. `docs/decisions/payment-route-polling.md` explains the schedule. */
export const pollTask = polling(polls)
