import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { newMerchant, newRoute, pay, sync, tableContents, useService } from '#testing'
import { CustomerEntity } from './entity.ts'
import { extendCustomer } from './schemas.ts'

const service = useService()
const ada = { name: 'Ada Obi', email: 'ada@example.com' }

test('an email address, in any letter case, belongs to one customer of an organisation and environment', async () => {
  const merchant = await newMerchant(service)
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  expect((await merchant.call('POST /v1/customers', { body: ada })).status).toBe(201)
  const duplicate = await merchant.call('POST /v1/customers', { body: { ...ada, email: 'ADA@Example.com' } })
  expect([duplicate.status, duplicate.body.message]).toEqual([409, 'Customer already exists'])
  expect((await live.call('POST /v1/customers', { body: ada })).status).toBe(201)
})

test('a patch changes only the fields in its body, and null removes the phone number', async () => {
  const merchant = await newMerchant(service)
  const { body } = await merchant.call('POST /v1/customers', {
    body: { ...ada, phoneNumber: '+2348012345678', metadata: { plan: 'gold' } },
  })
  const changed = await merchant.call(`PATCH /v1/customers/${body.data.id}`, {
    body: { name: 'Ada Eze', phoneNumber: null },
  })
  expect(changed.body.data).toEqual({
    ...body.data,
    name: 'Ada Eze',
    phoneNumber: null,
    updatedAt: changed.body.data.updatedAt,
  })
  expect(changed.body.data.updatedAt > body.data.updatedAt).toBe(true)
})

test('metadata is returned unchanged, whatever a key is called', async () => {
  const merchant = await newMerchant(service)
  const metadata = JSON.parse('{"text":"é \\"quoted\\"","empty":"","__proto__":"a","constructor":"b"}')
  const created = await merchant.call('POST /v1/customers', { body: { ...ada, metadata } })
  expect(JSON.stringify(created.body.data.metadata)).toBe(JSON.stringify(metadata))
  const read = await merchant.call(`GET /v1/customers/${created.body.data.id}`)
  expect(Object.entries(read.body.data.metadata).sort()).toEqual(Object.entries(metadata).sort())
})

test.each([
  [{ key: 1 }, 'metadata.key', 'Must be a string of at most 500 characters'],
  [{ key: null }, 'metadata.key', 'Must be a string of at most 500 characters'],
  [{ key: { nested: 'a' } }, 'metadata.key', 'Must be a string of at most 500 characters'],
  [{ key: 'v'.repeat(501) }, 'metadata.key', 'Must be a string of at most 500 characters'],
  [{ ['k'.repeat(41)]: '' }, `metadata.${'k'.repeat(41)}`, 'A key has 1 to 40 characters'],
  [Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])), 'metadata', 'Must have at most 50 keys'],
  [['a'], 'metadata', 'Must be an object'],
  ['a', 'metadata', 'Must be an object'],
])('metadata %j is refused with the field %s', async (metadata, field, message) => {
  const merchant = await newMerchant(service)
  const refused = await merchant.call('POST /v1/customers', { body: { ...ada, metadata } })
  expect([refused.status, refused.body.errors]).toEqual([422, { [field as string]: message }])
})

test('a patch merges metadata, null removes a key, and parallel patches of different keys are all kept', async () => {
  const merchant = await newMerchant(service)
  const created = await merchant.call('POST /v1/customers', { body: { ...ada, metadata: { plan: 'gold', old: 'x' } } })
  const path = `PATCH /v1/customers/${created.body.data.id}`
  const merged = await merchant.call(path, { body: { metadata: { plan: 'silver', old: null, unknown: null } } })
  expect(merged.body.data.metadata).toEqual({ plan: 'silver' })
  const keys = Array.from({ length: 8 }, (_, n) => `key${n}`)
  await Promise.all(keys.map((key) => merchant.call(path, { body: { metadata: { [key]: key } } })))
  const read = await merchant.call(`GET /v1/customers/${created.body.data.id}`)
  expect(Object.keys(read.body.data.metadata).sort()).toEqual([...keys, 'plan'])
  const many = Object.fromEntries(Array.from({ length: 42 }, (_, n) => [`more${n}`, '']))
  const refused = await merchant.call(path, { body: { metadata: many } })
  expect([refused.status, refused.body.errors]).toEqual([422, { metadata: 'Must have at most 50 keys' }])
})

test('an empty patch changes nothing, the time of the last change included', async () => {
  const merchant = await newMerchant(service)
  const { body } = await merchant.call('POST /v1/customers', { body: ada })
  const patched = await merchant.call(`PATCH /v1/customers/${body.data.id}`, { body: {} })
  expect([patched.status, patched.body.data]).toEqual([200, body.data])
})

test.each(['08012345678', '+0123456789', '+234 801 234 5678', '+1234', `+${'1'.repeat(16)}`, ''])(
  'the phone number "%s" is refused: only E.164 is accepted',
  async (phoneNumber) => {
    const merchant = await newMerchant(service)
    const { status, body } = await merchant.call('POST /v1/customers', { body: { ...ada, phoneNumber } })
    expect([status, Object.keys(body.errors)]).toEqual([422, ['phoneNumber']])
  },
)

test('an address, a country in any letter case and a tax number are kept, and null removes them', async () => {
  const merchant = await newMerchant(service)
  const billing = { address: '5 Broad Street, Lagos', country: 'ng', taxId: '87654321-0001' }
  const { body } = await merchant.call('POST /v1/customers', { body: { ...ada, ...billing } })
  expect(body.data).toMatchObject({ ...billing, country: 'NG' })
  const removed = await merchant.call(`PATCH /v1/customers/${body.data.id}`, {
    body: { address: null, country: null, taxId: null },
  })
  expect(removed.body.data).toMatchObject({ address: null, country: null, taxId: null })
})

test.each(['ZZ', 'XK', 'EU', 'DD', 'Nigeria', ''])(
  'the country "%s" is refused: ISO 3166-1 does not assign it',
  async (country) => {
    const merchant = await newMerchant(service)
    const { status, body } = await merchant.call('POST /v1/customers', { body: { ...ada, country } })
    expect([status, body.errors]).toEqual([
      422,
      { country: 'Must be a country code of two letters (ISO 3166-1), such as "NG"' },
    ])
  },
)

test('a phone number may be sent as null, as replies show it', async () => {
  const merchant = await newMerchant(service)
  const created = await merchant.call('POST /v1/customers', { body: { ...ada, phoneNumber: null } })
  expect([created.status, created.body.data.phoneNumber]).toEqual([201, null])
})

test('the list is complete at any length, newest first, with the exact total, and streamed when it is long', async () => {
  const merchant = await newMerchant(service)
  const seed = (from: number, to: number) =>
    service.runtime.pool.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', 'N' || n, 'n' || n || '@example.com', '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now() + make_interval(secs => n / 3), now()
         from generate_series($2::int, $3::int) n`,
      [merchant.organisationId, from, to],
    )
  for (const [from, to] of [
    [1, 199],
    [200, 200],
    [201, 201],
    [202, 3210],
  ] as const) {
    await seed(from, to)
    const { body, headers } = await merchant.call('GET /v1/customers')
    const { customers, total } = body.data
    expect([total, customers.length, new Set(customers.map(({ id }: { id: string }) => id)).size]).toEqual([to, to, to])
    const times = customers.map(({ createdAt }: { createdAt: string }) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
    expect(headers.get('transfer-encoding') === 'chunked').toBe(to > 200)
  }
})

test('an entity manager without a tenant throws instead of reading all rows', async () => {
  await expect(service.runtime.orm.em.fork().find(CustomerEntity, {})).rejects.toThrow(/filter/i)
})

test('anonymising erases the personal data everywhere, keeps the transactions, and cannot be undone', async () => {
  const merchant = await newMerchant(service)
  const person = {
    name: 'Zerubabel Quint',
    email: 'zerubabel@example.com',
    phoneNumber: '+2348019998877',
    address: '7 Quintbury Street',
    country: 'NG',
    taxId: 'QUINT-4711',
  }
  const key = newId()
  const creation = { body: { ...person, metadata: { note: 'left-handed' } }, key }
  const created = await merchant.call('POST /v1/customers', creation)
  const { id } = created.body.data
  const line = `PATCH /v1/customers/${id}`
  const patch = { body: { name: 'Zerubabel Q. Quint' }, key: newId() }
  expect((await merchant.call(line, patch)).status).toBe(200)
  const { id: routeId } = await newRoute(merchant, { customerId: id })
  await pay(merchant, routeId, '12.50')
  await sync(merchant, routeId)
  const before = (await merchant.call(`GET /v1/transactions?customerId=${id}`)).body.data
  expect(before.transactions[0].customerName).toBe('Zerubabel Q. Quint')

  const done = await merchant.call(`POST /v1/customers/${id}/anonymise`)
  expect(done.body).toMatchObject({
    message: 'Customer anonymised',
    data: {
      id,
      name: 'Anonymised customer',
      email: `${id}@anonymised.invalid`,
      phoneNumber: null,
      address: null,
      country: null,
      taxId: null,
      metadata: {},
    },
  })
  for (const [name, text] of await tableContents(service.database))
    expect([name, text.match(/zerubabel|8019998877|left-handed|quint/i)]).toEqual([name, null])
  const after = (await merchant.call(`GET /v1/transactions?customerId=${id}`)).body.data
  expect(after.transactions).toEqual([{ ...before.transactions[0], customerName: 'Anonymised customer' }])
  // A repeated request runs nothing again, and shows nothing that was erased.
  const replayed = await merchant.call('POST /v1/customers', creation)
  expect([replayed.status, replayed.headers.get('idempotent-replayed'), replayed.body]).toEqual([
    201,
    'true',
    { status: 'success', message: 'Customer created', data: done.body.data },
  ])
  expect((await merchant.call(line, { body: { name: 'Back' } })).body.message).toBe('Customer is anonymised')
  expect((await merchant.call(`POST /v1/customers/${id}/anonymise`)).body.data).toEqual(done.body.data)
  // The email address is free again.
  expect((await merchant.call('POST /v1/customers', { body: person })).status).toBe(201)
})

test('a customer shows the parts that other domains add, with what they have at first', () => {
  const { schema, initial, summaries } = extendCustomer({
    loyalty: { schema: z.object({ points: z.number() }), initial: { points: 0 }, summary: 'With their points.' },
  })
  expect(initial).toEqual({ loyalty: { points: 0 } })
  expect(summaries).toEqual(['With their points.'])
  expect(Object.keys(schema.shape)).toEqual([
    ...[
      'id',
      'name',
      'email',
      'phoneNumber',
      'address',
      'country',
      'taxId',
      'metadata',
      'loyalty',
      'createdAt',
      'updatedAt',
    ],
  ])
})
