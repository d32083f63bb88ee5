import { appRouter } from '@payments/api'
import { type Access, allowsAnonymous, newId, type RoleRule } from '@payments/kernel'
import { beforeAll, expect, test } from 'vitest'
import {
  call,
  createKeyFor,
  createTokenFor,
  enabledCustomer,
  foundOrganisation,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { bodyOf } from '../test/examples.ts'
import { operationsByRole } from '../test/roles.ts'
import { operations, type RestOperation } from './operations/operations.ts'

// Every REST operation × every kind of caller. The expectation is this file's own table, one row for each kind of
// access, so that it does not repeat what the code under test thinks. A new operation joins by itself.

const NO_TOKEN = '401 No token provided'
const BAD_KEY = '401 Invalid API key'
const READ = '403 Missing required scopes: api:read'
const WRITE = '403 Missing required scopes: api:write'
const SESSION = '403 Dashboard session required'
const OWNER = '403 Owner role required'
const FINANCE = '403 Finance role required'
const DEVELOPER = '403 Developer role required'
const EITHER = '403 Finance or developer role required'
const OPERATOR = '403 Operator role required'
const SUSPENDED = '403 Organisation suspended'
const SANDBOX = '403 The sandbox is available in the test environment only'
const passes = 'passes'

const badKeys = {
  wrongKey: BAD_KEY,
  otherSecret: BAD_KEY,
  expiredKey: BAD_KEY,
  revokedKey: BAD_KEY,
  internalToken: BAD_KEY,
}
const keysPass = {
  readKey: passes,
  writeKey: passes,
  legacyReadKey: passes,
  legacyWriteKey: passes,
  publishableKey: passes,
  otherOrganisation: passes,
  otherEnvironment: passes,
  suspendedKey: passes,
}
const sessionsPass = {
  member: passes,
  owner: passes,
  finance: passes,
  developer: passes,
  viewer: passes,
  operator: passes,
  suspendedOwner: passes,
}
const everybody = { nobody: passes, ...badKeys, ...keysPass, ...sessionsPass }
type Caller = keyof typeof everybody
type Row = Record<Caller, string>

const noKeys = Object.fromEntries(Object.keys(keysPass).map((caller) => [caller, SESSION])) as typeof keysPass
const read: Row = { ...everybody, nobody: NO_TOKEN, publishableKey: READ }
const write: Row = {
  ...read,
  readKey: WRITE,
  legacyReadKey: WRITE,
  publishableKey: WRITE,
  suspendedKey: SUSPENDED,
  suspendedOwner: SUSPENDED,
}
const sessionRead: Row = { ...everybody, ...noKeys, nobody: NO_TOKEN }
const session: Row = { ...sessionRead, suspendedOwner: SUSPENDED }
/** The same for every role of a merchant. */
function allRoles(reply: string) {
  return { member: reply, owner: reply, finance: reply, developer: reply, viewer: reply }
}
const expectations: Record<Access, Row> = {
  public: everybody,
  payer: { ...everybody, readKey: WRITE, legacyReadKey: WRITE, publishableKey: WRITE },
  'sign-in': { ...everybody, ...noKeys },
  read,
  write,
  sandbox: { ...write, otherEnvironment: SANDBOX },
  session,
  'session-read': sessionRead,
  owner: { ...session, ...allRoles(OWNER), owner: passes },
  'owner-read': { ...sessionRead, ...allRoles(OWNER), owner: passes },
  operator: { ...session, ...allRoles(OPERATOR) },
}

/** Whom the role refuses, by the rule that the table of `operationsByRole` has for the operation. */
const refusedRoles: Record<RoleRule, Partial<Row>> = {
  any: {},
  owner: {},
  finance: { developer: FINANCE, viewer: FINANCE },
  developer: { finance: DEVELOPER, viewer: DEVELOPER },
  'finance-or-developer': { viewer: EITHER },
}
const rules = new Map(
  Object.entries(operationsByRole).flatMap(([rule, lines]) => lines.map((line) => [line, rule as RoleRule] as const)),
)
const lineOf = ({ method, path }: RestOperation): string => `${method} ${path}`

/** What each caller gets from an operation. */
const expectationsOf = (operation: RestOperation): Row => ({
  ...expectations[operation.operation.meta.access],
  ...refusedRoles[rules.get(lineOf(operation)) ?? 'any'],
})

const service = useService()
const credentials = {} as Record<Caller, string | null>
/** Real records of the home organisation in the test environment, by the placeholder that names them, alone and with its path. */
const records: Record<string, string> = {}
const HOME: readonly Caller[] = [
  'readKey',
  'writeKey',
  'legacyReadKey',
  'legacyWriteKey',
  'member',
  'owner',
  'finance',
  'developer',
  'viewer',
]

beforeAll(async () => {
  const { runtime } = service
  const home = await newMerchant(service)
  const { organisationId } = home
  const suspended = await foundOrganisation(runtime)
  const key = (scopes: string[], more: Partial<Parameters<typeof createKeyFor>[1]> = {}) =>
    createKeyFor(runtime, { organisationId, environment: 'test', scopes, ...more })
  const operator = await signedIn(runtime, { role: 'operator' })
  const past = new Date(Date.now() - 1000)
  const both = ['api:read', 'api:write']
  Object.assign(credentials, {
    nobody: null,
    wrongKey: `svc_test_${'a'.repeat(32)}`,
    otherSecret: `${home.key.slice(0, -1)}${home.key.endsWith('x') ? 'y' : 'x'}`,
    expiredKey: await key(both, { expiresAt: past }),
    revokedKey: await key(both, { revokedAt: past }),
    readKey: await key(['api:read']),
    writeKey: await key(['api:write']),
    legacyReadKey: await key(['transfers:read']),
    legacyWriteKey: await key(['offramps:write']),
    publishableKey: await key(['collections:read'], { type: 'publishable' }),
    otherOrganisation: (await newMerchant(service)).key,
    otherEnvironment: await key(both, { environment: 'live' }),
    suspendedKey: await key(both, { organisationId: suspended }),
    member: (await signedIn(runtime, { organisationId, role: 'member' })).accessToken,
    owner: (await signedIn(runtime, { organisationId, role: 'owner' })).accessToken,
    finance: (await signedIn(runtime, { organisationId, role: 'finance' })).accessToken,
    developer: (await signedIn(runtime, { organisationId, role: 'developer' })).accessToken,
    viewer: (await signedIn(runtime, { organisationId, role: 'viewer' })).accessToken,
    internalToken: await createTokenFor(runtime, { session: operator, procedures: ['admin.*'] }),
    operator: operator.accessToken,
    suspendedOwner: (await signedIn(runtime, { organisationId: suspended, role: 'owner' })).accessToken,
  } satisfies Record<Caller, string | null>)
  const done = await call(service, `POST /v1/admin/ops/organisations/${suspended}/suspend`, {
    token: credentials.operator,
    key: null,
    body: { reason: 'Asked for' },
  })
  expect(done.status).toBe(200)

  records.organisationId = organisationId
  // Some objects belong to a customer, who must be allowed to have them.
  const customerId = await enabledCustomer(runtime, organisationId, 10n ** 12n)
  // An invoice is read by accounting programs where it says who asks whom, and for what.
  const item = { description: 'Consulting', quantity: 1, unitAmount: '25', taxPercent: 7.5 }
  for (const [line, billing] of [
    ['PATCH /v1/branding', { legalName: 'Home Ltd', country: 'NG', taxId: '12345678-0001' }],
    [`PATCH /v1/customers/${customerId}`, { country: 'NG' }],
  ] as const)
    expect((await home.call(line, { body: billing })).status).toBe(200)
  for (const operation of operations) {
    const name = newRecordOf(operation)
    if (!name) continue
    // Of the collections, an invoice: all of their operations work on it.
    const more =
      operation.path === '/collections'
        ? { type: 'invoice', amount: undefined, pricing: { currency: 'USD' }, items: [item], customerId }
        : {}
    const body = { ...bodyOf(operation, { customerId }), ...more }
    const made = await home.call(`POST /v1${operation.path}`, { body })
    expect([operation.path, made.status, made.text]).toEqual([operation.path, 201, made.text])
    if (!isAmbiguous(name)) records[name] = made.body.data.id
    records[`${operation.path}/{${name}}`] = made.body.data.id
  }
  records.customerId = customerId
  records['/customers/{customerId}'] = customerId
  expect(records).toMatchObject({ customerId: expect.any(String), paymentRouteId: expect.any(String) })
})

/** The placeholder that names what an operation creates, as in `GET /customers/{customerId}`; undefined where it creates nothing. */
function newRecordOf({ method, path, placeholders, operation: { meta } }: RestOperation): string | undefined {
  if (method !== 'POST' || meta.status !== 201 || meta.access !== 'write' || placeholders.length > 0) return undefined
  return operations.find((each) => each.placeholders.length === 1 && each.path === `${path}/{${each.placeholders[0]}}`)
    ?.placeholders[0]
}

/** Does a placeholder name records of several collections, as `{depositId}` does? */
const isAmbiguous = (name: string): boolean =>
  operations.filter(({ method, path }) => method === 'GET' && path.endsWith(`/{${name}}`)).length > 1

/** The record that a placeholder of a path stands for: one of its collection, else one of its name. */
const recordOf = (path: string, name: string): string | undefined => {
  const collection = Object.keys(records).find((key) => key.startsWith('/') && path.includes(key))
  return (collection?.endsWith(`{${name}}`) ? records[collection] : undefined) ?? records[name]
}

/** Does the operation accept a request with nothing but its path? */
const bare = (operation: RestOperation): boolean =>
  operation.operation.input.safeParse(Object.fromEntries(operation.placeholders.map((name) => [name, newId()]))).success

/** Keys of another organisation or environment than the home organisation's test environment. */
const FOREIGN_KEYS: readonly Caller[] = ['otherOrganisation', 'otherEnvironment', 'suspendedKey']

/** Whom its records show themselves to: an operator sees every organisation, a public page is shown to all but foreign keys. */
const sees = (operation: RestOperation, caller: Caller): boolean =>
  operation.operation.meta.access === 'operator' ||
  (allowsAnonymous(operation.operation.meta.access) && !FOREIGN_KEYS.includes(caller)) ||
  HOME.includes(caller)

/**
 * The status of an operation that lets the caller in. Nothing changes by it: a write carries a body that no schema
 * accepts (422), or, where a record is another organisation's, no body and the record's real id (404).
 */
function admitted(
  operation: RestOperation,
  caller: Caller,
): { status: number; path: string; body: object | undefined } {
  const {
    method,
    placeholders,
    operation: { meta },
  } = operation
  const known = placeholders.every((name) => recordOf(operation.path, name) !== undefined)
  const path = (real: boolean) =>
    `/v1${operation.path.replace(/\{(\w+)\}/g, (_match, name) => (real && recordOf(operation.path, name)) || newId())}`
  if (placeholders.length === 0 || (method !== 'GET' && method !== 'DELETE' && (sees(operation, caller) || !known)))
    return method === 'GET'
      ? { status: bare(operation) ? meta.status : 422, path: path(true), body: undefined }
      : { status: 422, path: path(true), body: { unexpected: true } }
  if (method === 'GET' && sees(operation, caller) && known)
    return { status: meta.status, path: path(true), body: undefined }
  // Deleting one's own record would succeed: that one is asked for by an id that nobody has.
  return {
    status: bare(operation) ? 404 : 422,
    path: path(method === 'GET' || !sees(operation, caller)),
    body: undefined,
  }
}

const callers = Object.keys(everybody) as Caller[]

test.for(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  'admits and refuses exactly the callers that its access names: %s',
  async ([, operation]) => {
    const expected = expectationsOf(operation)
    const actual = {} as Row
    const wanted = {} as Row
    for (const caller of callers) {
      const { status, path, body } = admitted(operation, caller)
      const { [caller]: expectation } = expected
      const reply = await call(service, `${operation.method} ${path}`, {
        token: credentials[caller],
        ...(body ? { body } : {}),
      })
      const away =
        caller === 'otherEnvironment' && reply.body?.message?.endsWith('not available in the live environment')
      wanted[caller] = expectation === passes ? `${status}` : expectation
      actual[caller] =
        expectation === passes ? `${away ? status : reply.status}` : `${reply.status} ${reply.body?.message}`
      if (expectation === passes && actual[caller] !== wanted[caller]) actual[caller] += ` ${reply.body?.message}`
    }
    expect(actual).toEqual(wanted)
  },
)

test('every operation has an access that the table knows, and every kind of caller is in the table', () => {
  for (const operation of operations)
    expect(Object.keys(expectations[operation.operation.meta.access])).toEqual(callers)
})

test('every operation that a session may change something with says which roles it admits, as the table has it', () => {
  // Reading is for every role, and needs no row. What needs no credential has no role, and operators have a role of their own.
  const unruled: Access[] = ['public', 'payer', 'sign-in', 'read', 'operator']
  const declared = operations
    .filter(({ operation: { meta } }) => !unruled.includes(meta.access))
    .map((operation) => [lineOf(operation), operation.operation.meta.role])
  expect(declared.toSorted()).toEqual([...rules].toSorted())
  expect(rules.size).toBe(Object.values(operationsByRole).flat().length)
  // These ask a bank and a provider, and change nothing of the organisation.
  const read = operations.filter(({ operation }) => operation.meta.access === 'read')
  expect(new Set(read.map(({ operation }) => operation.meta.role))).toEqual(new Set(['any']))
  expect(read.flatMap(({ name, operation }) => (operation.command ? [name] : [])).toSorted()).toEqual([
    'fiat.sellQuote',
    'fiat.verifyAccount',
  ])
})

test('every procedure has a REST line, so that all of them are in a document and in the table above', () => {
  const inRest = new Set(operations.map(({ name }) => name))
  expect(Object.keys(appRouter._def.procedures).filter((name) => !inRest.has(name))).toEqual([])
})

test('an API key on a mutating operation needs its Idempotency-Key, a session needs none', async () => {
  const keyed = operations.filter(
    ({ method, operation: { meta } }) => method !== 'GET' && meta.access !== 'payer' && meta.access !== 'public',
  )
  for (const operation of keyed) {
    const expected = expectationsOf(operation)
    const path = admitted(operation, 'owner').path
    const line = `${operation.method} ${path}`
    const unkeyed = await call(service, line, { token: credentials.writeKey, key: null, body: { unexpected: true } })
    const wanted =
      expected.writeKey === passes
        ? '400 Idempotency-Key header is required for mutating API requests'
        : expected.writeKey
    expect([line, `${unkeyed.status} ${unkeyed.body.message}`]).toEqual([line, wanted])
    const signed = await call(service, line, { token: credentials.owner, key: null, body: { unexpected: true } })
    if (expected.owner === passes) expect([line, signed.status]).not.toEqual([line, 400])
  }
})
