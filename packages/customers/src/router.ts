import { command, completeList, query } from '@payments/platform'
import { present } from './entity.ts'
import { errors } from './errors.ts'
import { Customer, CustomerId, CustomerPatch, NewCustomer } from './schemas.ts'
import { all, anonymise, change, create, find } from './service.ts'

export const customersRouter = {
  list: completeList({
    rest: 'GET /customers',
    access: 'read',
    tag: 'Customers',
    summary: 'List customers',
    description: 'All customers of the organisation, newest first.',
    message: 'Customers retrieved',
    name: 'customers',
    item: Customer,
    pages: all,
  }),
  create: command({
    rest: 'POST /customers',
    access: 'write',
    tag: 'Customers',
    summary: 'Create a customer',
    description: 'An email address, in any letter case, belongs to one customer of an environment.',
    message: 'Customer created',
    status: 201,
    input: NewCustomer,
    output: Customer,
    errors: [errors.customer_exists],
    run: async (unit, input) => present(await create(unit, input)),
  }),
  get: query({
    rest: 'GET /customers/{customerId}',
    access: 'read',
    tag: 'Customers',
    summary: 'Get a customer',
    description: 'With the state of their cNGN enablement.',
    message: 'Customer retrieved',
    input: CustomerId,
    output: Customer,
    errors: [errors.customer_not_found],
    run: async (context, { customerId }) => present(await find(context, customerId)),
  }),
  update: command({
    rest: 'PATCH /customers/{customerId}',
    access: 'write',
    tag: 'Customers',
    summary: 'Update a customer',
    description: 'Changes the given fields. Metadata is merged; an empty patch changes nothing.',
    message: 'Customer updated',
    input: CustomerPatch,
    output: Customer,
    errors: [errors.customer_not_found, errors.customer_exists, errors.customer_anonymised],
    run: async (unit, input) => present(await change(unit, input)),
  }),
  anonymise: command({
    rest: 'POST /customers/{customerId}/anonymise',
    access: 'write',
    tag: 'Customers',
    summary: 'Anonymise a customer',
    description:
      'Erases name, email address, phone number and metadata. Transactions stay and refer to the customer by id. It cannot be undone.',
    message: 'Customer anonymised',
    input: CustomerId,
    output: Customer,
    errors: [errors.customer_not_found],
    run: async (unit, { customerId }) => present(await anonymise(unit, customerId)),
  }),
}
