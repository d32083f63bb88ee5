import { z } from 'zod'

// Schemas of fields that many resources have, each with its description and example for the reference. In the examples one
// thing has one id everywhere, so that requests and responses belong together.

/**
 * The id of an example. Each kind of object uses a number of its own, so that a reader, and the test that sends the examples,
 * can tell them apart: accounts from 1, routes 10, customers 20, ledger 30, webhooks 40, notifications 50, fiat 60, swaps 70,
 * collections 80, cNGN 90.
 */
export const exampleId = (number: number): string => `01936f2a-7c1e-7000-8000-${String(number).padStart(12, '0')}`

const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z'

/** The id of an object, as replies show it and bodies refer to it. */
export const id = (thing: string, number: number) =>
  z.uuid().meta({ description: `Id of the ${thing}`, example: exampleId(number) })

/** An id in a path. Any text is accepted: what is not the id of an object is not found. */
export const pathId = (thing: string, number: number) =>
  z.string().meta({ description: `Id of the ${thing}`, example: exampleId(number) })

export const text = (description: string, example: string) => z.string().meta({ description, example })

/** The name of the provider that carries an object. */
export const providerName = text('Provider that carries it', 'sandbox')

export const count = (description: string, example = 1) => z.number().int().meta({ description, example })

export const time = (description: string) => z.iso.datetime().meta({ description, example: EXAMPLE_TIME })

/** A year of four digits, also after the time zone and the day that ends a range: PostgreSQL and ISO 8601 write others differently. */
const inYears = <S extends z.ZodType<string, string>>(schema: S, first = '0001'): S =>
  schema.refine((given) => given >= first && given < '9999', `Must be in the years ${first} to 9998`) as S

/** A time of an input. */
export const givenTime = inYears(z.iso.datetime({ offset: true }))
/** A day of an input, not before a year of four digits. */
export const givenDate = (firstYear: string) => inYears(z.iso.date(), firstYear)
/** A time of an input, or a day of a time zone that the operation names. */
export const givenTimeOrDate = inYears(z.union([z.iso.date(), z.iso.datetime({ offset: true })]))

export const createdAt = time('When it was created')
export const updatedAt = time('When it last changed')

/** The field beside each address of a wallet: see `parseAddress`. */
export const allowOffCurve = z.boolean().optional().meta({
  description:
    'Accept Solana addresses that have no private key, such as the vault of a multisig. Token accounts have none either: what is sent to one can be lost',
  example: false,
})

/** The array of a list. */
export const items = <T extends z.ZodType>(description: string, item: T) => z.array(item).meta({ description })

/** `total` of a list (specification, List responses). */
export const total = count('Exact number of all records that match, also when the list is capped')

/** How many records a page of a search has. */
export const pageSize = z
  .number()
  .int()
  .min(1)
  .max(200)
  .default(50)
  .meta({ description: 'How many at most', example: 50 })
