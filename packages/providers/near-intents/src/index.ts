/** NEAR Intents 1Click (near-intents.org): a deposit address for one payment, whose money arrives on another chain. */
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import { nearIntentsSettings } from './settings.ts'

/** Payment routes for one payment each over 1Click, once `NEAR_INTENTS_TOKEN` is set. */
export const nearIntentsAdapter: LiveAdapter = {
  name: 'near-intents',
  settings: nearIntentsSettings,
  async bindings(settings) {
    const own = nearIntentsSettings.from(settings)
    if (!own.NEAR_INTENTS_TOKEN) return []
    const { nearIntents } = await import('./near-intents.ts')
    const provider = nearIntents({
      baseUrl: own.NEAR_INTENTS_BASE_URL,
      token: own.NEAR_INTENTS_TOKEN,
      requestsPerMinute: own.NEAR_INTENTS_REQUESTS_PER_MINUTE,
      quotesPerMinute: own.NEAR_INTENTS_QUOTES_PER_MINUTE,
      slippage: own.NEAR_INTENTS_SLIPPAGE_BASIS_POINTS,
    })
    return [bind(routesProvider, 'live', provider)]
  },
}
