import { pollTask as polling } from '@payments/platform'
import { claimDeliveries, pollDelivery } from './deliveries.ts'
import { claimFeeds, pollFeed } from './feed.ts'
import { cngnProvider, convertOutProvider } from './provider.ts'
import { secondsUntilFree } from './rate-budget.ts'
import { DELIVERY, FEED, SEND } from './schedule.ts'
import { claimSends, send } from './sends.ts'

/** Nothing is claimed while no call is free: it would only be postponed. */
const free = async (
  runtime: Parameters<typeof claimSends>[0],
  environment: Parameters<typeof claimSends>[1],
  { callsPerMinute }: { readonly callsPerMinute: number | null },
) => callsPerMinute === null || (await secondsUntilFree(runtime.pool, environment, callsPerMinute)) === 0

/** Sends the orders that wait, reads the provider's lists, and follows deliveries. `docs/decisions/cngn.md` explains them. */
export const tasks = [
  polling({
    name: SEND,
    port: cngnProvider,
    object: 'transfer',
    claim: async (runtime, environment, provider, limit) =>
      (await free(runtime, environment, provider)) ? claimSends(runtime, environment, limit) : [],
    poll: send,
  }),
  polling({
    name: FEED,
    port: cngnProvider,
    object: 'account',
    claim: async (runtime, environment, provider, limit) =>
      (await free(runtime, environment, provider)) ? claimFeeds(runtime, environment, limit) : [],
    poll: pollFeed,
  }),
  polling({
    name: DELIVERY,
    port: convertOutProvider,
    object: 'transfer',
    claim: (runtime, environment, _provider, limit) => claimDeliveries(runtime, environment, limit),
    poll: pollDelivery,
  }),
]
