import { type Callback, callbackOf } from '@payments/platform'
import { schedulePolls } from '../deposits/deposits.ts'
import { type RoutesProvider, routesProvider } from '../provider/provider.ts'

/**
 * Callbacks of live providers. A signed one is believed in one thing: it is time to poll this address. So no callback
 * that is lost, repeated, late or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  callbackOf<{ readonly depositAddress: string | null }, RoutesProvider>(
    routesProvider,
    '/payment-routes',
    async (runtime, _provider, { depositAddress }) => {
      if (depositAddress) await schedulePolls(runtime, 'live', [depositAddress])
    },
  ),
]
