import { get } from 'node:http'
import { gzipSync } from 'node:zlib'
import { assetFile, firstLoad } from '@payments/dashboard'
import { contrast, tokens } from '@payments/pay-page'
import { beforeAll, expect, test } from 'vitest'
import { type Call, call, mailedCode, newCollection, newMerchant, signedIn, startService, useService } from '#testing'
import { readMessage } from './mail.ts'

const service = useService({ worker: true })
const API = '/dashboard/api'
const FIRST_LOAD_BYTES = 180_000
const PATIENCE = 15_000
const SAME = { 'sec-fetch-site': 'same-origin' }

let email: string
let cookie: string
let setCookie: string

/** One call of the application, as the browser sends it. */
const own = (line: string, { headers, ...options }: Call = {}) => {
  const [method, path] = line.split(' ')
  return call(service, `${method} ${API}${path}`, { key: null, headers: { cookie, ...SAME, ...headers }, ...options })
}
const cookieIn = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? ''
const input = (value: object) => encodeURIComponent(JSON.stringify(value))

/** Registers an organisation in the dashboard, and returns the reply that has the cookie. */
async function register(name: string) {
  const address = `${name}@example.com`
  const asked = await call(service, `POST ${API}/trpc/auth.register`, {
    ...{ key: null, headers: SAME, body: { email: address, organisationName: `${name} Ltd` } },
  })
  const { challengeId } = asked.body.result.data
  const code = await mailedCode(service.dataDir, address, PATIENCE)
  return call(service, `POST ${API}/session`, { key: null, headers: SAME, body: { challengeId, code } })
}

beforeAll(async () => {
  email = 'ada@example.com'
  const { headers } = await register('ada')
  setCookie = headers.get('set-cookie') ?? ''
  cookie = cookieIn(headers)
})

test('the cookie is out of reach of scripts and of other sites, is sent to the calls of the dashboard alone, and shows no token', async () => {
  expect(setCookie.split('; ').slice(1)).toEqual([`Path=${API}`, 'Max-Age=2592000', 'HttpOnly', 'SameSite=Strict'])
  expect(setCookie).not.toMatch(/eyJ/)
  const { body, text } = await own('GET /session')
  expect(body).toMatchObject({ session: { user: { email }, organisation: { name: 'ada Ltd' } }, mail: '/dev/mail' })
  expect(text).not.toMatch(/token/i)
  // The cookie is no credential of the public API.
  expect((await call(service, 'GET /v1/customers', { headers: { cookie } })).status).toBe(401)
  expect((await call(service, 'GET /trpc/customers.list?input={}', { headers: { cookie } })).status).toBe(401)
})

test('over HTTPS the cookie is Secure', async () => {
  const secure = await startService({
    database: service.database,
    settings: { BASE_URL: 'https://pay.example.com', DATA_DIR: service.dataDir },
  })
  try {
    const asked = await call(secure, `POST ${API}/trpc/auth.login`, { key: null, headers: SAME, body: { email } })
    expect(asked.status).toBe(200)
    const ended = await call(secure, `POST ${API}/session/end`, { key: null, headers: SAME, body: {} })
    expect(ended.headers.get('set-cookie')).toMatch(/^__Secure-payments-dashboard=; .*; Secure$/)
  } finally {
    await secure.stop()
  }
})

test('a change from another site, from a page that hides its site, and from no browser is refused before anything happens', async () => {
  const create = { body: { name: 'Grace', email: 'grace@example.com' } }
  const origin = service.url
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ]
  for (const headers of refused) {
    const each = await call(service, `POST ${API}/trpc/customers.create`, {
      ...create,
      key: null,
      headers: { cookie, ...headers },
    })
    expect([headers, each.status, each.body.error?.data?.error]).toEqual([headers, 403, 'cross_site'])
    const end = await call(service, `POST ${API}/session/end`, { key: null, headers: { cookie, ...headers }, body: {} })
    expect([headers, end.status, end.headers.get('set-cookie')]).toEqual([headers, 403, null])
  }
  // A read of another site is refused too, and a change cannot be sent as a read or as a form.
  expect((await own('GET /trpc/customers.list?input={}', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
    403,
  )
  expect((await own(`GET /trpc/customers.create?input=${input(create.body)}`)).status).toBe(405)
  expect(
    (await own('POST /trpc/customers.create', { ...create, headers: { 'content-type': 'text/plain' } })).status,
  ).toBe(415)
  expect((await own('GET /trpc/customers.list?input={}')).body.result.data.total).toBe(0)
  const { status } = await own('POST /trpc/customers.create', {
    ...create,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect(status).toBe(200)
  const older = await call(service, `POST ${API}/trpc/customers.create`, {
    ...create,
    key: null,
    headers: { cookie, origin },
  })
  expect(older.body.error?.data?.error).not.toBe('cross_site')
})

test('no site may frame the dashboard, and nothing inline or foreign runs in it', async () => {
  for (const path of [
    '/dashboard',
    '/dashboard/test/transactions?kind=swap',
    '/dashboard/nothing',
    '/console',
    '/console/x',
  ]) {
    const { status, headers, text } = await call(service, `GET ${path}`)
    const policy = headers.get('content-security-policy') ?? ''
    expect([path, status, headers.get('x-frame-options')]).toEqual([path, 200, 'SAMEORIGIN'])
    expect(policy).toMatch(
      /default-src 'none'.*script-src 'self'; style-src 'self'.*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types preview$/,
    )
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|<[^>]+\s(?:style|on\w+)=/)
  }
})

test('the files of the first load are small, have the digest of their content in their names, and are kept for a year', async () => {
  for (const application of ['Dashboard', 'Console'] as const) {
    let bytes = 0
    for (const file of firstLoad(application)) {
      const { status, headers } = await call(service, `GET /dashboard/${file}`)
      expect([file, status, headers.get('cache-control')]).toEqual([file, 200, 'public, max-age=31536000, immutable'])
      expect(file).toMatch(/-[\w-]{8}\.(js|css)$/)
      bytes += gzipSync(assetFile(file.replace('assets/', ''))?.content ?? '').length
    }
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES)
  }
  // Merchants do not load the console.
  expect(firstLoad('Dashboard').length).toBeLessThan(firstLoad('Console').length)
  expect(firstLoad('Dashboard').filter((file) => file.includes('console'))).toEqual([])
  for (const path of ['/dashboard/assets/none.js', '/dashboard/assets/..%2f..%2fpackage.json', `${API}/none`])
    expect([path, (await call(service, `GET ${path}`)).status]).toEqual([path, 404])
})

test('calls that answer with tokens are not served, and a visitor who is signed out gets no data', async () => {
  for (const name of ['auth.verify', 'auth.refresh', 'auth.organisation', 'auth.logout'])
    expect([name, (await own(`POST /trpc/${name}`, { body: {} })).status]).toEqual([name, 404])
  const strangers: Record<string, string>[] = [
    { cookie: '' },
    { cookie: 'payments-dashboard=v2.x.y' },
    { cookie: `${cookie}; payments-dashboard=v2.x.y` },
    { cookie: `${cookie}; ${cookie}` },
    { authorization: 'Bearer x', cookie: '' },
  ]
  for (const headers of strangers) {
    expect((await own('GET /trpc/customers.list?input={}', { headers })).status).toBe(401)
    expect((await own('GET /session', { headers })).body.session).toBe(null)
  }
})

test('objects of another organisation are not found, and a role allows in the dashboard what it allows elsewhere', async () => {
  const other = await newMerchant(service)
  const { id } = await newCollection(other)
  for (const [name, value] of [
    ['collections.get', { collectionId: id }],
    ['collections.sessions', { collectionId: id }],
    ['transactions.get', { transactionId: id }],
    ['timeline.get', { id }],
  ] as const) {
    const { status, text } = await own(`GET /trpc/${name}?input=${input(value)}`)
    expect([name, status, text.includes(other.organisationId)]).toEqual([name, 404, false])
  }
  const page = await own(`GET /trpc/transactions.search?input=${input({ before: id })}`)
  expect([page.status, page.body.error.data.errors]).toEqual([422, { before: 'Transaction not found' }])
  const { status, body } = await own('GET /trpc/admin.organisations.list?input={}')
  expect([status, body.error.data.error]).toEqual([403, 'operator_required'])
  const operator = await signedIn(service.runtime, { role: 'operator' })
  const taken = await own('POST /session/organisation', { body: { organisationId: operator.organisation.id } })
  expect([taken.status, taken.headers.get('set-cookie')]).toEqual([404, null])
})

test('files of the API are read with the cookie, of the environment that the address names, and by nobody else', async () => {
  const csv = await own('GET /files/transactions/export?environment=live')
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const found = await own('POST /files/transactions/export', { body: { columns: ['amount'] } })
  expect([found.status, found.text]).toEqual([200, 'amount\r\n'])
  const pdf = await own('GET /files/reports/statement/export?format=pdf&environment=test')
  expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-'])
  expect((await own('GET /files/transactions/export?environment=none')).status).toBe(422)
  expect((await own('GET /files/transactions/export', { headers: { cookie: '' } })).status).toBe(401)
  expect((await own('GET /files/transactions/export', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
    403,
  )
  // Nothing else of the API is there.
  for (const path of ['/files/customers', '/files/events/stream']) expect((await own(`GET ${path}`)).status).toBe(404)
})

test('an expired access token is refreshed here and the cookie with it, parallel calls included, and signing out everywhere ends every session', async () => {
  const first = cookieIn((await register('grace')).headers)
  const runtime = service.runtime
  const { refreshToken } = JSON.parse(runtime.keyring.decrypt(first.split('=000.')[1] ?? '', 'dashboard-session'))
  const stale = `payments-dashboard=${runtime.keyring.encrypt(JSON.stringify({ accessToken: 'expired', refreshToken }), 'dashboard-session')}`
  const parallel = await Promise.all(
    [1, 2, 3].map(() => own('GET /trpc/customers.list?input={}', { headers: { cookie: stale } })),
  )
  expect(parallel.map(({ status }) => status)).toEqual([200, 200, 200])
  const renewed = cookieIn(parallel[0]?.headers ?? new Headers())
  expect((await own('GET /session', { headers: { cookie: renewed } })).body.session.user.email).toBe(
    'grace@example.com',
  )
  const ended = await own('POST /session/end', { headers: { cookie: renewed }, body: { everywhere: true } })
  expect(ended.headers.get('set-cookie')).toMatch(/^payments-dashboard=; Path=\/dashboard\/api; Max-Age=0/)
  for (const each of [first, stale, renewed])
    expect((await own('GET /trpc/customers.list?input={}', { headers: { cookie: each } })).status).toBe(401)
})

test('calls of a session have a limit of their own, and codes are tried against the address', async () => {
  const limited = await startService({
    database: service.database,
    settings: { DATA_DIR: service.dataDir, RATE_LIMIT_GLOBAL: '1', RATE_LIMIT_DASHBOARD: '3', RATE_LIMIT_AUTH: '2' },
  })
  try {
    const fresh = cookieIn((await register('linus')).headers)
    const statuses: number[] = []
    for (let calls = 0; calls < 4; calls++) {
      const { status } = await call(limited, `GET ${API}/trpc/customers.list?input={}`, {
        headers: { ...SAME, cookie: fresh },
      })
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    const tried: number[] = []
    for (let calls = 0; calls < 3; calls++) {
      const body = { challengeId: 'nothing', code: '000000' }
      tried.push(
        (await call(limited, `POST ${API}/session`, { key: null, headers: { ...SAME, cookie: fresh }, body })).status,
      )
    }
    expect(tried.at(-1)).toBe(429)
  } finally {
    await limited.stop()
  }
})

test('emails of a development service are shown as text, and to nobody but its own machine', async () => {
  const { text, headers } = await call(service, 'GET /dev/mail')
  expect(text).toContain(`To ${email}`)
  expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  const elsewhere: Record<string, string>[] = [
    { host: 'rebound.example' },
    { host: 'pay.example.com:4000' },
    { 'x-forwarded-for': '192.0.2.7' },
    { forwarded: 'for=192.0.2.7' },
  ]
  for (const more of elsewhere) {
    const { status } = await new Promise<{ status?: number | undefined }>((resolve, reject) => {
      get(`${service.url}/dev/mail`, { headers: more }, (reply) => {
        reply.resume()
        resolve({ status: reply.statusCode })
      }).on('error', reject)
    })
    expect([more, status]).toEqual([more, 404])
  }
  // Who cannot read them is not sent there.
  expect((await own('GET /session', { headers: { 'x-forwarded-for': '192.0.2.7' } })).body.mail).toBe(null)
  const raw =
    'To: =?UTF-8?Q?Ada_=C3=96?= <ada@example.com>\r\nSubject: <b>Hi</b>\r\n\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=E2=82=A6100 =\r\nfor you\r\n--end'
  expect(readMessage(raw)).toEqual({ to: 'Ada Ö <ada@example.com>', subject: '<b>Hi</b>', text: '₦100 for you' })
})

test('every colour of text can be read on every surface, in light and dark', () => {
  const value = (name: string, scheme: 0 | 1) => {
    const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens) ?? []
    return (scheme === 0 ? light : dark) ?? ''
  }
  const pairs = [
    ...['text', 'muted', 'accent', 'error', 'good'].flatMap((text) => ['page', 'raised'].map((on) => [text, on])),
    ...[
      ['text', 'chosen'],
      ['on-accent', 'accent'],
      ['error', 'error-soft'],
      ['good', 'good-soft'],
      ['warning', 'warning-soft'],
      ['page', 'good'],
    ],
  ] as [string, string][]
  for (const [text, on] of pairs)
    for (const scheme of [0, 1] as const)
      expect([text, on, scheme, contrast(value(text, scheme), value(on, scheme)) >= 4.5]).toEqual([
        text,
        on,
        scheme,
        true,
      ])
})
