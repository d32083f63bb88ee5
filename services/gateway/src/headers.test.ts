import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { call, type Merchant, newMerchant, signedIn, useService } from '#testing'

const service = useService()
let merchant: Merchant
let session: string
beforeAll(async () => {
  merchant = await newMerchant(service)
  session = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})

/** Sends a request with exactly these headers, including repeated ones. */
function raw(line: string, headers: [string, string][], body = ''): Promise<string> {
  const [method, path] = line.split(' ')
  const all = [...headers, ['Content-Type', 'application/json'], ['Content-Length', String(Buffer.byteLength(body))]]
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, { method, headers: ['Host', 'gateway', ...all.flat()] }, (reply) => {
      let text = ''
      reply.on('data', (chunk) => {
        text += chunk
      })
      reply.on('end', () => resolve(`${reply.statusCode} ${JSON.parse(text).message}`))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const bearer = (token: string): [string, string] => ['Authorization', `Bearer ${token}`]
const TWICE = '400 The Authorization header must be sent at most once'
const KEYS = '400 Idempotency-Key header must be sent once and must not be empty'
const customers = async () => (await merchant.call('GET /v1/customers')).body.data.total

test('two Authorization headers are refused, whichever of them is valid', async () => {
  for (const pair of [
    [bearer(merchant.key), bearer(merchant.key)],
    [bearer(merchant.key), bearer('svc_test_wrong')],
    [bearer('svc_test_wrong'), bearer(session)],
    [bearer(session), ['authorization', '']],
  ] as [string, string][][])
    expect(await raw('GET /v1/customers', pair)).toBe(TWICE)
  expect(await raw('POST /v1/auth/login', [bearer(session), bearer(session)], '{"email":"ada@example.com"}')).toBe(
    TWICE,
  )
})

test('an Authorization header with two credentials is refused', async () => {
  for (const value of [
    `Bearer ${merchant.key}, Bearer ${session}`,
    `Bearer ${merchant.key} x`,
    `Basic ${merchant.key}`,
  ])
    expect(await raw('GET /v1/customers', [['Authorization', value]])).toBe('401 No token provided')
  expect(await raw('GET /v1/customers', [['Authorization', `Bearer ${merchant.key},${session}`]])).toBe(
    '401 Invalid API key',
  )
})

test('two Idempotency-Key headers, equal or not, and an empty one are refused and change nothing', async () => {
  const body = '{"name":"Ada","email":"smuggled@example.com"}'
  const send = (...keys: string[]) =>
    raw(
      'POST /v1/customers',
      [bearer(merchant.key), ...keys.map((key): [string, string] => ['Idempotency-Key', key])],
      body,
    )
  const before = await customers()
  expect(await send('one', 'two')).toBe(KEYS)
  expect(await send('same', 'same')).toBe(KEYS)
  expect(await send('')).toBe(KEYS)
  expect(await send()).toBe('400 Idempotency-Key header is required for mutating API requests')
  expect(await send('x'.repeat(256))).toBe('422 Idempotency-Key must be 255 characters or fewer')
  expect(await customers()).toBe(before)
  expect(await send('x'.repeat(255))).toBe('201 Customer created')
})

test('an invalid credential is refused before the idempotency key, the body and the record are checked', async () => {
  for (const token of [`svc_test_${'a'.repeat(32)}`, `svc_live_${'a'.repeat(32)}`]) {
    const reply = await call(service, 'DELETE /v1/payment-routes/none', { token, key: null, body: '{' })
    expect(`${reply.status} ${reply.body.message}`).toBe('401 Invalid API key')
  }
})

test('a sign-in path ignores an invalid session token, and refuses an API key before its idempotency key is checked', async () => {
  const login = (token: string) =>
    call(service, 'POST /v1/auth/login', { body: { email: 'ada@example.com' }, token, key: null })
  expect((await login('stale.access.token')).status).toBe(200)
  expect((await login(session)).status).toBe(200)
  const keyed = await login(merchant.key)
  expect(`${keyed.status} ${keyed.body.message}`).toBe('403 Dashboard session required')
})

test('the code of an error is logged, and the credential is not', async () => {
  await call(service, 'GET /v1/customers', { token: `svc_test_${'b'.repeat(32)}` })
  const lines = service.logs.map((line) => JSON.parse(line)).filter((line) => line.error === 'invalid_api_key')
  expect(lines.length).toBeGreaterThan(0)
  expect(service.logs.join('')).not.toContain('bbbbbbbb')
})

test('replies of the API are never stored, and a 401 names the scheme', async () => {
  for (const line of ['GET /v1/customers', 'GET /v1/none', 'GET /health'])
    expect((await merchant.call(line)).headers.get('cache-control')).toBe('no-store')
  const refused = await merchant.call('GET /v1/customers', { token: null })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
})
