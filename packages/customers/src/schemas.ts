import {
  countryCode,
  createdAt,
  id,
  Metadata,
  MetadataPatch,
  nameText,
  pathId,
  personal,
  shownText,
  text,
  updatedAt,
} from '@payments/kernel'
import { z } from 'zod'

/** Number of the example's id. */
export const EXAMPLE = 20

/** A reference to a customer. */
export const CustomerRef = id('customer', EXAMPLE)

const Name = personal(shownText(nameText(200)).meta({ description: 'Name of the customer', example: 'Ada Obi' }))
const Email = personal(
  z
    .email()
    .max(254)
    .meta({ description: 'Email address; one customer for each, in any letter case', example: 'ada@example.com' }),
)
const Phone = personal(
  z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in E.164 form, such as +2348012345678')
    .meta({ description: 'Phone number in E.164 form', example: '+2348012345678' }),
)

const Address = personal(
  shownText(z.string().trim().min(1).max(300)).meta({
    description: 'Postal address',
    example: '5 Broad Street, Lagos',
  }),
)
const Country = countryCode().meta({ description: 'Country of the address, ISO 3166-1 alpha-2', example: 'NG' })
const TaxId = personal(
  shownText(nameText(60)).meta({
    description: 'Tax number; a VAT number with the letters of its country, such as `DE123456789`',
    example: '87654321-0001',
  }),
)
/** What invoices say about a customer beside the name. */
const billing = {
  address: Address.nullable().optional(),
  country: Country.nullable().optional(),
  taxId: TaxId.nullable().optional(),
}

export const NewCustomer = z.strictObject({
  name: Name,
  email: Email,
  phoneNumber: Phone.nullable().optional(),
  ...billing,
  metadata: Metadata.optional(),
})

export const CustomerId = z.strictObject({ customerId: pathId('customer', EXAMPLE) })

export const CustomerPatch = CustomerId.extend({
  name: Name.optional(),
  email: Email.optional(),
  phoneNumber: Phone.nullable().optional(),
  ...billing,
  metadata: MetadataPatch.optional(),
})

/** What another domain keeps with every customer. */
interface CustomerPart<S extends z.ZodType = z.ZodType> {
  /** What the customer's GET shows under the name of the part. */
  readonly schema: S
  /** That of a new customer. */
  readonly initial: z.output<S>
  /** A sentence about it, for the description of that GET. */
  readonly summary: string
}
type Parts = Readonly<Record<string, CustomerPart>>

const base = {
  id: CustomerRef,
  name: personal(text('Name of the customer', 'Ada Obi')),
  email: personal(text('Email address', 'ada@example.com')),
  phoneNumber: personal(text('Phone number in E.164 form', '+2348012345678').nullable()),
  address: personal(text('Postal address', '5 Broad Street, Lagos').nullable()),
  country: text('Country of the address, ISO 3166-1 alpha-2', 'NG').nullable(),
  taxId: personal(text('Tax number', '87654321-0001').nullable()),
  metadata: Metadata,
}
const times = { createdAt, updatedAt }

/** What every customer has, whichever parts it has beside. */
export type PlainCustomer = z.ZodObject<typeof base & typeof times>

/** The customers of a service: their schema, and the parts of a new one. */
export interface Customers<S extends PlainCustomer = PlainCustomer> {
  readonly schema: S
  readonly initial: Readonly<Record<string, unknown>>
  readonly summaries: readonly string[]
}

/** Customers with parts of other domains, by their names. A service has one schema of its customers, so that it is made once. */
export function extendCustomer<const P extends Parts>(parts: P) {
  const named = Object.entries(parts)
  const schemas = Object.fromEntries(named.map(([name, { schema }]) => [name, schema])) as {
    [N in keyof P]: P[N]['schema']
  }
  return {
    schema: z
      .object({ ...base, ...schemas, ...times })
      .meta({ id: 'Customer', description: 'A customer of an organisation' }),
    initial: Object.fromEntries(named.map(([name, { initial }]) => [name, initial])),
    summaries: named.map(([, { summary }]) => summary),
  }
}
