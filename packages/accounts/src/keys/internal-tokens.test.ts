import { platformSettings } from '@payments/platform'
import { beforeAll, expect, test } from 'vitest'
import {
  call,
  createTokenFor,
  foundOrganisation,
  signedIn,
  startService,
  type TestSession,
  tableContents,
  useService,
} from '#testing'

const service = useService()
let operator: TestSession

beforeAll(async () => {
  operator = await signedIn(service.runtime, { role: 'operator' })
})

const create = (body: object, session = operator) =>
  call(service, 'POST /v1/admin/ops/internal-tokens', {
    token: session.accessToken,
    key: null,
    body: { name: 'Report', expiresInDays: 90, procedures: ['admin.organisations.list'], reason: 'Reports', ...body },
  })
const revoke = (id: string) =>
  call(service, `POST /v1/admin/ops/internal-tokens/${id}/revoke`, {
    token: operator.accessToken,
    key: null,
    body: { reason: 'Not needed any more' },
  })
const list = async () =>
  (await call(service, 'GET /v1/admin/ops/internal-tokens', { token: operator.accessToken })).body.data

/** Status and code of a call over tRPC. */
async function use(
  token: string,
  name: string,
  { method = 'GET', body = {} as object, at = service as { url: string } } = {},
) {
  const path = method === 'GET' ? `${name}?input=${encodeURIComponent(JSON.stringify(body))}` : name
  const reply = await call(at, `${method} /trpc/${path}`, { token, key: null, ...(method === 'GET' ? {} : { body }) })
  return [reply.status, reply.body.error?.data.error ?? 'ok']
}
const REFUSED = [401, 'invalid_token']

test('a token is shown once and stored as a digest, and needs a confirmed session', async () => {
  const made = await create({ procedures: ['admin.organisations.list', 'admin.swaps.*', 'admin.swaps.*'] })
  expect(made.status).toBe(201)
  const { token, ...shown } = made.body.data
  expect(token).toMatch(/^svc_int_[A-Za-z0-9]{32}$/)
  expect(shown).toMatchObject({
    name: 'Report',
    procedures: ['admin.organisations.list', 'admin.swaps.*'],
    maskedToken: `svc_int_…${token.slice(-4)}`,
    createdBy: operator.userId,
    lastUsedAt: null,
    revokedAt: null,
  })
  expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(90 * 86_400_000)
  const { internalTokens, total } = await list()
  expect(internalTokens[0]).toEqual(shown)
  expect(total).toBe(internalTokens.length)
  for (const [table, rows] of await tableContents(service.database)) expect(rows, table).not.toContain(token.slice(16))

  const old = await signedIn(service.runtime, { role: 'operator' })
  const { sid } = JSON.parse(Buffer.from(old.accessToken.split('.')[1] ?? '', 'base64url').toString())
  await service.runtime.pool.query("update sessions set confirmed_at = now() - interval '11 minutes' where id = $1", [
    sid,
  ])
  const unconfirmed = await create({}, old)
  expect([unconfirmed.status, unconfirmed.body.message]).toEqual([403, 'Confirm the session first: POST /auth/confirm'])
})

test('a token names procedures of operators only, none that moves money, and lasts a year at most', async () => {
  const procedures = [
    'admin.organisations.list',
    'admin.nothing',
    'admin.swap.*',
    'customers.list',
    'auth.*',
    'admin.cngn.assign',
    'admin.internalTokens.create',
    'admin.internalTokens.*',
  ]
  const reply = await create({ procedures })
  expect([reply.status, reply.body.errors]).toEqual([
    422,
    {
      'procedures.1': 'Unknown procedure "admin.nothing"',
      'procedures.2': 'Unknown procedure "admin.swap.*"',
      'procedures.3': 'Not a procedure of operators',
      'procedures.4': 'Not a procedure of operators',
      'procedures.5': 'Moves money: that needs the session of an operator',
      'procedures.6': 'Needs the session of an operator',
      'procedures.7': 'Needs the session of an operator',
    },
  ])
  const shape = await create({ procedures: ['admin..*', '*'], expiresInDays: 366 })
  expect(Object.keys(shape.body.errors).toSorted()).toEqual(['expiresInDays', 'procedures.0', 'procedures.1'])
  expect((await create({ procedures: [] })).body.errors).toEqual({ procedures: 'Must have at least 1 item' })
})

test('a token calls what it lists over tRPC, and nothing else in the whole router', async () => {
  const token = await createTokenFor(service.runtime, {
    session: operator,
    procedures: ['admin.swaps.*', 'admin.ledger.check'],
  })
  expect(await use(token, 'admin.ledger.check')).toEqual([200, 'ok'])
  expect(await use(token, 'admin.swaps.list')).toEqual([200, 'ok'])
  const listed = Object.keys(service.runtime.procedures).filter((name) =>
    /^admin\.(swaps\..*|ledger\.check)$/.test(name),
  )
  const others = Object.keys(service.runtime.procedures).filter((name) => !listed.includes(name))
  const caller = service.process.createCaller({
    kind: 'token',
    organisationId: operator.organisation.id,
    environment: 'test',
    scopes: [],
    role: 'operator',
    suspended: false,
    procedures: ['admin.swaps.*', 'admin.ledger.check'],
  })
  const codes = await Promise.all(
    others.map(async (name) => {
      const procedure = name.split('.').reduce((at, part) => Reflect.get(at, part), caller as object) as (
        input: object,
      ) => Promise<unknown>
      return procedure({}).then(
        () => [name, 'passed'],
        (error: Error & { cause?: { code?: string } }) => [name, error.cause?.code],
      )
    }),
  )
  expect(others.length).toBeGreaterThan(100)
  expect(
    codes.filter(([, code]) => !['procedure_not_listed', 'session_required', 'signed_in'].includes(code ?? '')),
  ).toEqual([])
})

test('what moves money is refused whatever a token lists, and a token cannot make or end tokens', async () => {
  const token = await createTokenFor(service.runtime, { session: operator, procedures: ['admin.*'] })
  const post = { method: 'POST' }
  const money = Object.entries(service.runtime.procedures).filter(([, rule]) => rule.money)
  expect(money.map(([name]) => name)).toContain('admin.cngn.assign')
  for (const [name] of money) expect(await use(token, name, post)).toEqual([403, 'money_needs_session'])
  const body = { reason: 'Why not', name: 'Successor', expiresInDays: 1, procedures: ['admin.ledger.check'] }
  expect(await use(token, 'admin.internalTokens.create', { ...post, body })).toEqual([403, 'session_required'])
  const own = { internalTokenId: (await list()).internalTokens[0].id }
  expect(await use(token, 'admin.internalTokens.revoke', { ...post, body: own })).toEqual([403, 'session_required'])
  expect(await use(token, 'admin.internalTokens.list')).toEqual([403, 'session_required'])
  for (const name of ['admin.approvals.request', 'admin.approvals.decline'])
    expect([name, ...(await use(token, name, post))]).toEqual([name, 403, 'session_required'])
  expect(await use(token, 'admin.dryRun')).toEqual([403, 'session_required'])
  // What it does is the audit log's, with the token.
  const organisationId = await foundOrganisation(service.runtime)
  const suspend = { ...post, body: { organisationId, reason: 'Drill' } }
  expect(await use(token, 'admin.organisations.suspend', suspend)).toEqual([200, 'ok'])
  const { rows } = await service.runtime.pool.query(
    'select a.user_id, a.email, t.name from audit_log a join internal_tokens t on t.id = a.token_id where a.resource_id = $1',
    [organisationId],
  )
  expect(rows).toEqual([{ user_id: operator.userId, email: operator.email, name: 'Test' }])
})

test('REST answers a token like any unknown credential, and a batch of a token has the limits of every batch', async () => {
  const token = await createTokenFor(service.runtime, { session: operator, procedures: ['admin.*'] })
  const rest = async (as: string) => {
    const { status, body } = await call(service, 'GET /v1/admin/ops/organisations', { token: as })
    return [status, body]
  }
  const unknown = await rest(`svc_int_${'a'.repeat(32)}`)
  expect([await rest(token), unknown]).toEqual([
    unknown,
    [401, { status: 'error', message: 'Invalid API key', data: null }],
  ])
  expect(await use(`${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`, 'admin.ledger.check')).toEqual(REFUSED)
  expect(await use(`svc_int_${'a'.repeat(32)}`, 'admin.ledger.check')).toEqual(REFUSED)
  const names = Array(21).fill('admin.swaps.list').join(',')
  expect(await use(token, `${names}?batch=1`)).toEqual([422, 'batch_too_large'])
  const limited = await startService({
    database: service.database,
    settings: { ...secretsOf(), RATE_LIMIT_GLOBAL: '1' },
  })
  try {
    await use(token, 'admin.swaps.list', { at: limited })
    expect(await use(token, 'admin.swaps.list', { at: limited })).toEqual([429, 'rate_limited'])
  } finally {
    await limited.stop()
  }
})

/** The keys of the running service, for another one on its database. */
const secretsOf = () => ({
  SECRETS_KEY: platformSettings.from(service.runtime.settings).SECRETS_KEY,
  JWT_PRIVATE_KEY: (service.runtime.settings as unknown as { JWT_PRIVATE_KEY: string }).JWT_PRIVATE_KEY,
})

test('a token ends when it is revoked, expires, or its creator is no operator any more', async () => {
  const { id, token } = (await create({ procedures: ['admin.swaps.list'] })).body.data
  expect(await use(token, 'admin.swaps.list')).toEqual([200, 'ok'])
  const former = await startService({
    database: service.database,
    settings: { ...secretsOf(), OPERATOR_EMAILS: 'other@example.com' },
  })
  try {
    expect(await use(token, 'admin.swaps.list', { at: former })).toEqual(REFUSED)
  } finally {
    await former.stop()
  }
  const revoked = await revoke(id)
  expect([revoked.status, revoked.body.data.revokedAt]).toEqual([200, expect.any(String)])
  expect(await use(token, 'admin.swaps.list')).toEqual(REFUSED)
  expect([(await revoke(id)).status, (await revoke('nothing')).status]).toEqual([404, 404])

  const past = new Date(Date.now() - 1000)
  const options = { session: operator, procedures: ['admin.swaps.list'] }
  expect(await use(await createTokenFor(service.runtime, { ...options, expiresAt: past }), 'admin.swaps.list')).toEqual(
    REFUSED,
  )

  // The address is still in the setting, but the user was taken out of the operators' organisation.
  const left = await signedIn(service.runtime, { organisationId: operator.organisation.id, role: 'member' })
  const theirs = await createTokenFor(service.runtime, { ...options, session: left })
  expect(await use(theirs, 'admin.swaps.list')).toEqual(REFUSED)
})

test('the last use of a token is recorded', async () => {
  const { id, token } = (await create({ procedures: ['admin.swaps.list'] })).body.data
  await use(token, 'admin.swaps.list')
  await expect
    .poll(async () => (await list()).internalTokens.find((each: { id: string }) => each.id === id).lastUsedAt)
    .toEqual(expect.any(String))
})

test('there are at most 100 active tokens, also in parallel', async () => {
  const active = (await list()).internalTokens.filter(
    (each: { revokedAt: string | null; expiresAt: string }) =>
      !each.revokedAt && Date.parse(each.expiresAt) > Date.now(),
  )
  for (let count = active.length; count < 97; count++)
    await createTokenFor(service.runtime, { session: operator, procedures: ['admin.swaps.list'] })
  const replies = await Promise.all(Array.from({ length: 6 }, () => create({})))
  const made = replies.filter(({ status }) => status === 201)
  expect(made).toHaveLength(3)
  expect(replies.find(({ status }) => status === 409)?.body.message).toBe(
    'There can be 100 active internal tokens; revoke one first',
  )
  await Promise.all(made.map(({ body }) => revoke(body.data.id)))
  expect((await create({})).status).toBe(201)
  await service.runtime.pool.query("delete from internal_tokens where name = 'Test'")
})
