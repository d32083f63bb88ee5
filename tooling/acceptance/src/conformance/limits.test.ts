import { newId } from '@payments/kernel'
import { beforeAll, expect } from 'vitest'
import {
  call,
  connected,
  launchArtefact,
  type Merchant,
  newMerchant,
  newRoute,
  newRouteBody,
  pay,
  signedIn,
  sync,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

const service = useArtefact()
let merchant: Merchant
beforeAll(async () => {
  merchant = await newMerchant(service)
})
const create = (email: string, options: object = {}) =>
  merchant.call('POST /v1/customers', { body: { name: 'Ada', email }, ...options })

conforms('error400', async () => expect((await create('a@example.com', { key: null })).status).toBe(400))

conforms('error401', async () => expect((await merchant.call('GET /v1/customers', { token: null })).status).toBe(401))

conforms('error403', async () => {
  const reader = await newMerchant(service, { scopes: ['api:read'] })
  expect((await reader.call('POST /v1/customers', { body: { name: 'Ada', email: 'b@example.com' } })).status).toBe(403)
  const suspended = await newMerchant(service)
  const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
  const line = `POST /v1/admin/ops/organisations/${suspended.organisationId}/suspend`
  expect((await call(service, line, { token: accessToken, body: { reason: 'Review' } })).status).toBe(200)
  const refused = await suspended.call('POST /v1/customers', { body: { name: 'Ada', email: 'c@example.com' } })
  expect([refused.status, refused.body.message]).toEqual([403, 'Organisation suspended'])
})

conforms('error404', async () => {
  const { status, body } = await merchant.call(`GET /v1/payment-routes/${newId()}`)
  expect([status, body.message]).toEqual([404, 'Payment route not found'])
})

conforms('error409', async () => {
  const body = newRouteBody()
  await merchant.call('POST /v1/payment-routes', { body })
  expect((await merchant.call('POST /v1/payment-routes', { body })).status).toBe(409)
})

conforms('error422', async () => {
  const { status, body } = await create('not an address')
  expect([status, body.message, body.errors]).toEqual([422, 'Validation failed', { email: 'Must be an email address' }])
})

/** Statuses of requests in order, from a service with the limits of the specification. */
async function counted(path: string, requests: number, line: 'GET' | 'POST'): Promise<number[]> {
  const own = await launchArtefact({ settings: { RATE_LIMIT_GLOBAL: '', RATE_LIMIT_AUTH: '' } })
  try {
    const statuses: number[] = []
    for (let sent = 0; sent < requests; sent++)
      statuses.push(
        (await call(own, `${line} ${path}`, { token: null, ...(line === 'POST' ? { body: {} } : {}) })).status,
      )
    return statuses
  } finally {
    await own.stop()
  }
}

conforms('globalRate', async () => {
  const statuses = await counted('/v1/customers', 201, 'GET')
  expect([statuses.slice(0, 200).every((status) => status === 401), statuses[200]]).toEqual([true, 429])
})

conforms('authRate', async () => {
  const statuses = await counted('/v1/auth/login', 21, 'POST')
  expect([statuses.slice(0, 20).every((status) => status === 422), statuses[20]]).toEqual([true, 429])
})

conforms('error429', async () => {
  const own = await launchArtefact({ settings: { RATE_LIMIT_GLOBAL: '1' } })
  try {
    await call(own, 'GET /v1/customers')
    const { status, body, headers } = await call(own, 'GET /v1/customers')
    expect([status, body.status, Number(headers.get('retry-after')) > 0]).toEqual([429, 'error', true])
  } finally {
    await own.stop()
  }
})

conforms('noRateHeaders', async () => {
  const { headers } = await merchant.call('GET /v1/customers')
  expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
})

conforms('error500', async () => {
  const own = await launchArtefact()
  const owner = await connected(own)
  try {
    const of = await newMerchant(own)
    await owner.query('alter table customers rename column name to lost')
    const { status, body } = await of.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
    expect([status, body]).toEqual([500, { status: 'error', message: 'Internal server error', data: null }])
  } finally {
    await owner.end()
    await own.stop()
  }
})

conforms('failedNotStored', async () => {
  const key = newId()
  expect((await create('not an address', { key })).status).toBe(422)
  expect((await create('fixed@example.com', { key })).status).toBe(201)
})

conforms('keyLength', async () => {
  expect((await create('long@example.com', { key: 'k'.repeat(255) })).status).toBe(201)
  const { status, body } = await create('longer@example.com', { key: 'k'.repeat(256) })
  expect([status, body.message]).toEqual([422, 'Idempotency-Key must be 255 characters or fewer'])
})

conforms('idempotencyMatch', async () => {
  const key = newId()
  const first = await create('first@example.com', { key })
  const second = await create('second@example.com', { key })
  expect([second.status, second.text]).toEqual([201, first.text])
  const otherPath = await merchant.call('POST /v1/webhooks', { key, body: { url: 'https://merchant.example' } })
  const other = await newMerchant(service)
  const otherOrganisation = await other.call('POST /v1/customers', {
    key,
    body: { name: 'Eve', email: 'eve@example.com' },
  })
  expect([otherPath.status, otherOrganisation.body.data.email]).toEqual([201, 'eve@example.com'])
})

conforms('retention', async () => {
  const key = newId()
  await create('retention@example.com', { key })
  const { rows } = await service.runtime.pool.query<{ hours: number }>(
    'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from idempotency_keys where key = $1',
    [key],
  )
  expect(rows).toEqual([{ hours: 24 }])
})

conforms('transactionsCap', async () => {
  const of = await newMerchant(service)
  await service.runtime.pool.query(
    `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'swap', 'completed', 'Solana USDC', 1, 'USDC', '{}', now() - make_interval(secs => n), now()
       from generate_series(1, 203) n`,
    [of.organisationId],
  )
  const { transactions, total } = (await of.call('GET /v1/transactions')).body.data
  const times = transactions.map(({ createdAt }: { createdAt: string }) => createdAt)
  expect([transactions.length, total, times]).toEqual([200, 203, times.toSorted().reverse()])
})

conforms(
  'depositsCap',
  async () => {
    const of = await newMerchant(service)
    const { id } = await newRoute(of)
    for (let batch = 0; batch < 21; batch++) await Promise.all(Array.from({ length: 10 }, () => pay(of, id, '1.5')))
    await sync(of, id)
    const { deposits, total } = (await of.call('GET /v1/payment-routes/deposits')).body.data
    expect([deposits.length, total]).toEqual([200, 210])
  },
  60_000,
)

conforms('completeLists', async () => {
  const of = await newMerchant(service)
  await service.runtime.pool.query(
    `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'N', n || '@example.com', '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now(), now() from generate_series(1, 203) n`,
    [of.organisationId],
  )
  const { customers, total } = (await of.call('GET /v1/customers')).body.data
  expect([customers.length, total]).toEqual([203, 203])
})

conforms('noFilters', async () => {
  const of = await newMerchant(service)
  for (const email of ['1@example.com', '2@example.com'])
    await of.call('POST /v1/customers', { body: { name: 'Ada', email } })
  for (const query of ['limit=1', 'page=2', 'cursor=x', 'email=1@example.com'])
    expect((await of.call(`GET /v1/customers?${query}`)).body.data.total).toBe(2)
})
