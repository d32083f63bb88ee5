import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** Settings of the NEAR Intents adapter. It is bound when it has a token. */
export const nearIntentsSettings = defineSettings(
  {
    NEAR_INTENTS_TOKEN: z
      .string()
      .min(1)
      .optional()
      .describe('Token (JWT) of NEAR Intents 1Click; checkout sessions are available live with it'),
    NEAR_INTENTS_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://1click.chaindefuser.com')
      .describe('Address of the 1Click API'),
    NEAR_INTENTS_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(6)
      .max(60_000)
      .default(60)
      .describe('Polls of deposit addresses, over all processes; 1Click publishes no limit'),
    NEAR_INTENTS_QUOTES_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(4)
      .max(60_000)
      .default(30)
      .describe('Quotes, over all processes: one for each checkout session; 1Click publishes no limit'),
    NEAR_INTENTS_SLIPPAGE_BASIS_POINTS: z.coerce
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(100)
      .describe(
        'How far a price may move between quote and payment: a payer sends this much more than an exact output needs, and the excess is refunded',
      ),
  },
  (values, { production }) => {
    if (values.NEAR_INTENTS_TOKEN && !production)
      throw new SettingsError('NEAR_INTENTS_TOKEN: live providers are for NODE_ENV=production only')
    return values
  },
)
