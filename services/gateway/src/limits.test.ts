import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, signedIn, startProcess, type TestProcess, useService } from '#testing'

const GLOBAL = 60
let next = 0
const AUTH = 10
const service = useService({
  settings: { RATE_LIMIT_GLOBAL: String(GLOBAL), RATE_LIMIT_AUTH: String(AUTH), TRUST_PROXY: '127.0.0.1' },
})
let process: TestProcess
let withoutProxy: TestProcess
beforeAll(async () => {
  process = await startProcess(service)
  withoutProxy = await startProcess(service, { TRUST_PROXY: '' })
})
afterAll(() => Promise.all([process.stop(), withoutProxy.stop()]))

/** Starts the count of the proxy's own address again. */
const forgetProxy = () => service.runtime.pool.query("delete from rate_limits where subject = '127.0.0.1'")
/** A client with this address behind the trusted proxy. */
const as = (ip: string) => ({ headers: { 'x-forwarded-for': ip }, key: null })
const many = (count: number, send: (at: { url: string }) => ReturnType<typeof call>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index % 2 ? process : service)))
const countReplies = (replies: { status: number }[], limited: boolean) =>
  replies.filter(({ status }) => (status === 429) === limited).length

test('the global limit is exact under concurrent load on two processes', async () => {
  for (const ip of ['198.51.100.1', '198.51.100.2', '2001:db8::1']) {
    const replies = await many(GLOBAL + 25, (at) => call(at, 'GET /v1/customers', as(ip)))
    expect([countReplies(replies, false), countReplies(replies, true)]).toEqual([GLOBAL, 25])
  }
})

test('requests to /v1/auth have an exact limit of their own and also count against the global limit', async () => {
  const body = { refreshToken: 'unknown' }
  const refresh = (at: { url: string }) => call(at, 'POST /v1/auth/refresh', { body, ...as('198.51.100.3') })
  const replies = await many(AUTH + 15, refresh)
  expect([countReplies(replies, false), countReplies(replies, true)]).toEqual([AUTH, 15])
  const others = await many(GLOBAL, (at) => call(at, 'GET /v1/customers', as('198.51.100.3')))
  expect(countReplies(others, false)).toBe(GLOBAL - AUTH - 15)
})

test('a request over the limit gets a 429 with Retry-After and without X-RateLimit headers, until the next window', async () => {
  const send = () => call(service, 'GET /v1/customers', as('198.51.100.4'))
  await many(GLOBAL, send)
  const over = await send()
  expect(over.body).toEqual({ status: 'error', message: 'Too many requests', data: null })
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(890)
  expect([...over.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
  await service.runtime.pool.query(
    "update rate_limits set ends_at = now() - make_interval(secs => 1) where subject = '198.51.100.4'",
  )
  expect((await send()).status).toBe(401)
})

test('X-Forwarded-For is trusted only from a trusted proxy, and only its last address that is not a trusted proxy', async () => {
  await forgetProxy()
  const direct = (ip: string) => call(withoutProxy, 'GET /v1/customers', as(ip))
  const replies = await Promise.all(Array.from({ length: GLOBAL + 5 }, (_, index) => direct(`203.0.113.${index}`)))
  expect([countReplies(replies, false), countReplies(replies, true)]).toEqual([GLOBAL, 5])

  const spoofed = await many(GLOBAL + 5, (at) =>
    call(at, 'GET /v1/customers', as(`${Math.floor(Math.random() * 200)}.1.1.1, 198.51.100.5`)),
  )
  expect([countReplies(spoofed, false), countReplies(spoofed, true)]).toEqual([GLOBAL, 5])
})

test('each call of a tRPC batch counts, and sign-in procedures are refused over tRPC', async () => {
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
  expect(countReplies(rest, false)).toBe(GLOBAL - 3 - 21)

  for (const name of ['auth.login', 'auth%2Elogin', 'auth.register', 'auth.refresh', 'auth.verify', 'auth.resend']) {
    const reply = await call(service, `POST /trpc/${name}`, {
      body: { email: 'ada@example.com' },
      token,
      ...as('198.51.100.7'),
    })
    expect([name, reply.status]).toEqual([name, 403])
  }
  const { rows } = await service.runtime.pool.query(
    "select count from rate_limits where bucket = 'auth' and subject = $1",
    [JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid],
  )
  expect(rows).toEqual([{ count: 6 }])
})

test('IPv6 callers are counted by /64, in any spelling, and free text from a trusted proxy is the proxy itself', async () => {
  const spellings = [
    ...['2001:db8:5:6::1', '2001:DB8:5:6::2', '2001:0db8:0005:0006:ffff::3', '[2001:db8:5:6::4]:443'],
    ...['2001:db8:5:6:7:8:192.0.2.1'],
  ]
  const network = await many(GLOBAL + 10, (at) =>
    call(at, 'GET /v1/customers', as(spellings[++next % spellings.length] ?? '')),
  )
  expect([countReplies(network, false), countReplies(network, true)]).toEqual([GLOBAL, 10])
  expect((await call(service, 'GET /v1/customers', as('2001:db8:5:7::1'))).status).toBe(401)

  const mapped = ['198.51.100.20', '::ffff:198.51.100.20', '::ffff:c633:6414', '198.51.100.20:4711']
  const host = await many(GLOBAL + 10, (at) => call(at, 'GET /v1/customers', as(mapped[++next % mapped.length] ?? '')))
  expect([countReplies(host, false), countReplies(host, true)]).toEqual([GLOBAL, 10])

  await forgetProxy()
  const texts = await many(GLOBAL + 10, (at) => call(at, 'GET /v1/customers', as(`unknown-${++next}`)))
  expect([countReplies(texts, false), countReplies(texts, true)]).toEqual([GLOBAL, 10])
})

test('signed-in requests to /v1/auth count against their session, and others against the client address', async () => {
  const newSession = () => signedIn(service.runtime, { role: 'operator' })
  const [first, second] = await Promise.all([newSession(), newSession()])
  const from = as('198.51.100.30')
  const me = (token: string | null) => call(service, 'GET /v1/auth/me', { token, ...from })
  for (let sent = 0; sent < AUTH; sent++) expect((await me(first.accessToken)).status).toBe(200)
  expect((await me(first.accessToken)).status).toBe(429)
  expect((await me(second.accessToken)).status).toBe(200)
  expect((await me(null)).status).toBe(401)
})

test('sign-in requests count against the client address, whatever session they send, of however many, active or ended', async () => {
  const sessions = await Promise.all(Array.from({ length: 4 }, () => signedIn(service.runtime, { role: 'operator' })))
  await service.runtime.pool.query('update sessions set revoked_at = now() where id = any ($1::uuid[])', [
    sessions
      .slice(0, 2)
      .map(({ accessToken }) => JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).sid),
  ])
  const bodies = {
    'POST /v1/auth/otp/verify': { challengeId: crypto.randomUUID(), code: '000000' },
    'POST /v1/auth/otp/resend': { challengeId: crypto.randomUUID() },
    'POST /v1/auth/refresh': { refreshToken: 'unknown' },
    'POST /v1/auth/login': { email: 'counted@example.com' },
    'POST /v1/auth/register': { email: 'counted@example.com', organisationName: 'Counted' },
  }
  const lines = Object.entries(bodies)
  const replies: { status: number }[] = []
  for (let index = 0; index < AUTH + 5; index++) {
    const [line, body] = lines[index % lines.length] as [string, object]
    const token = sessions[index % sessions.length]?.accessToken
    replies.push(await call(index % 2 ? process : service, line, { body, token, ...as('198.51.100.31') }))
  }
  expect([countReplies(replies, false), countReplies(replies, true)]).toEqual([AUTH, 5])
  const { accessToken: token } = sessions[3] as (typeof sessions)[number]
  const me = await call(service, 'GET /v1/auth/me', { token, ...as('198.51.100.31') })
  expect(me.status).toBe(200)
})

test('the styles and scripts of a page do not count: a page view costs one request', async () => {
  const client = as('198.51.100.9')
  const { text } = await call(service, 'GET /docs', client)
  const files = [...text.matchAll(/(?:href|src)="(\/docs\/[\w.-]+\.(?:css|js|svg))"/g)].map(([, path]) => path)
  expect(files.length).toBeGreaterThan(2)
  for (const path of files) expect((await call(service, `GET ${path}`, client)).status).toBe(200)
  const { rows } = await service.runtime.pool.query("select count from rate_limits where subject = '198.51.100.9'")
  expect(rows).toEqual([{ count: 1 }])
  const posted = await call(service, `POST ${files[0]}`, client)
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('views of pages and documents have a limit of their own; keys for other servers, icons and unknown paths count like requests to /v1', async () => {
  const views = ['/docs', '/docs/quick-start.md', '/v1/openapi.json', '/llms.txt', '/sdk/latest.tgz', '/dashboard']
  const others = ['/.well-known/jwks.json', '/favicon.ico', '/unknown', '/docs/unknown', '/v1/unknown']
  const counted = async (paths: readonly string[], ip: string) => {
    for (const path of paths) await call(service, `GET ${path}`, as(ip))
    const { rows } = await service.runtime.pool.query<{ bucket: string; count: number }>(
      'select bucket, count::int as count from rate_limits where subject = $1 order by bucket',
      [ip],
    )
    return rows
  }
  expect(await counted(views, '198.51.100.70')).toEqual([
    { bucket: 'global', count: 1 },
    { bucket: 'views', count: views.length - 1 },
  ])
  expect(await counted(others, '198.51.100.71')).toEqual([{ bucket: 'global', count: others.length }])
})
