/** The cNGN merchant API (cngn.co): bank payouts, withdrawals and one-time accounts over one treasury. */
import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { seedOf, x25519Of } from './keys.ts'
import { cngnApiSettings } from './settings.ts'

/** Payments in cNGN over the merchant API, once its keys are set. */
export const cngnAdapter: LiveAdapter = {
  name: 'cngn',
  settings: cngnApiSettings,
  async bindings(settings) {
    const own = cngnApiSettings.from(settings)
    if (!own.CNGN_API_KEY || !own.CNGN_ENCRYPTION_KEY || !own.CNGN_PRIVATE_KEY) return []
    const { cngnMerchant } = await import('./cngn.ts')
    const provider = cngnMerchant({
      baseUrl: own.CNGN_BASE_URL,
      apiKey: own.CNGN_API_KEY,
      encryptionKey: own.CNGN_ENCRYPTION_KEY,
      secret: x25519Of(seedOf(own.CNGN_PRIVATE_KEY)),
      webhookSecret: own.CNGN_WEBHOOK_SECRET,
      requestsPerMinute: own.CNGN_REQUESTS_PER_MINUTE,
    })
    return [bind(cngnProvider, 'live', provider)]
  },
}
