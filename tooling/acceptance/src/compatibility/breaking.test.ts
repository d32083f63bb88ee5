import { operations } from '@payments/gateway'
import { describe, expect, test } from 'vitest'
import { breaking } from './breaking.ts'
import { type Contract, presentContract } from './contract.ts'
import { releasedContract } from './released.ts'

const now = presentContract()
// biome-ignore lint/suspicious/noExplicitAny: a contract, any part of which a test changes
type Changed = any
const differences = (change: (next: Changed, base: Changed) => void): string[] => {
  const [base, next] = [structuredClone(now), structuredClone(now)]
  change(next, base)
  return breaking(base as Contract, next as Contract)
}

const create = ({ operations }: Changed) => operations['customers.create']
const fields = (contract: Changed) => create(contract).request.properties
const schema = (contract: Changed, name: string) => contract.schemas[name]
const event = (contract: Changed) => schema(contract, 'SwapUpdatedEvent').properties.data

/** One change of each kind, and what the gate says of it. */
const breaks: Record<string, [change: (next: Changed, base: Changed) => void, finding: string]> = {
  'an operation is removed': [
    ({ operations }) => delete operations['customers.list'],
    'GET /customers is gone as customers.list',
  ],
  'the id of an operation changes': [
    ({ operations }) => {
      operations['customers.make'] = operations['customers.create']
      delete operations['customers.create']
    },
    'POST /customers is gone as customers.create',
  ],
  'the path of an operation changes': [
    (next) => Object.assign(create(next), { path: '/clients' }),
    'POST /customers is now POST /clients',
  ],
  'a public operation needs a key': [
    ({ operations }) => Object.assign(operations['pay.get'], { access: 'key' }),
    'GET /pay/{collectionId} newly needs a key',
  ],
  'an operation needs a session': [
    (next) => Object.assign(create(next), { access: 'session' }),
    'POST /customers newly needs a session',
  ],
  'an operation needs another scope': [
    ({ operations }) => Object.assign(operations['customers.list'], { scope: 'api:write' }),
    'GET /customers newly needs the scope api:write',
  ],
  'the status of a success changes': [
    (next) => Object.assign(create(next).reply, { status: '200' }),
    'POST /customers answers 200, not 201',
  ],
  'the message of a success changes': [
    (next) => Object.assign(create(next).reply, { message: 'Created' }),
    'POST /customers no longer says "Customer created"',
  ],
  'the type of a file changes': [
    ({ operations }) => Object.assign(operations['transactions.export'].reply, { content: {} }),
    'GET /transactions/export no longer answers text/csv',
  ],
  'a header of a reply is removed': [
    (next) => Object.assign(create(next).reply, { headers: [] }),
    'POST /customers lost the header X-Request-Id',
  ],
  'an operation answers an error by another code': [
    (next) => Object.assign(create(next), { errors: create(next).errors.with(5, 'customer_known') }),
    'POST /customers no longer answers the error customer_exists',
  ],
  'a query parameter is removed': [
    ({ operations }) => Object.assign(operations['transactions.list'], { parameters: [] }),
    'GET /transactions lost query parameter customerId',
  ],
  'a parameter is required': [
    ({ operations }) => Object.assign(operations['transactions.list'].parameters[0], { required: true }),
    'GET /transactions newly requires query parameter customerId',
  ],
  'a parameter is narrower': [
    ({ operations }) => Object.assign(operations['payoutControls.get'].parameters[0].schema, { enum: ['live'] }),
    'GET /payout-controls header parameter X-Service-Environment refuses "test"',
  ],
  'a body is no longer read': [(next) => delete create(next).request, 'POST /customers takes no body any more'],
  'a request needs a new field': [
    (next) => {
      fields(next).age = { type: 'integer' }
      create(next).request.required.push('age')
    },
    'POST /customers body newly requires age',
  ],
  'an operation without a body needs one': [
    ({ operations }) =>
      Object.assign(operations['swaps.cancel'], {
        request: { type: 'object', properties: { why: {} }, required: ['why'] },
      }),
    'POST /swaps/{swapId}/cancel body newly requires why',
  ],
  'an optional field of a request is required': [
    (next) => create(next).request.required.push('phoneNumber'),
    'POST /customers body newly requires phoneNumber',
  ],
  'a field of a request is removed': [
    (next) => delete fields(next).phoneNumber,
    'POST /customers body refuses phoneNumber',
  ],
  'a field of a request is no longer nullable': [
    (next) => Object.assign(fields(next), { phoneNumber: fields(next).phoneNumber.anyOf[0] }),
    'POST /customers body.phoneNumber refuses null',
  ],
  'a field of a request has another type': [
    (next) => Object.assign(fields(next).name, { type: 'integer' }),
    'POST /customers body.name refuses string',
  ],
  'a value of a request is removed': [
    ({ operations }) => operations['collections.create'].request.properties.type.enum.pop(),
    'POST /collections body.type refuses "checkout"',
  ],
  'a field of a request takes listed values only': [
    (next) => Object.assign(fields(next).name, { enum: ['Ada'] }),
    'POST /customers body.name accepts listed values only',
  ],
  'an upper limit of a request falls': [
    (next) => Object.assign(fields(next).name, { maxLength: 3 }),
    'POST /customers body.name has a tighter maxLength',
  ],
  'a lower limit of a request rises': [
    (next) => Object.assign(fields(next).name, { minLength: 2 }),
    'POST /customers body.name has a tighter minLength',
  ],
  'a request has a limit where it had none': [
    (next, base) => delete fields(base).name.maxLength && next,
    'POST /customers body.name has a tighter maxLength',
  ],
  'a field of a request has another pattern': [
    (next) => Object.assign(fields(next).phoneNumber.anyOf[0], { pattern: '^\\+234' }),
    'POST /customers body.phoneNumber has another pattern',
  ],
  'a default changes': [
    ({ operations }) => Object.assign(operations['customers.list'].parameters[0].schema, { default: 'live' }),
    'GET /customers header parameter X-Service-Environment has another default',
  ],
  'the elements of a list in a request are narrower': [
    ({ operations }) => operations['collections.create'].request.properties.methods.items.enum.splice(0, 1),
    'POST /collections body.methods[] refuses "onchain"',
  ],
  'a shared schema of a request is narrower': [
    (next) => Object.assign(schema(next, 'Amount'), { pattern: '^1$' }),
    'Amount has another pattern',
  ],
  'a field of a reply is removed': [(next) => delete schema(next, 'Customer').properties.email, 'Customer lost email'],
  'a field of a reply is renamed': [
    (next) => {
      const { properties } = schema(next, 'Customer')
      properties.mail = properties.email
      delete properties.email
    },
    'Customer lost email',
  ],
  'a field of a reply is optional': [
    (next) => schema(next, 'Customer').required.splice(2, 1),
    'Customer no longer promises email',
  ],
  'a field of a reply is nullable': [
    (next) =>
      Object.assign(schema(next, 'Customer').properties, { email: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    'Customer.email may now be null',
  ],
  'a field of a reply has another type': [
    (next) => Object.assign(schema(next, 'Customer').properties.email, { type: 'number' }),
    'Customer.email may now be number',
  ],
  'a field of a reply may be anything': [
    (next) => Object.assign(schema(next, 'Customer').properties, { email: {} }),
    'Customer.email may now be anything',
  ],
  'a field of a reply has another format': [
    (next) => Object.assign(schema(next, 'Customer').properties.createdAt, { format: 'date' }),
    'Customer.createdAt has another format',
  ],
  'a status of a reply is renamed': [
    (next) => Object.assign(schema(next, 'Swap').properties.status, { enum: ['done'] }),
    'Swap.status is no longer "completed"',
  ],
  'a field of a reply is always null': [
    (next) => Object.assign(schema(next, 'Customer').properties.phoneNumber, { anyOf: [{ type: 'null' }] }),
    'Customer.phoneNumber is no longer string',
  ],
  'an event is removed': [({ events }) => delete events['swap.updated'], 'The event swap.updated is gone'],
  'an event is sent only where it is listed': [
    ({ events }) => Object.assign(events['swap.updated'], { optIn: true }),
    'The event swap.updated is sent only where it is listed',
  ],
  'a field of an event is removed': [(next) => delete event(next).properties.rate, 'SwapUpdatedEvent.data lost rate'],
  'a field of an event is nullable': [
    (next) => Object.assign(event(next).properties.rate, { type: ['string', 'null'] }),
    'SwapUpdatedEvent.data.rate may now be null',
  ],
  'an error is removed, or has another code': [
    ({ errors }) => delete errors.swap_not_found,
    'The error swap_not_found is gone',
  ],
  'an error has another status': [
    ({ errors }) => Object.assign(errors.swap_not_found, { status: 410 }),
    'The error swap_not_found has the status 410, not 404',
  ],
  'an error has another message': [
    ({ errors }) => Object.assign(errors.swap_not_found, { message: 'No such swap' }),
    'The error swap_not_found no longer says "Swap not found"',
  ],
}

describe('the gate against breaking changes refuses that', () => {
  test.each(Object.entries(breaks))('%s', (_name, [change, finding]) => {
    expect(differences(change)).toContain(finding)
  })
})

/** What clients do not notice, or may use. */
const additions: Record<string, (next: Changed, base: Changed) => void> = {
  'an operation, an event and an error are added': (_next, base) => {
    delete base.operations['customers.list']
    delete base.events['swap.updated']
    delete base.errors.swap_not_found
  },
  'a request has a new optional field': (next) => Object.assign(fields(next), { age: { type: 'integer' } }),
  'a required field of a request is optional': (next) => create(next).request.required.pop(),
  'a field of a request is nullable': (next) =>
    Object.assign(fields(next), { name: { anyOf: [fields(next).name, { type: 'null' }] } }),
  'a request takes a further value': ({ operations }) =>
    operations['collections.create'].request.properties.type.enum.push('subscription'),
  'a limit of a request is wider': (next) => Object.assign(fields(next).name, { maxLength: 400, minLength: 0 }),
  'a parameter is added': ({ operations }) =>
    operations['customers.list'].parameters.push({ in: 'query', name: 'country', required: false, schema: {} }),
  'a reply and an event have a new field': (next) => {
    schema(next, 'Customer').properties.age = { type: 'integer' }
    event(next).properties.age = { type: 'integer' }
  },
  'a field of a reply is always there': (next, base) => schema(base, 'Customer').required.pop() && next,
  'a field of a reply is never null': (next) =>
    Object.assign(schema(next, 'Customer').properties, { phoneNumber: { type: 'string' } }),
  'a status is added': (next) => schema(next, 'Swap').properties.status.enum.push('paused'),
  'a header and an error of an operation are added': (next) => {
    create(next).reply.headers.push('ETag')
    create(next).errors.push('swap_not_found')
  },
  'an operation is open to keys, or to anyone': ({ operations }) => {
    Object.assign(operations['apiKeys.list'], { access: 'key', scope: 'api:read' })
    Object.assign(operations['customers.list'], { access: 'public' })
  },
}

describe('the gate against breaking changes passes that', () => {
  test.each(Object.entries(additions))('%s', (_name, change) => {
    expect(differences(change)).toEqual([])
  })
})

test('the contract is all of /v1, and that of the last release has not shrunk', () => {
  expect(Object.keys(now.operations)).toHaveLength(operations.length + 1)
  const released = releasedContract()
  const sizes = [released.operations, released.events, released.errors].map((part) => Object.keys(part).length)
  const first = [251, 26, 196] as const
  expect(sizes.map((size, at) => Math.min(size, first[at] ?? 0))).toEqual(first)
})

test('no message has the backticks of Markdown: programs show it as it is', () => {
  const messages = [...Object.values(now.errors), ...Object.values(now.operations).map(({ reply }) => reply)]
  expect(messages.filter(({ message }) => message.includes('`'))).toEqual([])
})
