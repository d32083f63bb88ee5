import { z } from 'zod'

/** Key-value pairs of the merchant, returned unchanged: at most 50, keys of 40 and text values of 500 characters. */
export const Metadata = z
  .record(z.string().min(1).max(40), z.union([z.string().max(500), z.number(), z.boolean(), z.null()]))
  .refine((map) => Object.keys(map).length <= 50, 'Must have at most 50 keys')
  .meta({ id: 'Metadata', example: { plan: 'gold' } })

const Name = z.string().trim().min(1).max(200)
const Email = z.email('Must be an email address').max(254)
const Phone = z.string().trim().min(3).max(32)

export const NewCustomer = z.strictObject({
  name: Name.meta({ example: 'Ada Obi' }),
  email: Email.meta({ example: 'ada@example.com' }),
  phoneNumber: Phone.optional().meta({ example: '+2348012345678' }),
  metadata: Metadata.optional(),
})

export const CustomerPatch = z.strictObject({
  customerId: z.string(),
  name: Name.optional(),
  email: Email.optional(),
  phoneNumber: Phone.nullable().optional(),
  metadata: Metadata.optional(),
})

export const CustomerId = z.strictObject({ customerId: z.string() })

export const Customer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    phoneNumber: z.string().nullable(),
    metadata: Metadata,
    cngn: z.object({
      status: z.enum(['not_enabled', 'pending', 'enabled', 'failed']),
      failureReason: z.string().nullable(),
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Customer' })
