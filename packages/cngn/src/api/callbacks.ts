import { type Callback, callbackOf } from '@payments/platform'
import { type CngnProvider, cngnProvider } from '../provider/provider.ts'
import { FEED } from '../provider/schedule.ts'

/**
 * Callbacks of live providers. They send each once, and this service believes a signed one in one thing: it is time to read the
 * list. So no callback that is lost, repeated or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  callbackOf<boolean, CngnProvider>(cngnProvider, '/cngn', async (runtime, { pollSeconds }) => {
    await runtime.pool.query(
      "update cngn_feeds set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, $1) where environment = 'live'",
      [pollSeconds.soonest],
    )
    runtime.trigger(FEED)
  }),
]
