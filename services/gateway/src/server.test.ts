import { connect } from 'node:net'
import type { AppRouter } from '@payments/api'
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { describe, expect, test } from 'vitest'
import { call, newMerchant, samples, signedIn, startProcess, startService, useService } from '#testing'

const service = useService()
const customer = { name: 'Ada', email: 'ada@example.com' }

describe('the envelope also covers', () => {
  test.each([
    ['an unknown path', 'GET /v1/nothing', {}, 404, 'Not found'],
    ['a known path with a trailing slash', 'GET /v1/customers/', {}, 404, 'Not found'],
    ['a known path in another letter case', 'GET /v1/Customers', {}, 404, 'Not found'],
    ['a method that the path does not allow', 'PUT /v1/customers', {}, 405, 'Method not allowed'],
    ['malformed JSON', 'POST /v1/customers', { body: '{"name":' }, 400, 'Malformed JSON body'],
    [
      'another media type',
      'POST /v1/customers',
      { body: 'name=Ada', headers: { 'content-type': 'text/plain' } },
      415,
      'Content-Type must be application/json',
    ],
    [
      'a body over 100 kB',
      'POST /v1/customers',
      { body: { name: 'a'.repeat(100_001) } },
      413,
      'Request body exceeds 100 kB',
    ],
    ['a body that is not an object', 'POST /v1/customers', { body: [1] }, 422, 'Validation failed'],
    [
      'a NUL character in a text',
      'POST /v1/customers',
      { body: { ...customer, name: 'A\0' } },
      422,
      'Validation failed',
    ],
  ] as const)('%s', async (_name, line, options, status, message) => {
    const merchant = await newMerchant(service)
    const answer = await merchant.call(line, options)
    expect([answer.status, answer.body.status, answer.body.message, answer.body.data]).toEqual([
      status,
      'error',
      message,
      null,
    ])
  })
})

test('a 405 lists the methods that the path allows', async () => {
  const answer = await call(service, 'PUT /v1/customers', { key: null })
  expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
})

test('a JSON body with a charset and with escapes is accepted', async () => {
  const merchant = await newMerchant(service)
  const answer = await merchant.call('POST /v1/customers', {
    body: '{"name":"\\u0041da","email":"ada@example.com"}',
    headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
  })
  expect([answer.status, answer.body.data.name]).toEqual([201, 'Ada'])
})

test('a valid request id of the caller is used, and otherwise a new one is generated', async () => {
  const valid = await call(service, 'GET /v1/nothing', { headers: { 'x-request-id': 'mine-1' } })
  const tooLong = await call(service, 'GET /v1/nothing', { headers: { 'x-request-id': 'a'.repeat(129) } })
  expect(valid.headers.get('x-request-id')).toBe('mine-1')
  expect(tooLong.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(service.logs.some((line) => line.includes('"requestId":"mine-1"'))).toBe(true)
})

test('one object is followed in the log by its id: the access line has organisation, key and object, and each change of a status its request', async () => {
  const merchant = await newMerchant(service)
  const route = await merchant.call('POST /v1/payment-routes', {
    body: samples.route.body(),
    headers: { 'x-request-id': 'followed-1' },
  })
  const { id } = route.body.data
  const lines = service.logs.map((line) => JSON.parse(line)).filter((line) => line.requestId === 'followed-1')
  const { organisationId } = merchant
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'status changed', id, from: null, to: 'active', organisationId }),
    expect.objectContaining({
      msg: 'request completed',
      resourceId: id,
      organisationId,
      keyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    }),
  ])
})

test('/health is public and has no envelope, for GET and HEAD, and is 503 in the envelope without the database', async () => {
  const answer = await call(service, 'GET /health')
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['status', 'env', 'ts']])
  const head = await call(service, 'HEAD /health')
  expect([head.status, head.text]).toEqual([200, ''])
  const own = await startService()
  try {
    await own.database.drop()
    const down = await call(own, 'GET /health')
    expect(down.status).toBe(503)
    expect(down.body).toEqual({
      status: 'error',
      message: 'The service is busy, please retry',
      data: null,
      env: answer.body.env,
      ts: expect.stringMatching(/Z$/),
    })
    expect((await call(own, 'HEAD /health')).status).toBe(503)
  } finally {
    await own.stop().catch(() => undefined)
  }
})

test('clients that disconnect, stall or send invalid HTTP do not affect other clients', async () => {
  const merchant = await newMerchant(service)
  const port = Number(new URL(service.url).port)
  const head = `POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.key}\r\nContent-Type: application/json\r\nIdempotency-Key: `
  const send = (text: string, end: 'disconnects' | 'waits') =>
    new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(text)
        if (end === 'disconnects') setTimeout(() => socket.destroy(), 20)
      })
      socket.on('data', (chunk) => {
        received += chunk.toString()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(received))
    })
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, (_, index) =>
      send(`${head}abort-${index}\r\nContent-Length: 5000\r\n\r\n{"name":"Ad`, 'disconnects'),
    ),
    ...Array.from({ length: 20 }, (_, index) =>
      send(
        `${head}vanish-${index}\r\nContent-Length: 45\r\n\r\n${JSON.stringify({ name: 'Ada', email: `v${index}@example.com` }).padEnd(45)}`,
        'disconnects',
      ),
    ),
    send('NONSENSE\r\n\r\n', 'waits'),
    send(`GET /v1/customers HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 'waits'),
    send(`${head}stalled\r\nContent-Length: 50\r\n\r\n{`, 'disconnects'),
    send(`${head}chunks\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 'waits'),
  ])
  expect(answers.at(40)).toMatch(/^HTTP\/1.1 400 [\s\S]*"status":"error"/)
  expect(answers.at(41)).toMatch(/^HTTP\/1.1 431 /)
  const after = await merchant.call('POST /v1/customers', { body: customer })
  expect(after.status).toBe(201)
  const { rows } = await service.runtime.pool.query(
    'select count(*)::int as n from idempotency_keys where organisation_id = $1 and key like $2',
    [merchant.organisationId, 'abort-%'],
  )
  expect(rows[0].n).toBe(0)
})

test('after a stop signal, requests in flight are completed and new ones are refused', async () => {
  const merchant = await newMerchant(service)
  const other = await startProcess(service)
  const port = Number(new URL(other.url).port)
  const body = JSON.stringify(customer)
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(
    `POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.key}\r\nIdempotency-Key: last\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const stopped = other.stop()
  await new Promise((resolve) => setTimeout(resolve, 300))
  await expect(fetch(`${other.url}/health`)).rejects.toThrow()
  socket.write(body.slice(5))
  await closed
  await stopped
  expect(received).toMatch(/^HTTP\/1.1 201 [\s\S]*"Customer created"/)
})

test('internal tools can call the same procedures over typed tRPC and get objects and errors without the envelope', async () => {
  const { organisationId } = await newMerchant(service)
  const session = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const client = createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${service.url}/trpc`, headers: { authorization: `Bearer ${session.accessToken}` } })],
  })
  const [created, listed] = await Promise.all([
    client.customers.create.mutate(customer),
    client.paymentRoutes.networks.query({}),
  ])
  expect([created.email, listed.networks[0]?.key]).toEqual(['ada@example.com', 'ethereum'])
  await expect(client.customers.create.mutate(customer)).rejects.toMatchObject({
    message: 'Customer already exists',
    data: { code: 'CONFLICT', error: 'customer_exists' },
  })
  // @ts-expect-error a customer needs an email
  await expect(client.customers.create.mutate({ name: 'Ada' })).rejects.toMatchObject({ message: 'Validation failed' })
})

test('the API reference loads no asset from another host', async () => {
  const page = await call(service, 'GET /docs/reference')
  const sources = [...page.text.matchAll(/<(?:link|script)[^>]* (?:src|href)="([^"#]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  expect(sources.length).toBeGreaterThan(2)
  for (const source of sources) {
    expect(source).toMatch(/^\/docs(\/|$)/)
    expect((await call(service, `GET ${source}`)).status).toBe(200)
  }
  const document = await call(service, 'GET /v1/openapi.json')
  expect([document.body.openapi, document.body.info.version, document.body.servers[0].url]).toEqual([
    '3.1.0',
    '1.0.0',
    '/v1',
  ])
})
