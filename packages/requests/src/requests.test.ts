import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, connected, type Merchant, newCollection, newMerchant, newRoute, signedIn, useService } from '#testing'

const service = useService()
const body = { name: 'Ada Obi', email: 'ada@example.com' }

async function read(merchant: Merchant, line: string, given: object = {}) {
  await service.process.requestLog.flush()
  return merchant.call(line, given)
}
const search = async (merchant: Merchant, filters: object) =>
  (await read(merchant, 'POST /v1/requests/search', { body: filters })).body.data
interface Seen {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestId: string
  readonly idempotencyKey: string | null
  readonly resourceId: string | null
  readonly createdAt: string
}
const idsOf = (requests: readonly { id: string }[]) => requests.map(({ id }) => id)

test('an organisation sees its own requests, newest first, with their exact number', async () => {
  const merchant = await newMerchant(service)
  const created = await merchant.call('POST /v1/customers', {
    body,
    key: 'order-1',
    headers: { 'user-agent': 'shop/1' },
  })
  await merchant.call('POST /v1/customers', { body, key: 'order-1' })
  await merchant.call('GET /v1/customers/none')
  const { requests, total } = (await read(merchant, 'GET /v1/requests')).body.data
  expect(total).toBe(3)
  const of = { apiKeyId: expect.any(String), ip: '127.0.0.1', durationMs: expect.any(Number) }
  const post = { ...of, method: 'POST', path: '/v1/customers', status: 201, idempotencyKey: 'order-1', errorCode: null }
  expect(requests).toMatchObject([
    { ...of, method: 'GET', path: '/v1/customers/{customerId}', status: 404, errorCode: 'customer_not_found' },
    { ...post, replayed: true, resourceId: created.body.data.id },
    { ...post, replayed: false, resourceId: created.body.data.id, userAgent: 'shop/1' },
  ])
})

test('a request is found by its id and by its X-Request-Id, and shows its bodies without personal data', async () => {
  const merchant = await newMerchant(service)
  await merchant.call('POST /v1/customers', { body, headers: { 'x-request-id': 'checkout-7' } })
  const answered = await merchant.call('POST /v1/customers', { body: { ...body, email: 'no address' } })
  const named = (await read(merchant, 'GET /v1/requests/checkout-7')).body.data
  expect(named).toMatchObject({
    requestId: 'checkout-7',
    requestBody: { name: '[redacted]', email: '[redacted]' },
    responseBody: { status: 'success', data: { name: '[redacted]', metadata: '[redacted]' } },
  })
  expect((await read(merchant, `GET /v1/requests/${named.id}`)).body.data).toEqual(named)
  const given = answered.headers.get('x-request-id')
  expect((await read(merchant, `GET /v1/requests/${given}`)).body.data).toMatchObject({ id: given, status: 422 })
})

test('another organisation, the other environment and operators’ requests are not seen, by list, search or id', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  await merchant.call('GET /v1/customers', { headers: { 'x-request-id': 'same-name' } })
  const [own] = (await read(merchant, 'GET /v1/requests')).body.data.requests
  const live = await newMerchant(service, { environment: 'live', organisationId })
  for (const other of [await newMerchant(service), live]) {
    for (const id of [own.id, 'same-name', newId(), 'none']) {
      const { status, body: answer } = await read(other, `GET /v1/requests/${id}`)
      expect([status, answer.message]).toEqual([404, 'Request not found'])
    }
    expect((await search(other, { requestId: 'same-name' })).requests).toEqual([])
    const before = await read(other, 'POST /v1/requests/search', { body: { before: own.id } })
    expect([before.status, before.body.errors]).toEqual([422, { before: 'Request not found' }])
    expect(idsOf((await read(other, 'GET /v1/requests')).body.data.requests)).not.toContain(own.id)
  }
  const operator = await signedIn(service.runtime, { role: 'operator' })
  const support = await call(service, `GET /v1/admin/ops/timeline/${own.id}`, { token: operator.accessToken })
  await service.process.requestLog.flush()
  const hidden = support.headers.get('x-request-id')
  const shown = await call(service, `GET /v1/requests/${hidden}`, { token: operator.accessToken })
  expect(shown.status).toBe(404)
  const { rows } = await service.runtime.pool.query(
    'select request_body, response_body from request_log where id = $1',
    [hidden],
  )
  expect(rows).toEqual([{ request_body: null, response_body: null }])
})

test('each filter finds what fits, and pages through all of it without gaps or repetitions', async () => {
  const merchant = await newMerchant(service)
  const { id } = (await merchant.call('POST /v1/customers', { body, key: 'order-1' })).body.data
  for (let n = 0; n < 7; n++) await merchant.call(`GET /v1/customers/${id}`)
  await merchant.call('POST /v1/customers', { body, key: 'order-2', headers: { 'x-request-id': 'twice' } })
  const all = (await read(merchant, 'GET /v1/requests')).body.data.requests
  const path = '/v1/customers/{customerId}'
  for (const [filters, fits] of [
    [{ methods: ['POST'] }, ({ method }) => method === 'POST'],
    [{ path }, (each) => each.path === path],
    [{ statusFrom: 400 }, ({ status }) => status >= 400],
    [{ statusTo: 200 }, ({ status }) => status <= 200],
    [{ statuses: ['201', '4xx', '5xx'] }, ({ status }) => status === 201 || status >= 400],
    [{ statuses: ['4xx', '503'] }, ({ status }) => status >= 400],
    [{ statuses: ['2xx', '4xx'], statusFrom: 201 }, ({ status }) => status >= 201],
    [{ requestId: 'twice' }, ({ requestId }) => requestId === 'twice'],
    [{ idempotencyKeys: ['order-1'] }, ({ idempotencyKey }) => idempotencyKey === 'order-1'],
    [{ resourceId: id }, ({ resourceId }) => resourceId === id],
    [{ apiKeyId: all[0].apiKeyId }, () => true],
    [{ from: all[3].createdAt }, ({ createdAt }) => createdAt >= all[3].createdAt],
    [{ to: all[3].createdAt }, ({ createdAt }) => createdAt < all[3].createdAt],
    [{ methods: ['GET'], path, statusFrom: 404 }, () => false],
  ] satisfies [object, (each: Seen) => boolean][]) {
    const found = await search(merchant, { ...filters, to: 'to' in filters ? filters.to : new Date().toISOString() })
    const expected = all.filter(fits)
    const own = found.requests.filter((each: { path: string }) => each.path !== '/v1/requests/search')
    expect(own).toEqual(expect.arrayContaining(expected))
    expect(found.total).toBe(found.requests.length)
  }
  const pages: string[] = []
  let before: string | null | undefined
  do {
    const found = await search(merchant, { path, limit: 2, ...(before ? { before } : {}) })
    expect(found.total).toBe(7)
    pages.push(...idsOf(found.requests))
    before = found.next
  } while (before)
  expect(pages).toEqual(idsOf(all.filter((each: { path: string }) => each.path === path)))
})

test('each search reads little more than it returns, however many requests there are', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const filler = `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, resource_id, created_at)
    select (left(first_id_of(now())::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, 'test', 'GET', '/v1/customers', 200, 1, 'r' || n,
           false, gen_random_uuid(), now() - make_interval(secs => n)
      from generate_series(1, 20000) n`
  await service.runtime.pool.query(filler, [organisationId])
  // As autovacuum does; the service's role may not.
  const owner = await connected(service)
  await owner.query('analyze request_log').finally(() => owner.end())
  const found = await search(merchant, { path: '/v1/customers', limit: 1 })
  expect(found).toMatchObject({ total: null, next: expect.any(String) })
  expect((await read(merchant, 'GET /v1/requests')).body.data.total).toBeGreaterThanOrEqual(20_000)
  for (const where of [
    "path = '/v1/customers'",
    'status >= 400',
    "status = any ('{404,503}') and status >= 400",
    "request_id = 'r7'",
    "idempotency_key = any ('{k}')",
    `resource_id = '${newId()}'`,
  ]) {
    const { rows } = await service.runtime.pool.query(
      `explain (analyze, format json) select id from request_log where organisation_id = '${organisationId}' and environment = 'test'
          and path like '/v1/%' and path not like '/v1/admin/%' and ${where} order by created_at desc, id desc limit 50`,
    )
    const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node)
      .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
      .reduce((most, of) => Math.max(most, of))
    expect(read, where).toBeLessThan(200)
  }
})

interface Node {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('erasing a customer leaves nothing that was written about them in the log', async () => {
  const merchant = await newMerchant(service)
  const { id } = (await merchant.call('POST /v1/customers', { body, key: 'ada@example.com' })).body.data
  await merchant.call(`PATCH /v1/customers/${id}`, { body: { name: 'Ada Eze' }, key: 'rename Ada Eze' })
  await service.process.requestLog.flush()
  await merchant.call(`POST /v1/customers/${id}/anonymise`)
  await service.process.requestLog.flush()
  const { rows } = await service.runtime.pool.query('select * from request_log where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect(rows).toHaveLength(3)
  for (const text of ['ada@example.com', 'Ada Obi', 'Ada Eze']) expect(JSON.stringify(rows)).not.toContain(text)
})

test('erasing a customer empties the requests about everything of theirs: no title, description, item or name of a route says who they were', async () => {
  const merchant = await newMerchant(service)
  const other = (await merchant.call('POST /v1/customers', { body: { ...body, email: 'other@example.com' } })).body.data
  const { id: customerId } = (await merchant.call('POST /v1/customers', { body })).body.data
  const link = await newCollection(merchant, {
    customerId,
    title: 'Obi Ada’s rent',
    description: 'For Obi Ada',
    metadata: { of: 'Obi Ada' },
  })
  await merchant.call(`PATCH /v1/collections/${link.id}`, {
    body: { title: 'Rent of Obi Ada' },
    key: 'rent of Obi Ada',
  })
  await newRoute(merchant, { customerId, name: 'Savings of Obi Ada' })
  await newRoute(merchant, { customerId: other.id, name: 'Treasury', originChainKey: 'polygon' })
  await service.process.requestLog.flush()
  await merchant.call(`POST /v1/customers/${customerId}/anonymise`)
  await service.process.requestLog.flush()
  const { rows } = await service.runtime.pool.query('select * from request_log where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect(rows).toHaveLength(7)
  expect(JSON.stringify(rows)).not.toMatch(/Obi/)
  // The other customer is no concern of it.
  expect(JSON.stringify(rows)).toContain('Treasury')
})

test('an address with a token, and what is written for a payer, are in no body of the log, whether the request succeeds or not', async () => {
  const merchant = await newMerchant(service)
  const url = 'https://hooks.merchant.example/services/T0/hunter2?token=hunter3'
  const made = (await merchant.call('POST /v1/webhooks', { body: { url } })).body.data
  expect(made.url).toBe(url)
  await merchant.call(`PATCH /v1/webhooks/${made.id}`, { body: { url: `${url}&more=hunter4` } })
  await merchant.call(`GET /v1/webhooks/${made.id}`)
  const bad = 'https://hunter5:hunter6@10.0.0.1/?token=hunter7'
  expect((await merchant.call('POST /v1/webhooks', { body: { url: bad } })).status).toBe(422)
  const items = [{ description: 'hunter8 lessons', quantity: 1, unitAmount: '25' }]
  const { id } = await newCollection(merchant, {
    type: 'invoice',
    amount: undefined,
    items,
    title: 'hunter9',
    description: 'hunter10',
  })
  await merchant.call(`GET /v1/collections/${id}`)
  await service.process.requestLog.flush()
  const { rows } = await service.runtime.pool.query('select * from request_log where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect(rows).toHaveLength(6)
  expect(JSON.stringify(rows)).not.toMatch(/hunter/)
})

test('invalid filters are refused by name', async () => {
  const merchant = await newMerchant(service)
  const { status, body: answer } = await merchant.call('POST /v1/requests/search', {
    body: {
      methods: ['TRACE'],
      path: 'customers',
      statusFrom: 4,
      statuses: ['404', '6xx', '4x'],
      apiKeyId: 'x',
      from: 'yesterday',
      limit: 201,
      more: 1,
    },
  })
  expect(status).toBe(422)
  expect(Object.keys(answer.errors).sort()).toEqual(
    ['apiKeyId', 'from', 'limit', 'methods.0', 'more', 'path', 'statusFrom', 'statuses.1', 'statuses.2'].sort(),
  )
})
