import { command, list, query } from '@payments/kernel'
import { present } from './entity.ts'
import { no } from './refusals.ts'
import { Customer, CustomerId, CustomerPatch, NewCustomer } from './schemas.ts'
import { all, change, create, find } from './service.ts'

export const customersRouter = {
  list: list({
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
    message: 'Customer created',
    status: 201,
    input: NewCustomer,
    output: Customer,
    refusals: [no.customer_exists],
    run: async (work, input) => present(await create(work, input)),
  }),
  get: query({
    rest: 'GET /customers/{customerId}',
    access: 'read',
    tag: 'Customers',
    summary: 'Get a customer',
    message: 'Customer retrieved',
    input: CustomerId,
    output: Customer,
    refusals: [no.customer_not_found],
    run: async (read, { customerId }) => present(await find(read, customerId)),
  }),
  update: command({
    rest: 'PATCH /customers/{customerId}',
    access: 'write',
    tag: 'Customers',
    summary: 'Change a customer',
    message: 'Customer updated',
    input: CustomerPatch,
    output: Customer,
    refusals: [no.customer_not_found, no.customer_exists],
    run: async (work, input) => present(await change(work, input)),
  }),
}
