import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { CustomerEntity } from './entity.ts'

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
    body: { ...ada, phoneNumber: '+2348012345678', metadata: { plan: 'gold', n: 1 } },
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

test('metadata is returned unchanged, and its size is limited', async () => {
  const merchant = await newMerchant(service)
  const metadata = { text: 'é "quoted"', number: 1.5, yes: true, none: null }
  const created = await merchant.call('POST /v1/customers', { body: { ...ada, metadata } })
  expect(created.body.data.metadata).toEqual(metadata)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, '']))
  for (const invalid of [many, { ['k'.repeat(41)]: '' }, { k: 'v'.repeat(501) }, { k: { nested: 1 } }]) {
    const { status, body } = await merchant.call('POST /v1/customers', {
      body: { name: 'B', email: `${newId()}@example.com`, metadata: invalid },
    })
    expect([status, Object.keys(body.errors)[0]?.split('.')[0]]).toEqual([422, 'metadata'])
  }
})

test('the list is complete at any length, newest first, with the exact total, and streamed when it is long', async () => {
  const merchant = await newMerchant(service)
  const seed = (from: number, to: number) =>
    service.runtime.pool.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, cngn_status, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', 'N' || n, 'n' || n || '@example.com', '{}', 'not_enabled', now() + make_interval(secs => n / 3), now()
         from generate_series($2::int, $3::int) n`,
      [merchant.organisationId, from, to],
    )
  for (const [from, to] of [
    [1, 999],
    [1000, 1000],
    [1001, 1001],
    [1002, 3210],
  ] as const) {
    await seed(from, to)
    const { body, headers } = await merchant.call('GET /v1/customers')
    const { customers, total } = body.data
    expect([total, customers.length, new Set(customers.map(({ id }: { id: string }) => id)).size]).toEqual([to, to, to])
    const times = customers.map(({ createdAt }: { createdAt: string }) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
    expect(headers.get('transfer-encoding') === 'chunked').toBe(to > 1000)
  }
})

test('an entity manager without a tenant throws instead of reading all rows', async () => {
  await expect(service.runtime.orm.em.fork().find(CustomerEntity, {})).rejects.toThrow(/filter/i)
})
