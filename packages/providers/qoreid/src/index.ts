/** QoreID (qoreid.com): does a BVN belong to a name? */
import { identityProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import type { LiveAdapter } from '@payments/platform'
import { qoreidSettings } from './settings.ts'

/** Identity verification over QoreID, once `QOREID_CLIENT_ID` and `QOREID_SECRET` are set. */
export const qoreidAdapter: LiveAdapter = {
  name: 'qoreid',
  settings: qoreidSettings,
  async bindings(settings) {
    const { QOREID_BASE_URL, QOREID_CLIENT_ID, QOREID_SECRET } = qoreidSettings.from(settings)
    if (!QOREID_CLIENT_ID || !QOREID_SECRET) return []
    const { qoreid } = await import('./qoreid.ts')
    const provider = qoreid({ baseUrl: QOREID_BASE_URL, clientId: QOREID_CLIENT_ID, secret: QOREID_SECRET })
    return [bind(identityProvider, 'live', provider)]
  },
}
