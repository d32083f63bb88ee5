import { command, query } from '@payments/kernel'
import { z } from 'zod'
import { present } from './entity.ts'
import { no } from './refusals.ts'
import { Customer, CustomerId, CustomerList, CustomerPatch, NewCustomer } from './schemas.ts'
import { change, create, find, list } from './service.ts'

export const customersRouter = {
  list: query({
    rest: 'GET /customers',
    access: 'read',
    tag: 'Customers',
    summary: 'List customers',
    description: 'All customers of the organisation, newest first.',
    message: 'Customers retrieved',
    input: z.strictObject({}),
    output: CustomerList,
    async run(read) {
      const rows = await list(read)
      return { customers: rows.map(present), total: rows.length }
    },
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
