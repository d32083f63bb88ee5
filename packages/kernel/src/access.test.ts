import { expect, test } from 'vitest'
import {
  type Access,
  type Actor,
  allowsAnonymous,
  anonymous,
  authorise,
  authoriseToken,
  type MemberRole,
  memberRoles,
  type RoleRule,
  sessionOnly,
  system,
} from './actor.ts'
import { ServiceError } from './errors.ts'
import { NIL_ID } from './ids.ts'

const ORGANISATION = '01936f2a-7c1e-7000-8000-000000000001'
const base = { organisationId: ORGANISATION, environment: 'test', suspended: false } as const
const key = (...scopes: string[]): Actor => ({ ...base, kind: 'key', scopes, keyId: ORGANISATION })
const session = (role: MemberRole | 'operator'): Actor => ({ ...base, kind: 'session', scopes: [], role })
const suspended = (actor: Actor): Actor => ({ ...actor, suspended: true })
const live = (actor: Actor): Actor => ({ ...actor, environment: 'live' })

const callers: Record<string, Actor> = {
  anonymous,
  reader: key('api:read'),
  writer: key('api:write'),
  publishable: key('collections:read'),
  member: session('member'),
  owner: session('owner'),
  operator: session('operator'),
  'live owner': live(session('owner')),
  'live writer': live(key('api:write')),
  'suspended owner': suspended(session('owner')),
  'suspended writer': suspended(key('api:write')),
  system: system(ORGANISATION, 'live'),
  'internal token': { ...base, kind: 'token', scopes: [], role: 'operator', procedures: ['admin.swaps.*'] },
}
const READ = 'Missing required scopes: api:read'
const WRITE = 'Missing required scopes: api:write'
const TOKEN = 'No token provided'
const SESSION = 'Dashboard session required'
const SIGNED_IN = 'Already signed in; sign-in is available under /v1/auth only'
const OWNER = 'Owner role required'
const OPERATOR = 'Operator role required'
const SUSPENDED = 'Organisation suspended'
const LIVE = 'The sandbox is available in the test environment only'
const ok = undefined

/** By access: the result for each caller, in the order of `callers`. */
const expected: Record<Access, (string | undefined)[]> = {
  public: Array(13).fill(ok),
  payer: [ok, WRITE, ok, WRITE, ok, ok, ok, ok, ok, ok, ok, ok, ok],
  'sign-in': [
    ok,
    SESSION,
    SESSION,
    SESSION,
    SIGNED_IN,
    SIGNED_IN,
    SIGNED_IN,
    SIGNED_IN,
    SESSION,
    SIGNED_IN,
    SESSION,
    ok,
    SIGNED_IN,
  ],
  read: [TOKEN, ok, ok, READ, ok, ok, ok, ok, ok, ok, ok, ok, SESSION],
  write: [TOKEN, WRITE, ok, WRITE, ok, ok, ok, ok, ok, SUSPENDED, SUSPENDED, ok, SESSION],
  sandbox: [TOKEN, WRITE, ok, WRITE, ok, ok, ok, LIVE, LIVE, SUSPENDED, SUSPENDED, ok, SESSION],
  session: [TOKEN, SESSION, SESSION, SESSION, ok, ok, ok, ok, SESSION, SUSPENDED, SESSION, ok, SESSION],
  'session-read': [TOKEN, SESSION, SESSION, SESSION, ok, ok, ok, ok, SESSION, ok, SESSION, ok, SESSION],
  owner: [TOKEN, SESSION, SESSION, SESSION, OWNER, ok, ok, ok, SESSION, SUSPENDED, SESSION, ok, SESSION],
  'owner-read': [TOKEN, SESSION, SESSION, SESSION, OWNER, ok, ok, ok, SESSION, ok, SESSION, ok, SESSION],
  operator: [TOKEN, SESSION, SESSION, SESSION, OPERATOR, OPERATOR, ok, OPERATOR, SESSION, SUSPENDED, SESSION, ok, ok],
}

function outcome(access: Access, actor: Actor, role?: RoleRule): string | undefined {
  try {
    authorise({ access, role }, actor)
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.status).toBe(error.message === TOKEN ? 401 : 403)
    return error.message
  }
}

test.each(Object.entries(expected))(
  'the access %s admits exactly its callers, with the right error for others',
  (access, results) => {
    const entries = Object.entries(callers)
    expect(entries.map(([name, actor]) => [name, outcome(access as Access, actor)])).toEqual(
      entries.map(([name], index) => [name, results[index]]),
    )
  },
)

/** By rule: the error of a session with each role, in the order of `memberRoles`: owner, finance, developer, viewer, member. */
const FINANCE = 'Finance role required'
const DEVELOPER = 'Developer role required'
const EITHER = 'Finance or developer role required'
const byRole: Record<RoleRule, (string | undefined)[]> = {
  any: [ok, ok, ok, ok, ok],
  finance: [ok, ok, FINANCE, FINANCE, ok],
  developer: [ok, DEVELOPER, ok, DEVELOPER, ok],
  'finance-or-developer': [ok, ok, ok, EITHER, ok],
  owner: [ok, OWNER, OWNER, OWNER, OWNER],
}

test.each(Object.entries(byRole))(
  'the rule %s admits exactly its roles, and names the role to others',
  (name, results) => {
    const role = name as RoleRule
    expect(memberRoles.map((each) => outcome('write', session(each), role))).toEqual(results)
    expect(outcome('write', session('operator'), role)).toBeUndefined()
    // A key has an access of its own, whoever made it.
    expect(outcome('write', key('api:write'), role)).toBeUndefined()
    expect(outcome('write', system(ORGANISATION, 'live'), role)).toBeUndefined()
  },
)

test('what only owners may call is refused to every other role', () => {
  for (const access of ['owner', 'owner-read'] as const)
    expect(memberRoles.map((role) => outcome(access, session(role)))).toEqual(byRole.owner)
})

test('only public, payer and sign-in operations need no credential, and which operations refuse keys is known beforehand', () => {
  const all = Object.keys(expected) as Access[]
  expect(all.filter(allowsAnonymous)).toEqual(['public', 'payer', 'sign-in'])
  expect(all.filter(sessionOnly)).toEqual(['session', 'session-read', 'owner', 'owner-read', 'operator'])
})

test('an anonymous caller has no rows, and the service acts with all scopes for one organisation', () => {
  expect(anonymous).toEqual({
    kind: 'anonymous',
    organisationId: NIL_ID,
    environment: 'test',
    scopes: [],
    suspended: false,
  })
  expect(callers.system).toMatchObject({
    kind: 'system',
    environment: 'live',
    suspended: false,
    organisationId: ORGANISATION,
  })
  expect(callers.system?.scopes).toEqual(['api:read', 'api:write'])
})

test('while live access is not enabled, business operations are refused in the live environment only', () => {
  const owner = { ...session('owner'), liveAccess: false }
  for (const access of ['read', 'write', 'sandbox'] as const) {
    expect(outcome(access, live(owner))).toBe('Live access is not enabled for this organisation')
    expect(outcome(access, owner)).toBeUndefined()
  }
  for (const access of ['public', 'session', 'owner'] as const) expect(outcome(access, live(owner))).toBeUndefined()
})

test('an internal token calls what it lists by name or branch, and never what moves money', () => {
  const token: Actor = { ...base, kind: 'token', scopes: [], procedures: ['admin.swaps.*', 'admin.ledger.check'] }
  const call = (name: string, money = false, personal = false) => authoriseToken(token, { name, money, personal })
  for (const name of ['admin.swaps.list', 'admin.swaps.later.too', 'admin.ledger.check'])
    expect(() => call(name)).not.toThrow()
  for (const name of ['admin.swapsToo.list', 'admin.swaps', 'admin.ledger.checkAll', 'admin.ledger.accounts'])
    expect(() => call(name)).toThrow('The internal token does not list this procedure')
  expect(() => call('admin.swaps.list', true)).toThrow("Operations that move money require an operator's session")
  expect(() => call('admin.swaps.list', false, true)).toThrow('Dashboard session required')
  const other = { name: 'a', money: false, personal: false }
  expect(() => authoriseToken({ ...base, kind: 'token', scopes: [] }, other)).toThrow(
    'The internal token does not list this procedure',
  )
  for (const actor of [anonymous, session('operator'), key('api:read')])
    expect(() => authoriseToken(actor, { name: 'anything', money: true, personal: true })).not.toThrow()
})
