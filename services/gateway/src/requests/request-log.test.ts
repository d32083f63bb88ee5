import { newId, system } from '@payments/kernel'
import { domainsOf, requestLog } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, newMerchant, signedIn, startService, useService } from '#testing'
import { operations } from '../operations/operations.ts'
import { loggedRequest } from './request-log.ts'

const service = useService()

/** The logged requests of an organisation, the oldest first. */
async function logged(organisationId: string) {
  await service.process.requestLog.flush()
  const { rows } = await service.runtime.pool.query(
    'select * from request_log where organisation_id = $1 order by id',
    [organisationId],
  )
  return rows
}
const body = { name: 'Ada Obi', email: 'ada@example.com' }

test('each request with an organisation is one row, with its outcome and without secrets and personal data', async () => {
  const merchant = await newMerchant(service)
  const key = 'order-4711-of-ada'
  const send = () => merchant.call('POST /v1/customers', { body, key, headers: { 'x-request-id': 'req-1' } })
  const { id } = (await send()).body.data
  expect((await send()).headers.get('idempotent-replayed')).toBe('true')
  await merchant.call('POST /v1/customers', { body, key: null })
  await merchant.call('POST /v1/customers', { body: { ...body, secret: 'hunter2' } })
  await merchant.call(`GET /v1/customers/${id}?note=hunter2`)
  await merchant.call('GET /v1/customers/hunter2')
  const rows = await logged(merchant.organisationId)
  const { rows: keys } = await service.runtime.pool.query('select id from api_keys where organisation_id = $1', [
    merchant.organisationId,
  ])
  const common = { environment: 'test', key_id: keys[0].id, session_id: null, replayed: false, error_code: null }
  const post = { ...common, method: 'POST', path: '/v1/customers' }
  const get = { ...common, method: 'GET', path: '/v1/customers/{customerId}', idempotency_key: null }
  expect(rows).toMatchObject([
    { ...post, status: 201, request_id: 'req-1', idempotency_key: key, resource_id: id },
    { ...post, status: 201, request_id: 'req-1', idempotency_key: key, resource_id: id, replayed: true },
    { ...post, status: 400, idempotency_key: null, error_code: 'key_required', resource_id: null },
    { ...post, status: 422, error_code: 'validation_failed', resource_id: null },
    { ...get, status: 200, resource_id: id },
    { ...get, status: 404, error_code: 'customer_not_found', resource_id: null },
  ])
  for (const secret of ['hunter2', 'ada@example.com', 'Ada Obi', merchant.key])
    expect(JSON.stringify(rows)).not.toContain(secret)
})

test('a request has its bodies as they may be shown, and a reply that was sent again has them too', async () => {
  const merchant = await newMerchant(service)
  const send = (extra = {}) => merchant.call('POST /v1/customers', { body: { ...body, ...extra }, key: 'order-1' })
  const { id, createdAt } = (await send()).body.data
  await send({ metadata: { note: 'hunter2' } })
  await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'none' } })
  const [first, again, refused] = await logged(merchant.organisationId)
  const hidden = { name: '[redacted]', email: '[redacted]' }
  expect(first.request_body).toEqual(hidden)
  expect(first.response_body).toMatchObject({
    status: 'success',
    message: 'Customer created',
    data: { ...hidden, id, createdAt, phoneNumber: null, metadata: '[redacted]' },
  })
  expect(again).toMatchObject({
    replayed: true,
    request_body: { ...hidden, metadata: '[redacted]' },
    response_body: first.response_body,
  })
  expect(refused).toMatchObject({
    request_body: hidden,
    response_body: { status: 'error', message: 'Validation failed', data: null, errors: { email: expect.any(String) } },
  })
})

test('a secret that a reply shows once is not in the log, nor are the codes and tokens of a session', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const session = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const post = (line: string, sent: object) => call(service, line, { token: session.accessToken, body: sent })
  const key = await post('POST /v1/api-keys', { name: 'Orders', environment: 'test', type: 'secret', access: 'read' })
  const endpoint = await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
  const tokens = await post('POST /v1/auth/organisation', { organisationId })
  await post('POST /v1/auth/confirm', { code: '918273' })
  const text = JSON.stringify(await logged(organisationId))
  const secrets = [
    key.body.data.key,
    endpoint.body.data.secret,
    tokens.body.data.accessToken,
    tokens.body.data.refreshToken,
  ]
  for (const secret of [...secrets, '918273']) {
    expect(secret).toEqual(expect.any(String))
    expect(text).not.toContain(secret)
  }
})

test('a refused request is recorded, one without an organisation is not, and a session is named', async () => {
  const merchant = await newMerchant(service, { scopes: ['api:read'] })
  const { organisationId } = merchant
  const session = await signedIn(service.runtime, { organisationId, role: 'member' })
  await merchant.call('POST /v1/customers', { body })
  await merchant.call('GET /v1/customers', { token: `${merchant.key.slice(0, -1)}!` })
  await merchant.call('GET /v1/customers', { token: null })
  await merchant.call('GET /v1/no-such-path')
  await call(service, 'GET /v1/auth/me', { token: session.accessToken })
  expect(await logged(organisationId)).toMatchObject([
    { path: '/v1/customers', status: 403, session_id: null },
    { path: '/v1/auth/me', status: 200, key_id: null, session_id: expect.any(String) },
  ])
})

test('a process that stops writes the requests that it has collected', async () => {
  const other = await startService({ database: service.database })
  const merchant = await newMerchant(other)
  for (let n = 0; n < 3; n++) await merchant.call('GET /v1/customers')
  await other.stop()
  expect(await logged(merchant.organisationId)).toHaveLength(3)
})

test('rows that cannot be written are written once the database answers, and requests do not notice', async () => {
  const merchant = await newMerchant(service)
  await service.process.requestLog.flush()
  const { priorityPool } = service.runtime
  const query = priorityPool.query
  let failures = 0
  priorityPool.query = ((config: { name?: string }, ...rest: unknown[]) => {
    if (config?.name !== 'request-log')
      return (query as (...all: unknown[]) => unknown).call(priorityPool, config, ...rest)
    failures++
    return Promise.reject(new Error('no connection'))
  }) as typeof query
  try {
    expect((await merchant.call('GET /v1/customers')).status).toBe(200)
    await service.process.requestLog.flush()
    expect(failures).toBeGreaterThan(0)
  } finally {
    priorityPool.query = query
  }
  expect(await logged(merchant.organisationId)).toHaveLength(1)
})

test('with a retention of 0 days nothing is recorded', async () => {
  const other = await startService({ database: service.database, settings: { RETENTION_REQUEST_LOG_DAYS: '0' } })
  try {
    const merchant = await newMerchant(other)
    await merchant.call('GET /v1/customers')
    await other.process.requestLog.flush()
    expect(await logged(merchant.organisationId)).toEqual([])
  } finally {
    await other.stop()
  }
})

test('bodies are redacted only where they are kept: not with a retention of 0 days, nor beyond 2000 waiting rows', async () => {
  const { organisationId } = await newMerchant(service)
  let reads = 0
  const exchange = {
    operation: operations.find(({ name }) => name === 'customers.create')?.operation,
    get body() {
      reads++
      return body
    },
  }
  const context = {
    ...{ method: 'POST', status: 201, req: { headers: {} }, response: { get: () => '' } },
    state: { actor: system(organisationId, 'test'), ip: '198.51.100.7', exchange },
  }
  const completed = { id: newId(), requestId: 'req-1', route: '/v1/customers', seconds: 0.01 }
  const request = loggedRequest(context as never, { ...completed, code: undefined, failed: undefined })
  if (!request) throw new Error('The request has an organisation')
  const settings = { ...service.runtime.settings, RETENTION_REQUEST_LOG_DAYS: 0 }
  requestLog({ ...service.runtime, settings }).record(request)
  expect(reads).toBe(0)
  const log = requestLog(service.runtime)
  for (let n = 0; n < 2005; n++) log.record(request)
  expect(reads).toBe(2000)
  await log.flush()
  expect(await logged(organisationId)).toMatchObject([{ request_body: { name: '[redacted]', email: '[redacted]' } }])
})

test('old rows are deleted after the configured time', async () => {
  const merchant = await newMerchant(service)
  for (let n = 0; n < 2; n++) await merchant.call('GET /v1/customers')
  const [old, kept] = await logged(merchant.organisationId)
  await service.runtime.pool.query(
    "update request_log set id = $2, created_at = now() - interval '31 days' where id = $1",
    [old.id, `01936f2a-7c1e-7000-8000-${newId().slice(-12)}`],
  )
  const jobs = domainsOf(service.runtime).flatMap((domain) => domain.work?.jobs ?? [])
  const purge = jobs.find(({ name }) => name === 'platform.partitions')
  await purge?.run(service.runtime, {}, new AbortController().signal)
  expect((await logged(merchant.organisationId)).map(({ id }) => id)).toEqual([kept.id])
})
