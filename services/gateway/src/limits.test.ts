import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, signedIn, startProcess, type TestProcess, useService } from '#testing'

const GLOBAL = 60
const AUTH = 10
const service = useService({
  settings: { RATE_LIMIT_GLOBAL: String(GLOBAL), RATE_LIMIT_AUTH: String(AUTH), TRUST_PROXY: '127.0.0.1' },
})
let process: TestProcess
let blind: TestProcess
beforeAll(async () => {
  process = await startProcess(service)
  blind = await startProcess(service, { TRUST_PROXY: '' })
})
afterAll(() => Promise.all([process.stop(), blind.stop()]))

/** A client behind the trusted proxy, at an address of its own. */
const as = (ip: string) => ({ headers: { 'x-forwarded-for': ip }, key: null })
const many = (count: number, ask: (at: { url: string }) => ReturnType<typeof call>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index % 2 ? process : service)))
const used = (replies: { status: number }[], limited: boolean) =>
  replies.filter(({ status }) => (status === 429) === limited).length

test('the global limit is exact under parallel load over two processes', async () => {
  for (const ip of ['198.51.100.1', '198.51.100.2', '2001:db8::1']) {
    const replies = await many(GLOBAL + 25, (at) => call(at, 'GET /v1/customers', as(ip)))
    expect([used(replies, false), used(replies, true)]).toEqual([GLOBAL, 25])
  }
})

test('sign-in has its own limit, exact too, and it counts against the global one', async () => {
  const body = { refreshToken: 'unknown' }
  const refresh = (at: { url: string }) => call(at, 'POST /v1/auth/refresh', { body, ...as('198.51.100.3') })
  const replies = await many(AUTH + 15, refresh)
  expect([used(replies, false), used(replies, true)]).toEqual([AUTH, 15])
  const others = await many(GLOBAL, (at) => call(at, 'GET /v1/customers', as('198.51.100.3')))
  expect(used(others, false)).toBe(GLOBAL - AUTH - 15)
})

test('over the limit: 429 with Retry-After and without X-RateLimit headers, and a new window begins after it', async () => {
  const ask = () => call(service, 'GET /v1/customers', as('198.51.100.4'))
  await many(GLOBAL, ask)
  const over = await ask()
  expect(over.body).toEqual({ status: 'error', message: 'Too many requests', data: null })
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(890)
  expect([...over.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
  await service.runtime.pool.query("update rate_limits set ends_at = now() where subject = '198.51.100.4'")
  expect((await ask()).status).toBe(401)
})

test('X-Forwarded-For is believed from a trusted proxy alone, and there only its last foreign address', async () => {
  const direct = (ip: string) => call(blind, 'GET /v1/customers', as(ip))
  const replies = await Promise.all(Array.from({ length: GLOBAL + 5 }, (_, index) => direct(`203.0.113.${index}`)))
  expect([used(replies, false), used(replies, true)]).toEqual([GLOBAL, 5])

  const spoofed = await many(GLOBAL + 5, (at) =>
    call(at, 'GET /v1/customers', as(`${Math.floor(Math.random() * 200)}.1.1.1, 198.51.100.5`)),
  )
  expect([used(spoofed, false), used(spoofed, true)]).toEqual([GLOBAL, 5])
})

test('a tRPC batch counts each of its calls, and nobody signs in there', async () => {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const batch = (names: string[], ip: string) =>
    call(service, `GET /trpc/${names.join(',')}?batch=1&input=${encodeURIComponent('{"0":{},"1":{},"2":{}}')}`, {
      token,
      ...as(ip),
    })
  const names = Array.from({ length: 20 }, () => 'customers.list')
  expect((await batch(names.slice(0, 3), '198.51.100.6')).body).toHaveLength(3)
  expect((await batch([...names, 'customers.list'], '198.51.100.6')).status).toBe(422)
  const rest = await many(GLOBAL, (at) => call(at, 'GET /v1/customers', as('198.51.100.6')))
  expect(used(rest, false)).toBe(GLOBAL - 3 - 21)

  for (const name of ['auth.login', 'auth%2Elogin', 'auth.register', 'auth.refresh', 'auth.verify', 'auth.resend']) {
    const reply = await call(service, `POST /trpc/${name}`, {
      body: { email: 'ada@example.com' },
      token,
      ...as('198.51.100.7'),
    })
    expect([name, reply.status]).toEqual([name, 403])
  }
  const { rows } = await service.runtime.pool.query(
    "select count from rate_limits where bucket = 'auth' and subject = '198.51.100.7'",
  )
  expect(rows).toEqual([{ count: 6 }])
})
