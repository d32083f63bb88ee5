import { extendCustomer } from '@payments/customers'
import { text } from '@payments/kernel'
import { z } from 'zod'

/** The name of the part that cNGN adds to customers. */
export const PART = 'cngn'

/** Customers with the state of their enablement. */
export const customer = extendCustomer({
  [PART]: {
    summary: 'With the state of their cNGN enablement.',
    initial: { status: 'not_enabled', failureReason: null },
    schema: z
      .object({
        status: z
          .enum(['not_enabled', 'pending', 'enabled', 'failed'])
          .meta({ description: 'Whether the customer may use cNGN' }),
        failureReason: text('Why the identity could not be verified', 'customer_name_bvn_mismatch').nullable(),
      })
      .meta({ description: 'Enablement of cNGN' }),
  },
})
