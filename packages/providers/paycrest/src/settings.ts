import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** Settings of the Paycrest adapter. It is bound when it has a key and a secret. */
export const paycrestSettings = defineSettings(
  {
    PAYCREST_API_KEY: z.string().min(1).optional().describe('Key of Paycrest; local fiat is available live with it'),
    PAYCREST_API_SECRET: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Secret of Paycrest, which signs its callbacks; during a rotation the new and the old one, separated by a comma',
      ),
    PAYCREST_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.paycrest.io/v2')
      .describe('Address of version 2 of the Paycrest API'),
    PAYCREST_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(6)
      .max(60_000)
      .default(600)
      .describe('Polls of orders, over all processes; Paycrest allows 1,200 calls a minute for each client address'),
    PAYCREST_NEW_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(4)
      .max(600)
      .default(400)
      .describe(
        'Quotes, new orders and account checks, over all processes; one organisation takes at most half of them',
      ),
    PAYCREST_MAX_ORDER: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('The largest order, in stablecoin'),
  },
  (values, { production }) => {
    if (values.PAYCREST_API_KEY && !production)
      throw new SettingsError('PAYCREST_API_KEY: live providers are for NODE_ENV=production only')
    if (Boolean(values.PAYCREST_API_KEY) !== Boolean(values.PAYCREST_API_SECRET))
      throw new SettingsError('PAYCREST_API_SECRET: must be set together with PAYCREST_API_KEY')
    return values
  },
)
