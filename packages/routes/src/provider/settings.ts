import { type NetworkType, parseAddress } from '@payments/kernel'
import { defineSettings, providersSetting } from '@payments/platform'
import { z } from 'zod'

const refundAddress = (type: NetworkType, description: string) =>
  z
    .string()
    .superRefine((text, context) => {
      // What operators configure may be the vault of a multisig.
      const parsed = parseAddress(type, text, { allowOffCurve: true })
      if ('error' in parsed) context.addIssue({ code: 'custom', message: parsed.error })
    })
    .optional()
    .describe(description)

/** Refund addresses of last resort: an organisation's own, and that of a route, come first. */
export const routesSettings = defineSettings({
  ROUTES_PROVIDERS: providersSetting
    .optional()
    .describe(
      'Providers of new payment routes and checkout sessions, in the order in which they are asked; for single networks of origin `solana=second,first;first,second`. Sessions take the best offer, and of equal offers the first. Unset: all that are configured',
    ),
  REFUND_ADDRESS_EVM: refundAddress(
    'evm',
    'Refund address for EVM deposits that cannot be delivered, where neither their route nor its organisation names one',
  ),
  REFUND_ADDRESS_SVM: refundAddress('svm', 'The same for Solana'),
  REFUND_ADDRESS_TVM: refundAddress('tvm', 'The same for Tron'),
})
