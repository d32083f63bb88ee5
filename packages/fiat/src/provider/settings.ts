import { defineSettings, providersSetting } from '@payments/platform'
import { z } from 'zod'

export const fiatSettings = defineSettings({
  FIAT_PROVIDERS: providersSetting
    .optional()
    .describe(
      'Providers that take new orders, in the order in which they are asked; for single currencies `NGN=second,first;first,second`. Unset: all that are configured. One that is left out carries only the orders that it has',
    ),
  FIAT_ACCOUNT_DEADLINE_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(25)
    .default(20)
    .describe(
      'How long a request waits for a bank to tell the name of an account; the answer is stored when it comes later',
    ),
})
