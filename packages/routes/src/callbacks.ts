import type { Callback } from '@payments/platform'
import { schedulePolls } from './deposits.ts'
import { routesProvider } from './provider.ts'

/**
 * Callbacks of the live provider. A signed one is believed in one thing: it is time to poll this address. So no callback
 * that is lost, repeated, late or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  {
    path: '/payment-routes',
    async receive(runtime, request) {
      const provider = runtime.providers.find(routesProvider, 'live')
      if (!provider?.callback) return 'unavailable'
      const report = provider.callback(request)
      if (!report) return 'unsigned'
      if (report.depositAddress) await schedulePolls(runtime, 'live', [report.depositAddress])
      return 'received'
    },
  },
]
