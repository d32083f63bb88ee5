/** NEAR Intents 1Click (near-intents.org): a deposit address for one payment, whose money arrives on another chain. */
import { bind } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import type { NearIntentsOptions } from './near-intents.ts'
import { nearIntentsSettings } from './settings.ts'

/** Payment routes for one payment each over 1Click, once `NEAR_INTENTS_TOKEN` is set. */
export const nearIntentsAdapter: LiveAdapter = {
  name: 'near-intents',
  callbacks: false,
  settings: nearIntentsSettings,
  async bindings(settings) {
    const options = optionsOf(settings)
    if (!options) return []
    const { nearIntents } = await import('./near-intents.ts')
    return [bind(routesProvider, 'live', nearIntents(options))]
  },
  async diagnose(settings) {
    const options = optionsOf(settings)
    return options ? (await import('./diagnose.ts')).diagnoseNearIntents(options) : []
  },
}

function optionsOf(settings: Settings): NearIntentsOptions | undefined {
  const own = nearIntentsSettings.from(settings)
  if (!own.NEAR_INTENTS_TOKEN) return undefined
  return {
    baseUrl: own.NEAR_INTENTS_BASE_URL,
    token: own.NEAR_INTENTS_TOKEN,
    requestsPerMinute: own.NEAR_INTENTS_REQUESTS_PER_MINUTE,
    quotesPerMinute: own.NEAR_INTENTS_QUOTES_PER_MINUTE,
    slippage: own.NEAR_INTENTS_SLIPPAGE_BASIS_POINTS,
  }
}
