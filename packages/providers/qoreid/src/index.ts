/** QoreID (qoreid.com): does a BVN belong to a name? */
import { identityProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter, Settings } from '@payments/platform'
import { qoreidSettings } from './settings.ts'
import type { QoreidOptions } from './token.ts'

/** Identity verification over QoreID, once `QOREID_CLIENT_ID` and `QOREID_SECRET` are set. */
export const qoreidAdapter: LiveAdapter = {
  name: 'qoreid',
  callbacks: false,
  settings: qoreidSettings,
  async bindings(settings) {
    const options = optionsOf(settings)
    if (!options) return []
    const { qoreid } = await import('./qoreid.ts')
    return [bind(identityProvider, 'live', qoreid(options))]
  },
  async diagnose(settings) {
    const options = optionsOf(settings)
    return options ? (await import('./diagnose.ts')).diagnoseQoreid(options) : []
  },
}

function optionsOf(settings: Settings): QoreidOptions | undefined {
  const { QOREID_BASE_URL, QOREID_CLIENT_ID, QOREID_SECRET } = qoreidSettings.from(settings)
  if (!QOREID_CLIENT_ID || !QOREID_SECRET) return undefined
  return { baseUrl: QOREID_BASE_URL, clientId: QOREID_CLIENT_ID, secret: QOREID_SECRET }
}
