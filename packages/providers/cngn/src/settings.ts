import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'
import { KeyError, seedOf } from './keys.ts'

/** Settings of the adapter to the cNGN merchant API. It is bound when it has its keys. */
export const cngnApiSettings = defineSettings(
  {
    CNGN_API_KEY: z
      .string()
      .regex(/^cngn_live_/, 'must begin with cngn_live_: the test environment uses the sandbox of this service')
      .optional()
      .describe('Key of the cNGN merchant API; payouts, withdrawals and payins in cNGN are available live with it'),
    CNGN_ENCRYPTION_KEY: z
      .string()
      .min(1)
      .optional()
      .describe('Key under which requests to the cNGN API are encrypted'),
    CNGN_PRIVATE_KEY: z
      .string()
      .superRefine((pem, context) => {
        try {
          seedOf(pem)
        } catch (error) {
          context.addIssue({ code: 'custom', message: error instanceof KeyError ? error.message : 'is not readable' })
        }
      })
      .optional()
      .describe('Ed25519 private key in the OpenSSH format, without a passphrase, that opens answers of the cNGN API'),
    CNGN_WEBHOOK_SECRET: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Secret that signs callbacks of the cNGN API; during a rotation the new and the old one, separated by a comma',
      ),
    CNGN_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.cngn.co/v1/api')
      .describe('Address of the cNGN merchant API'),
    CNGN_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(6)
      .max(6000)
      .default(20)
      .describe(
        'Calls of the cNGN API in any 60 seconds, over all processes; it allows 20, and blocks a key that makes more',
      ),
  },
  (values, { production }) => {
    if (values.CNGN_API_KEY && !production)
      throw new SettingsError('CNGN_API_KEY: live providers are for NODE_ENV=production only')
    for (const name of ['CNGN_ENCRYPTION_KEY', 'CNGN_PRIVATE_KEY'] as const)
      if (Boolean(values.CNGN_API_KEY) !== Boolean(values[name]))
        throw new SettingsError(`${name}: must be set together with CNGN_API_KEY`)
    return values
  },
)
