import type { Environment } from '@payments/kernel'
import { pollTask as polling } from '@payments/platform'
import { cngnProvider, convertOutProvider } from '../provider/provider.ts'
import { isFree } from '../provider/rate-budget.ts'
import { DELIVERY, FEED, SEND } from '../provider/schedule.ts'
import { claimFeeds, pollFeed } from './feed.ts'
import { pollDelivery } from './sends/deliveries.ts'
import { send } from './sends/send.ts'
import { claimDeliveries, claimSends } from './sends/table.ts'

/** SQL: when the next row of an environment is due, by an index on (environment, `at`) of the rows that fulfil the condition. */
const nextOf = (table: string, at: string, environment: Environment, where = 'true'): string =>
  `select ${at} from ${table} where environment = '${environment}' and ${where} order by ${at} limit 1`

/** Sends the orders that wait, reads the provider's lists, and follows deliveries. `docs/decisions/cngn.md` explains them. */
export const tasks = [
  polling({
    name: SEND,
    because: 'An order is sent within a second, by one process, as soon as the limit of calls has room',
    port: cngnProvider,
    object: 'transfer',
    due: (environment) => nextOf('cngn_sends', 'next_send_at', environment, "status = 'queued'"),
    claim: async (runtime, environment, _provider, limit) =>
      (await isFree(runtime, environment, 'send')) ? claimSends(runtime, environment, limit) : [],
    poll: send,
  }),
  polling({
    name: FEED,
    because: 'One list says what arrived for all accounts, every few seconds while something is awaited',
    port: cngnProvider,
    object: 'account',
    due: (environment) => nextOf('cngn_feeds', 'next_poll_at', environment),
    claim: async (runtime, environment, _provider, limit) =>
      (await isFree(runtime, environment, 'poll')) ? claimFeeds(runtime, environment, limit) : [],
    poll: pollFeed,
  }),
  polling({
    name: DELIVERY,
    because: 'A convert on its way is polled every few seconds',
    port: convertOutProvider,
    object: 'transfer',
    due: (environment) => nextOf('cngn_sends', 'next_delivery_at', environment, 'next_delivery_at is not null'),
    claim: (runtime, environment, _provider, limit) => claimDeliveries(runtime, environment, limit),
    poll: pollDelivery,
  }),
]
