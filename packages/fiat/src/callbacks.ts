import type { Callback } from '@payments/platform'
import { schedulePoll } from './polls.ts'
import { fiatProvider } from './provider.ts'

/**
 * Callbacks of the live provider. A signed one is believed in one thing: it is time to poll this order. So no callback
 * that is lost, repeated, late or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  {
    path: '/fiat',
    async receive(runtime, request) {
      const provider = runtime.providers.find(fiatProvider, 'live')
      if (!provider?.callback) return 'unavailable'
      const about = provider.callback(request)
      if (!about) return 'unsigned'
      if (about.reference) await schedulePoll(runtime, 'live', about.reference)
      return 'received'
    },
  },
]
