import { AmountError, assets, toMinor } from '@payments/kernel'
import { defineSettings } from '@payments/platform'
import { z } from 'zod'

export const cngnSettings = defineSettings({
  CNGN_OWN_FLOAT: z
    .string()
    .default('0')
    .transform((text, context) => {
      try {
        return toMinor(text, assets.cNGN)
      } catch (error) {
        if (!(error instanceof AmountError)) throw error
        context.addIssue({ code: 'custom', message: 'must be an amount of cNGN, such as 1000000' })
        return 0n
      }
    })
    .describe(
      'cNGN of your own at the live provider, beside that of customers: the comparison of treasury and journal leaves it out',
    ),
})
