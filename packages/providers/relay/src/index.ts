/** Relay (relay.link): deposit addresses on one chain whose deposits arrive on another. */
import { convertOutProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import { relaySettings } from './settings.ts'

/** Payment routes over Relay, once `RELAY_API_KEY` is set; converts out of cNGN with `RELAY_CNGN_TREASURY` too. */
export const relayAdapter: LiveAdapter = {
  name: 'relay',
  settings: relaySettings,
  async bindings(settings) {
    const own = relaySettings.from(settings)
    const { RELAY_API_KEY, RELAY_BASE_URL, RELAY_CNGN_TREASURY } = own
    if (!RELAY_API_KEY) return []
    const [{ relay }, { relayClient }, { relayConvertOut }] = await Promise.all([
      import('./relay.ts'),
      import('./client.ts'),
      import('./convert-out.ts'),
    ])
    const options = {
      baseUrl: RELAY_BASE_URL,
      apiKey: RELAY_API_KEY,
      requestsPerMinute: own.RELAY_REQUESTS_PER_MINUTE,
      quotesPerMinute: own.RELAY_QUOTES_PER_MINUTE,
    }
    const converts =
      Object.keys(RELAY_CNGN_TREASURY).length > 0
        ? [bind(convertOutProvider, 'live', relayConvertOut(relayClient(options), RELAY_CNGN_TREASURY))]
        : []
    return [bind(routesProvider, 'live', relay(options)), ...converts]
  },
}

export type { RelayOptions } from './client.ts'
