import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  HOSTILE_BODIES,
  type Merchant,
  newCollection,
  newMerchant,
  newRoute,
  pay,
  samples,
  signedIn,
  sync,
  useService,
} from '#testing'

const service = useService()
let merchant: Merchant
let session: string
beforeAll(async () => {
  merchant = await newMerchant(service)
  session = (await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })).accessToken
})

const customer = (email: string) => ({ name: 'Ada', email })
const json = { 'content-type': 'application/json' }

interface Schema {
  readonly format?: string
  readonly anyOf?: readonly Schema[]
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[]
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly schema: { readonly properties?: Record<string, Schema> } }
    }
  }
}

/** Sends bytes as they are and returns the reply as text. */
const sendRaw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })

test('no hostile body is answered with a 5xx, and the service answers others meanwhile', async () => {
  const replies = await Promise.all(
    Object.values(HOSTILE_BODIES).flatMap((body) => [
      merchant.call('POST /v1/customers', { body }),
      call(service, 'POST /trpc/customers.create', { body, token: session, headers: json, key: null }),
      call(service, 'POST /v1/auth/login', { body, key: null }),
    ]),
  )
  expect([...new Set(replies.map(({ status }) => status))]).toEqual([422])
  expect(replies.every(({ body }) => Object.keys(body.errors ?? body.error.data.errors).length > 0)).toBe(true)
  expect((await merchant.call('GET /v1/customers')).status).toBe(200)
})

describe('the same text is refused over REST and tRPC, with the field', () => {
  const nested = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)
  test.each([
    ['a NUL character', { ...customer('nul@example.com'), name: 'A\0' }, 'name'],
    ['a lone surrogate', { ...customer('lone@example.com'), name: 'A\ud800' }, 'name'],
    ['a lone surrogate in a key', { ...customer('key@example.com'), metadata: { '\udc00': 'x' } }, 'metadata.\uFFFD'],
    ['a control character in a name', { ...customer('line@example.com'), name: 'A\nhttps://example.com' }, 'name'],
    ['a bidirectional override in a name', { ...customer('bidi@example.com'), name: 'A\u202Ecod.exe' }, 'name'],
    ['more than 32 levels', { ...customer('deep@example.com'), metadata: { a: nested } }, 'metadata.a'],
    ['an unknown field __proto__', `{"name":"Ada","email":"p@example.com","__proto__":{}}`, '__proto__'],
    ['an unknown field constructor', `{"name":"Ada","email":"c@example.com","constructor":1}`, 'constructor'],
  ])('%s', async (_name, body, field) => {
    const rest = await merchant.call('POST /v1/customers', { body })
    const trpc = await call(service, 'POST /trpc/customers.create', { body, token: session, headers: json, key: null })
    expect([rest.status, trpc.status]).toEqual([422, 422])
    const [restErrors, trpcErrors] = [rest.body.errors, trpc.body.error.data.errors]
    expect(Object.keys(restErrors).some((name) => name.startsWith(field))).toBe(true)
    expect(trpcErrors).toEqual(restErrors)
  })
})

test('malformed JSON, an unknown procedure and another media type get clear errors over tRPC, without internals', async () => {
  const send = (path: string, body: string, headers = json) =>
    call(service, `POST ${path}`, { body, token: session, headers, key: null })
  const malformed = await send('/trpc/customers.create', '{"name":')
  expect([malformed.status, malformed.body.error.message]).toEqual([400, 'Malformed request'])
  const unknown = await send('/trpc/customers.nothing', '{}')
  expect([unknown.status, unknown.body.error.message]).toEqual([404, 'Not found'])
  const form = await send('/trpc/customers.create', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })
  expect([form.status, form.body.error.message]).toEqual([415, 'Content-Type must be application/json'])
})

test('a body is checked whatever the method', async () => {
  const { id } = (await merchant.call('POST /v1/customers', { body: customer('method@example.com') })).body.data
  const route = await newRoute(merchant)
  for (const [body, status] of [
    ['{"a":', 400],
    ['{"a":1}', 422],
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 422],
    ['[]', 422],
  ] as const)
    expect((await merchant.call(`DELETE /v1/payment-routes/${route.id}`, { body })).status, body).toBe(status)
  const typed = { body: 'a', headers: { 'content-type': 'text/plain' } }
  expect((await merchant.call(`DELETE /v1/payment-routes/${route.id}`, typed)).status).toBe(415)
  const compressed = { body: customer('gzip@example.com'), headers: { ...json, 'content-encoding': 'gzip' } }
  expect((await merchant.call('POST /v1/customers', compressed)).body.message).toBe(
    'Request bodies must not be compressed',
  )
  const get = (body: string) =>
    sendRaw(
      `GET /v1/customers/${id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${merchant.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  expect(await get('{"a":1}')).toMatch(/^HTTP\/1.1 422 [\s\S]*"a":"Unrecognized field"/)
  expect(await get('{')).toMatch(/^HTTP\/1.1 400 /)
  expect(await get('{}')).toMatch(/^HTTP\/1.1 200 /)
  expect((await merchant.call(`DELETE /v1/payment-routes/${route.id}`, { body: {} })).status).toBe(200)
})

test('an invalid X-Service-Environment is a 422 on the name of the header', async () => {
  for (const value of ['Live', 'production', 'test, live']) {
    const reply = await call(service, 'GET /v1/customers', {
      token: session,
      headers: { 'x-service-environment': value },
    })
    expect([reply.status, reply.body.errors]).toEqual([422, { 'X-Service-Environment': 'Must be test or live' }])
  }
})

test('a target that is no URL, no or a second Host header and an incomplete request get a 400 in the envelope with a request id', async () => {
  for (const head of [
    'GET http://[::1 HTTP/1.1\r\nHost: x',
    'GET /health HTTP/1.1\r\nHost: a\r\nHost: b',
    'GET x HTTP/1.1\r\nHost: x',
    'NONSENSE',
    'GET /health HTTP/1.1\r\nConnection: close',
    'POST /v1/customers HTTP/1.1\r\nContent-Length: 2',
  ]) {
    const reply = await sendRaw(`${head}\r\n\r\n`)
    expect(reply, head).toMatch(
      /^HTTP\/1.1 400 [\s\S]*X-Request-Id: [0-9a-f-]{36}[\s\S]*"message":"Malformed HTTP request"/i,
    )
  }
  expect(await sendRaw('GET http://x/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1.1 200 /,
  )
})

test('an unknown expectation gets a 417 in the envelope with a request id, and 100-continue goes on', async () => {
  const send = (expectation: string) =>
    sendRaw(`GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: ${expectation}\r\n\r\n`)
  expect(await send('200-ok')).toMatch(
    /^HTTP\/1.1 417 [\s\S]*X-Request-Id: [0-9a-f-]{36}[\s\S]*"status":"error","message":"The Expect header must be 100-continue","data":null/i,
  )
  expect(await send('100-continue')).toMatch(/^HTTP\/1.1 100 [\s\S]*HTTP\/1.1 200 /)
})

test('an idempotency key finds its reply under every spelling of the path', async () => {
  const route = await newRoute(merchant)
  const { id } = (await merchant.call('POST /v1/customers', { body: customer('spelling@example.com') })).body.data
  const rename = (path: string, name: string) => merchant.call(`PATCH ${path}`, { body: { name }, key: 'spelling' })
  const first = await rename(`/v1/customers/${id}`, 'First')
  expect(first.status).toBe(200)
  for (const other of [
    id.toUpperCase(),
    `%3${id[0]}${id.slice(1)}`,
    id.replaceAll('-', '%2D'),
    id.replaceAll('-', '%2d'),
  ]) {
    const again = await rename(`/v1/customers/${other}`, 'Second')
    expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text])
  }
  expect((await rename(`/v1/%63ustomers/${id}?again=1`, 'Third')).text).toBe(first.text)
  expect((await merchant.call(`GET /v1/payment-routes/${route.id.toUpperCase()}`)).body.data.id).toBe(route.id)
})

test('a secret in a path is not logged, in whatever pieces', async () => {
  for (const secret of [
    'whsec_AAAA/BBBBsecretBBBB+/CCCCsecret=',
    'svc_test_aaaaaaaasecret',
    `${'s'.repeat(20)}/secret`,
  ]) {
    await merchant.call(`GET /v1/webhooks/${secret}`)
    await merchant.call(`GET /v1/webhooks/${encodeURIComponent(secret)}`)
  }
  const paths = service.logs.map((line) => JSON.parse(line).path).filter(Boolean)
  expect(paths.filter((path) => /secret|svc_|BBBB/.test(path))).toEqual([])
  expect(paths).toContain('/v1/webhooks/[other]')
})

test('the nil UUID as customerId filter finds nothing and counts nothing', async () => {
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '12.50')
  await sync(merchant, route.id)
  expect((await merchant.call('GET /v1/transactions')).body.data.total).toBeGreaterThan(0)
  const { body } = await merchant.call('GET /v1/transactions?customerId=00000000-0000-0000-0000-000000000000')
  expect(body.data).toEqual({ transactions: [], total: 0 })
})

test('a path with the character NUL, in any place, leads nowhere: 404 and no error of the service', async () => {
  for (const path of [
    '/branding/logos/%00',
    '/v1/requests/%00',
    '/v1/customers/a%00b',
    '/%00',
    '/pay/%00',
    '/docs/%00',
  ]) {
    const { status } = await merchant.call(`GET ${path}`)
    expect([path, status]).toEqual([path, 404])
  }
})

test('HEAD has the status of GET, also for files and streams, those that exist and those that do not', async () => {
  const none = '01936f2a-7c1e-7000-8000-0000000000ff'
  const { id } = await newCollection(merchant, { type: 'invoice' })
  const paths = [
    `/v1/collections/${none}/invoice.pdf`,
    `/v1/collections/${id}/invoice.pdf`,
    `/v1/collections/${id}/invoice.xml`,
    `/v1/collections/sessions/${none}/receipt.pdf`,
    `/v1/pay/${none}/stream`,
    `/v1/pay/${id}/stream`,
    '/v1/events/stream',
    '/v1/transactions/export',
    '/v1/reports/statement/export?month=wrong&asset=USDC',
    `/pay/${none}/receipt.pdf`,
    `/v1/customers/${none}`,
  ]
  for (const path of paths) {
    const statuses = []
    for (const method of ['GET', 'HEAD']) {
      const headers = { authorization: `Bearer ${merchant.key}` }
      const reply = await fetch(`${service.url}${path}`, { method, headers })
      await reply.body?.cancel()
      statuses.push(reply.status)
    }
    expect([path, statuses[1]]).toEqual([path, statuses[0]])
  }
})

test('each input that takes a time or a day names itself where the year is 0 or 9999, and the years between have no error of the service', async () => {
  const { organisationId } = await newMerchant(service)
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const { body: document } = await call(service, 'GET /v1/openapi.json')
  const formats = ({ format, anyOf = [] }: Schema): string[] => [...(format ? [format] : []), ...anyOf.flatMap(formats)]
  const isTime = (schema: Schema) => formats(schema).some((format) => ['date', 'date-time'].includes(format))
  const inputs = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const body = requestBody?.content['application/json'].schema.properties ?? {}
      const fields = [...parameters.map(({ name, schema }) => [name, schema] as const), ...Object.entries(body)]
      return fields.filter(([, schema]) => isTime(schema)).map(([name, schema]) => ({ method, path, name, schema }))
    }),
  )
  expect(inputs.length).toBeGreaterThan(40)
  for (const timeZone of ['America/New_York', 'Asia/Tokyo']) {
    await call(service, 'PATCH /v1/auth/organisation', { token, key: null, body: { timeZone } })
    for (const { method, path, name, schema } of inputs) {
      const ask = (day: string) => {
        const time = formats(schema).includes('date') ? day : `${day}T12:00:00Z`
        const route = path.replace(/\{[^}]*\}/g, '00000000-0000-4000-8000-000000000000')
        if (method === 'get') return call(service, `GET /v1${route}?${name}=${time}`, { token })
        const body = { ...(path === '/collections' && { ...samples.collection.body(), type: 'invoice' }), [name]: time }
        return call(service, `${method.toUpperCase()} /v1${route}`, { token, key: null, body })
      }
      for (const day of ['0000-01-01', '0000-12-31', '9999-01-01', '9999-12-31']) {
        const { status, body } = await ask(day)
        expect([method, path, day, status, Object.keys(body.errors ?? {})]).toEqual([
          ...[method, path, day, 422],
          expect.arrayContaining([name]),
        ])
      }
      for (const day of ['0001-01-01', '9998-12-31'])
        expect([method, path, day, (await ask(day)).status < 500]).toEqual([method, path, day, true])
    }
  }
  const { body } = await call(service, 'GET /v1/transactions/export?to=9999-12-31', { token })
  expect(body.errors).toEqual({ to: 'Must be in the years 0001 to 9998' })
})

test('a value that fits none of several forms is told which would be right', async () => {
  const either = 'Must be an ISO 8601 date, such as 2026-01-31, or an ISO 8601 time, such as 2026-01-31T12:00:00Z'
  const exported = await merchant.call('GET /v1/transactions/export?from=tomorrow')
  expect(exported.body.errors).toEqual({ from: either })
  const invoice = { ...samples.collection.body(), type: 'invoice', dueAt: 'tomorrow' }
  expect((await merchant.call('POST /v1/collections', { body: invoice })).body.errors).toEqual({ dueAt: either })
  const allowed = (destination: unknown) =>
    call(service, 'PATCH /v1/payout-controls', {
      ...{ token: session, key: null, headers: { 'x-service-environment': 'live' } },
      body: { allowedDestinations: [destination] },
    })
  const field = 'allowedDestinations.0'
  for (const [given, errors] of [
    ['0123456789', { [field]: 'Must be an object' }],
    [{ type: 'card' }, { [`${field}.type`]: 'Must be "wallet" or "bank"' }],
    [{ type: 'bank', bankCode: '058' }, { [`${field}.accountNumber`]: 'Required' }],
  ] as const)
    expect((await allowed(given)).body.errors).toEqual(errors)
})

test('a number that is too large is told the limit of its field, and not that of all numbers', async () => {
  const items = [{ description: 'Day', quantity: 2 ** 53, unitAmount: '1' }]
  const body = { ...samples.collection.body(), maxPayments: 2 ** 53, items }
  expect((await merchant.call('POST /v1/collections', { body })).body.errors).toEqual({
    maxPayments: 'Must be at most 1000000',
    'items.0.quantity': 'Must be at most 1000000',
  })
})

test('a network or currency that is accepted twice is kept once', async () => {
  const accepted = { acceptedNetworks: ['base', 'base'], acceptedCurrencies: ['USDC', 'USDC'] }
  const { body } = await merchant.call('POST /v1/collections', { body: { ...samples.collection.body(), ...accepted } })
  expect(body.data).toMatchObject({ acceptedNetworks: ['base'], acceptedCurrencies: ['USDC'] })
})
