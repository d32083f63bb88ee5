import { command, completeList, NEWEST, type QueryContext, query } from '@payments/platform'
import type { z } from 'zod'
import { type CustomerRow, present } from './entity.ts'
import { errors } from './errors.ts'
import { CustomerId, CustomerPatch, type Customers, NewCustomer, type PlainCustomer } from './schemas.ts'
import { CustomerSearch, customerPage, searchCustomers } from './search.ts'
import { all, anonymise, change, create, find } from './service.ts'

/** The operations of customers with the parts that other domains add to them. */
export function customersRouter<S extends PlainCustomer>(customers: Customers<S>) {
  const { schema, summaries } = customers
  // The parts of a row are what their domains have written there: the reply is checked against the schema like every other.
  const shown = (row: CustomerRow) => present(row) as z.input<S>
  async function* shownPages(context: QueryContext) {
    for await (const page of all(context)) yield page.map(shown)
  }
  return {
    list: completeList({
      rest: 'GET /customers',
      access: 'read',
      tag: 'Customers',
      summary: 'List customers',
      description: 'All customers of the organisation, newest first.',
      message: 'Customers retrieved',
      name: 'customers',
      item: schema,
      rows: shownPages,
      async newest(context) {
        const { rows, total } = await searchCustomers(context, { limit: NEWEST })
        return { rows: rows.map(shown), total }
      },
    }),
    search: query({
      rest: 'POST /customers/search',
      access: 'read',
      tag: 'Customers',
      summary: 'Search customers',
      description: 'The customers that fit all filters, newest first, in pages, and their exact number.',
      message: 'Customers retrieved',
      input: CustomerSearch,
      output: customerPage(schema),
      async run(context, input) {
        const { rows, ...page } = await searchCustomers(context, input)
        return { customers: rows.map(shown), ...page } as z.input<ReturnType<typeof customerPage<S>>>
      },
    }),
    create: command({
      rest: 'POST /customers',
      access: 'write',
      role: 'finance',
      tag: 'Customers',
      summary: 'Create a customer',
      description: 'An email address, in any letter case, belongs to one customer of an environment.',
      message: 'Customer created',
      status: 201,
      input: NewCustomer,
      output: schema,
      errors: [errors.customer_exists],
      run: async (unit, input) => shown(await create(unit, input, customers)),
    }),
    get: query({
      rest: 'GET /customers/{customerId}',
      access: 'read',
      tag: 'Customers',
      summary: 'Get a customer',
      ...(summaries.length > 0 ? { description: summaries.join(' ') } : {}),
      message: 'Customer retrieved',
      input: CustomerId,
      output: schema,
      errors: [errors.customer_not_found],
      run: async (context, { customerId }) => shown(await find(context, customerId)),
    }),
    update: command({
      rest: 'PATCH /customers/{customerId}',
      access: 'write',
      role: 'finance',
      tag: 'Customers',
      summary: 'Update a customer',
      description: 'Changes the given fields. Metadata is merged; an empty patch changes nothing.',
      message: 'Customer updated',
      input: CustomerPatch,
      output: schema,
      errors: [errors.customer_not_found, errors.customer_exists, errors.customer_anonymised],
      run: async (unit, input) => shown(await change(unit, input)),
    }),
    anonymise: command({
      rest: 'POST /customers/{customerId}/anonymise',
      access: 'write',
      role: 'finance',
      tag: 'Customers',
      summary: 'Anonymise a customer',
      description:
        'Erases name, email address, phone number, postal address, country, tax number and metadata. Transactions stay and refer to the customer by id. It cannot be undone.',
      message: 'Customer anonymised',
      input: CustomerId,
      output: schema,
      errors: [errors.customer_not_found],
      run: async (unit, { customerId }) => shown(await anonymise(unit, customerId)),
    }),
  }
}
