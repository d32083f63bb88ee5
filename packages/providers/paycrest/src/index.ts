/** Paycrest (paycrest.io): stablecoin to bank accounts and mobile money, and back. */
import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { paycrestSettings } from './settings.ts'

/** Local fiat over Paycrest, once `PAYCREST_API_KEY` and `PAYCREST_API_SECRET` are set. */
export const paycrestAdapter: LiveAdapter = {
  name: 'paycrest',
  settings: paycrestSettings,
  async bindings(settings) {
    const own = paycrestSettings.from(settings)
    if (!own.PAYCREST_API_KEY || !own.PAYCREST_API_SECRET) return []
    const { paycrest } = await import('./paycrest.ts')
    const provider = paycrest({
      baseUrl: own.PAYCREST_BASE_URL,
      apiKey: own.PAYCREST_API_KEY,
      apiSecret: own.PAYCREST_API_SECRET,
      requestsPerMinute: own.PAYCREST_REQUESTS_PER_MINUTE,
      newRequestsPerMinute: own.PAYCREST_NEW_REQUESTS_PER_MINUTE,
      maxOrder: own.PAYCREST_MAX_ORDER,
    })
    return [bind(fiatProvider, 'live', provider)]
  },
}
