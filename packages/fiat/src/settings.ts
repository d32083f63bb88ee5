import { defineSettings } from '@payments/platform'
import { z } from 'zod'

export const fiatSettings = defineSettings({
  FIAT_ACCOUNT_DEADLINE_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(25)
    .default(20)
    .describe(
      'How long a request waits for a bank to tell the name of an account; the answer is stored when it comes later',
    ),
})
