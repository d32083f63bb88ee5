import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** Settings of the QoreID adapter. It is bound when it has an id and a secret. */
export const qoreidSettings = defineSettings(
  {
    QOREID_CLIENT_ID: z.string().min(1).optional().describe('Client id of QoreID; cNGN can be enabled live with it'),
    QOREID_SECRET: z.string().min(1).optional().describe('Secret of QoreID'),
    QOREID_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.qoreid.com')
      .describe('Address of the QoreID API'),
  },
  (values, { production }) => {
    if (values.QOREID_CLIENT_ID && !production)
      throw new SettingsError('QOREID_CLIENT_ID: live providers are for NODE_ENV=production only')
    if (Boolean(values.QOREID_CLIENT_ID) !== Boolean(values.QOREID_SECRET))
      throw new SettingsError('QOREID_SECRET: must be set together with QOREID_CLIENT_ID')
    return values
  },
)
