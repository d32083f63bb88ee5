import { exampleId, isId, items, personal } from '@payments/kernel'
import {
  beginsWords,
  createdFilters,
  foundTotal,
  nextPage,
  pageFields,
  type QueryContext,
  type SearchedKind,
  searchedText,
  searchRows,
} from '@payments/platform'
import { z } from 'zod'
import { CustomerEntity, type CustomerRow, searchedWords } from './entity.ts'
import { EXAMPLE, type PlainCustomer } from './schemas.ts'

const ID = exampleId(EXAMPLE)

/** What a customer must be to be found. */
export const CustomerSearch = z
  .strictObject({
    text: personal(
      searchedText(
        'The id of a customer, or words: each begins a word of the name, a part of the email address, or the phone number',
        'ada example',
        254,
      ),
    ),
    ...createdFilters,
    ...pageFields('customer', ID),
  })
  .meta({ example: { text: 'ada', limit: 50 } })

/** A page of the customers that have a schema. */
export const customerPage = <S extends PlainCustomer>(customer: S) =>
  z.object({
    customers: items('The customers that fit, newest first', customer),
    total: foundTotal,
    next: nextPage(ID),
  })

/** A page of the customers of the actor's tenant that fit, newest first, and their exact number. @throws validation_failed 422 where `before` is of none */
export const searchCustomers = (
  context: QueryContext,
  { text, ...rest }: z.output<typeof CustomerSearch>,
): Promise<{ rows: CustomerRow[]; total: number | null; next: string | null }> =>
  searchRows(context, CustomerEntity, {
    ...rest,
    conditions: [],
    text:
      text === undefined
        ? undefined
        : isId(text)
          ? (value) => `t.id = ${value(text)}::uuid`
          : beginsWords(searchedWords('t.'), text),
  })

/** Customers in the search over everything. */
export const searched: readonly SearchedKind[] = [
  {
    kind: 'customer',
    find: (context, text, limit) => searchCustomers(context, { text, limit }),
    show: ({ name, email }: CustomerRow) => ({ title: name, subtitle: email }),
  },
]
