import { createdAt, id, Metadata, MetadataPatch, nameText, pathId, text, updatedAt } from '@payments/kernel'
import { z } from 'zod'

const EXAMPLE = 20

/** A reference to a customer. */
export const CustomerRef = id('customer', EXAMPLE)

const Name = nameText(200).meta({ description: 'Name of the customer', example: 'Ada Obi' })
const Email = z
  .email()
  .max(254)
  .meta({ description: 'Email address; one customer for each, in any letter case', example: 'ada@example.com' })
const Phone = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in E.164 form, such as +2348012345678')
  .meta({ description: 'Phone number in E.164 form', example: '+2348012345678' })

export const NewCustomer = z.strictObject({
  name: Name,
  email: Email,
  phoneNumber: Phone.nullable().optional(),
  metadata: Metadata.optional(),
})

export const CustomerId = z.strictObject({ customerId: pathId('customer', EXAMPLE) })

export const CustomerPatch = CustomerId.extend({
  name: Name.optional(),
  email: Email.optional(),
  phoneNumber: Phone.nullable().optional(),
  metadata: MetadataPatch.optional(),
})

export const Customer = z
  .object({
    id: CustomerRef,
    name: text('Name of the customer', 'Ada Obi'),
    email: text('Email address', 'ada@example.com'),
    phoneNumber: text('Phone number in E.164 form', '+2348012345678').nullable(),
    metadata: Metadata,
    cngn: z
      .object({
        status: z
          .enum(['not_enabled', 'pending', 'enabled', 'failed'])
          .meta({ description: 'Whether the customer may use cNGN' }),
        failureReason: text('Why the identity could not be verified', 'customer_name_bvn_mismatch').nullable(),
      })
      .meta({ description: 'Enablement of cNGN' }),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Customer', description: 'A customer of an organisation' })
