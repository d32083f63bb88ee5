import { Metadata, MetadataPatch } from '@payments/kernel'
import { z } from 'zod'

const Name = z.string().trim().min(1).max(200)
const Email = z.email('Must be an email address').max(254)
const Phone = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in E.164 form, such as +2348012345678')
  .meta({ description: 'Phone number in E.164 form', example: '+2348012345678' })

export const NewCustomer = z.strictObject({
  name: Name.meta({ example: 'Ada Obi' }),
  email: Email.meta({ example: 'ada@example.com' }),
  phoneNumber: Phone.nullable().optional(),
  metadata: Metadata.optional(),
})

export const CustomerPatch = z.strictObject({
  customerId: z.string(),
  name: Name.optional(),
  email: Email.optional(),
  phoneNumber: Phone.nullable().optional(),
  metadata: MetadataPatch.optional(),
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
