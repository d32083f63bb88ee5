import { type Binding, bind, type Settings } from '@payments/kernel'
import { relay } from '@payments/relay'
import { routesProvider } from '@payments/routes'

/** The live providers that are configured; what is not stays unavailable in the live environment. */
export function live(settings: Settings): Binding[] {
  const bindings: Binding[] = []
  if (settings.RELAY_API_KEY) {
    const provider = relay({
      baseUrl: settings.RELAY_BASE_URL,
      apiKey: settings.RELAY_API_KEY,
      requestsPerMinute: settings.RELAY_REQUESTS_PER_MINUTE,
    })
    bindings.push(bind(routesProvider, 'live', provider))
  }
  return bindings
}
