/** The cNGN merchant API (cngn.co): bank payouts, withdrawals and one-time accounts over one treasury. */
import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import type { CngnOptions } from './client.ts'
import { seedOf, x25519Of } from './keys.ts'
import { cngnApiSettings } from './settings.ts'

/** Payments in cNGN over the merchant API, once its keys are set. */
export const cngnAdapter: LiveAdapter = {
  name: 'cngn',
  callbacks: true,
  settings: cngnApiSettings,
  async bindings(settings) {
    const options = optionsOf(settings)
    if (!options) return []
    const { cngnMerchant } = await import('./cngn.ts')
    return [bind(cngnProvider, 'live', cngnMerchant(options))]
  },
  async diagnose(settings, pool) {
    const options = optionsOf(settings)
    return options ? (await import('./diagnose.ts')).diagnoseCngn(options, pool) : []
  },
}

function optionsOf(settings: Settings): CngnOptions | undefined {
  const own = cngnApiSettings.from(settings)
  if (!own.CNGN_API_KEY || !own.CNGN_ENCRYPTION_KEY || !own.CNGN_PRIVATE_KEY) return undefined
  return {
    baseUrl: own.CNGN_BASE_URL,
    apiKey: own.CNGN_API_KEY,
    encryptionKey: own.CNGN_ENCRYPTION_KEY,
    secret: x25519Of(seedOf(own.CNGN_PRIVATE_KEY)),
    webhookSecret: own.CNGN_WEBHOOK_SECRET,
    requestsPerMinute: own.CNGN_REQUESTS_PER_MINUTE,
  }
}
