import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** Settings of the Relay adapter. It is bound when it has a key. */
export const relaySettings = defineSettings(
  {
    RELAY_API_KEY: z.string().min(1).optional().describe('Key of Relay; payment routes are available live with it'),
    RELAY_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.relay.link')
      .describe('Address of the Relay API'),
    RELAY_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(6)
      .max(60_000)
      .default(150)
      .describe('Polls of deposit addresses, over all processes; a plain key may make 200 calls a minute'),
  },
  (values, { production }) => {
    if (values.RELAY_API_KEY && !production)
      throw new SettingsError('RELAY_API_KEY: live providers are for NODE_ENV=production only')
    return values
  },
)
