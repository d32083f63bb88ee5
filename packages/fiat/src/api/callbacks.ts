import { type Callback, callbackOf } from '@payments/platform'
import { announce, POLL } from '../orders/schedule.ts'
import { type FiatProvider, fiatProvider } from '../provider/provider.ts'

/**
 * Callbacks of live providers. A signed one is believed in one thing: it is time to poll this order. So no callback
 * that is lost, repeated, late or forged can lose or invent money.
 */
export const callbacks: readonly Callback[] = [
  callbackOf<{ readonly reference: string | null }, FiatProvider>(
    fiatProvider,
    '/fiat',
    async (runtime, _provider, { reference }) => {
      if (reference && (await announce(runtime.pool, [reference], 'live'))) runtime.trigger(POLL)
    },
  ),
]
