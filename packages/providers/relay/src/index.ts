/** Relay (relay.link): deposit addresses on one chain whose deposits arrive on another. */
// Order, lowest first: settings, assets, client, wire, errors, offers, reports, diagnose, quotes, relay.
import { convertOutProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import type { RelayOptions } from './client.ts'
import { relaySettings } from './settings.ts'

/** Payment routes over Relay, once `RELAY_API_KEY` is set; converts out of cNGN with `RELAY_CNGN_TREASURY` too. */
export const relayAdapter: LiveAdapter = {
  name: 'relay',
  callbacks: true,
  settings: relaySettings,
  async bindings(settings) {
    const options = optionsOf(settings)
    if (!options) return []
    const { RELAY_CNGN_TREASURY } = relaySettings.from(settings)
    const [{ relay }, { relayClient }, { relayConvertOut }] = await Promise.all([
      import('./relay.ts'),
      import('./client.ts'),
      import('./quotes/convert-out.ts'),
    ])
    const converts =
      Object.keys(RELAY_CNGN_TREASURY).length > 0
        ? [bind(convertOutProvider, 'live', relayConvertOut(relayClient(options), RELAY_CNGN_TREASURY))]
        : []
    return [bind(routesProvider, 'live', relay(options)), ...converts]
  },
  async diagnose(settings) {
    const options = optionsOf(settings)
    return options ? (await import('./diagnose.ts')).diagnoseRelay(options) : []
  },
}

function optionsOf(settings: Settings): RelayOptions | undefined {
  const own = relaySettings.from(settings)
  if (!own.RELAY_API_KEY) return undefined
  return {
    baseUrl: own.RELAY_BASE_URL,
    apiKey: own.RELAY_API_KEY,
    requestsPerMinute: own.RELAY_REQUESTS_PER_MINUTE,
    quotesPerMinute: own.RELAY_QUOTES_PER_MINUTE,
  }
}

export type { RelayOptions } from './client.ts'
