import type { Callback } from '@payments/platform'
import { cngnProvider } from './provider.ts'
import { FEED } from './schedule.ts'

/**
 * Callbacks of the live provider. It sends each once, and this service believes a signed one in one thing: it is time to read the
 * list. So no callback that is lost, repeated or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  {
    path: '/cngn',
    async receive(runtime, request) {
      const provider = runtime.providers.find(cngnProvider, 'live')
      if (!provider?.callback) return 'unavailable'
      if (!provider.callback(request)) return 'unsigned'
      await runtime.pool.query(
        "update cngn_feeds set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, $1) where environment = 'live'",
        [provider.pollSeconds.soonest],
      )
      runtime.trigger(FEED)
      return 'received'
    },
  },
]
