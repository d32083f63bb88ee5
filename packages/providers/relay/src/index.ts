/** Relay (relay.link): deposit addresses on one chain whose deposits arrive on another. */
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import { relay } from './relay.ts'
import { relaySettings } from './settings.ts'

/** Payment routes over Relay, once `RELAY_API_KEY` is set. */
export const relayAdapter: LiveAdapter = {
  name: 'relay',
  settings: relaySettings,
  bindings(settings) {
    const { RELAY_API_KEY, RELAY_BASE_URL, RELAY_REQUESTS_PER_MINUTE } = relaySettings.from(settings)
    if (!RELAY_API_KEY) return []
    const provider = relay({
      baseUrl: RELAY_BASE_URL,
      apiKey: RELAY_API_KEY,
      requestsPerMinute: RELAY_REQUESTS_PER_MINUTE,
    })
    return [bind(routesProvider, 'live', provider)]
  },
}

export type { RelayOptions } from './client.ts'
