/** Paycrest (paycrest.io): stablecoin to bank accounts and mobile money, and back. */
import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import type { PaycrestOptions } from './client.ts'
import { paycrestSettings } from './settings.ts'

/** Local fiat over Paycrest, once `PAYCREST_API_KEY` and `PAYCREST_API_SECRET` are set. */
export const paycrestAdapter: LiveAdapter = {
  name: 'paycrest',
  callbacks: true,
  settings: paycrestSettings,
  async bindings(settings) {
    const options = optionsOf(settings)
    if (!options) return []
    const { paycrest } = await import('./paycrest.ts')
    return [bind(fiatProvider, 'live', paycrest(options))]
  },
  async diagnose(settings) {
    const options = optionsOf(settings)
    return options ? (await import('./diagnose.ts')).diagnosePaycrest(options) : []
  },
}

function optionsOf(settings: Settings): PaycrestOptions | undefined {
  const own = paycrestSettings.from(settings)
  if (!own.PAYCREST_API_KEY || !own.PAYCREST_API_SECRET) return undefined
  return {
    baseUrl: own.PAYCREST_BASE_URL,
    apiKey: own.PAYCREST_API_KEY,
    apiSecret: own.PAYCREST_API_SECRET,
    requestsPerMinute: own.PAYCREST_REQUESTS_PER_MINUTE,
    newRequestsPerMinute: own.PAYCREST_NEW_REQUESTS_PER_MINUTE,
    maxOrder: own.PAYCREST_MAX_ORDER,
  }
}
