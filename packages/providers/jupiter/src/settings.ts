import { Amount } from '@payments/kernel'
import { defineSettings, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** Settings of the Jupiter adapter. It is bound when it has a key and a Solana node. */
export const jupiterSettings = defineSettings(
  {
    JUPITER_API_KEY: z
      .string()
      .min(1)
      .optional()
      .describe('Key of Jupiter; swaps and rates are available live with it and SOLANA_RPC_URL'),
    JUPITER_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.jup.ag')
      .describe('Address of the Jupiter API'),
    SOLANA_RPC_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .optional()
      .describe(
        'JSON-RPC address of a Solana mainnet node that keeps the history of transactions; it may contain a key, and is never logged. With it, pay pages offer the Solana wallets of browsers',
      ),
    JUPITER_MAX_FEE_SOL: Amount.default('0.002').describe(
      'Most that the fee payer pays the network for one transaction, in SOL, without the rent of accounts',
    ),
  },
  (values, { production }) => {
    if (values.JUPITER_API_KEY && !values.SOLANA_RPC_URL)
      throw new SettingsError('SOLANA_RPC_URL: must be set together with JUPITER_API_KEY')
    if (values.JUPITER_API_KEY && !production)
      throw new SettingsError('JUPITER_API_KEY: live providers are for NODE_ENV=production only')
    return values
  },
)
