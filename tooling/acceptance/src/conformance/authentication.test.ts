import { afterAll, beforeAll, expect } from 'vitest'
import {
  call,
  launchArtefact,
  type Mailbox,
  type Merchant,
  newMerchant,
  signedIn,
  signIn,
  startMailbox,
  type TestArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

let mailbox: Mailbox
let service: TestArtefact & { stop(): Promise<void> }
let merchant: Merchant
let session: string
beforeAll(async () => {
  mailbox = await startMailbox()
  service = await launchArtefact({ settings: { SMTP_URL: mailbox.url } })
  merchant = await newMerchant(service)
  session = (await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })).accessToken
})
afterAll(async () => {
  await service.stop()
  await mailbox.close()
})

const bySession = (line: string, body?: unknown) => call(service, line, { token: session, key: null, body })
const newKey = async (given: object = {}) =>
  (await bySession('POST /v1/api-keys', { name: 'Server', environment: 'test', access: 'read_write', ...given })).body
    .data
const customers = (token: string | null) => call(service, 'GET /v1/customers', { token })
const create = (token: string, email: string) =>
  call(service, 'POST /v1/customers', { token, body: { name: 'Ada', email } })

conforms('bearer', async () => {
  for (const token of [merchant.key, session]) expect((await customers(token)).status).toBe(200)
  const basic = await call(service, 'GET /v1/customers', {
    token: null,
    headers: { authorization: `Basic ${session}` },
  })
  expect(basic.status).toBe(401)
})

conforms('keyPrefixes', async () => {
  for (const environment of ['test', 'live'])
    expect((await newKey({ environment })).key).toMatch(new RegExp(`^svc_${environment}_`))
})

conforms('keyLayout', async () => expect((await newKey()).key).toMatch(/^svc_test_[A-Za-z0-9]{8}[A-Za-z0-9]{24}$/))

conforms('keyMasked', async () => {
  const { id, key } = await newKey()
  const { apiKeys } = (await bySession('GET /v1/api-keys')).body.data
  const shown = JSON.stringify(apiKeys.find((each: { id: string }) => each.id === id))
  expect(shown).toContain(`…${key.slice(-4)}`)
})

conforms('keyOnce', async () => {
  const { key } = await newKey()
  expect((await bySession('GET /v1/api-keys')).text).not.toContain(key)
  const byKey = await merchant.call('POST /v1/api-keys', { body: { name: 'x', environment: 'test', access: 'read' } })
  expect(byKey.status).toBe(403)
})

conforms('keyChoices', async () => {
  const { key } = await newKey({ access: 'read' })
  expect([(await customers(key)).status, (await create(key, 'choices@example.com')).status]).toEqual([200, 403])
  for (const wrong of [{ environment: 'other' }, { access: 'all' }])
    expect(
      (await bySession('POST /v1/api-keys', { name: 'x', environment: 'test', access: 'read', ...wrong })).status,
    ).toBe(422)
})

conforms('writeImpliesRead', async () => {
  const { key } = await newMerchant(service, { scopes: ['api:write'] })
  expect((await customers(key)).status).toBe(200)
})

conforms('legacyScopes', async () => {
  for (const [scope, read, write] of [
    ['transfers:write', 200, 201],
    ['collections:write', 200, 201],
    ['offramps:read', 200, 403],
  ] as const) {
    const { key } = await newMerchant(service, { scopes: [scope] })
    expect([(await customers(key)).status, (await create(key, `${scope.split(':')[0]}@example.com`)).status]).toEqual([
      read,
      write,
    ])
  }
})

conforms('sessionsFull', async () => {
  expect((await bySession('GET /v1/payment-routes')).status).toBe(200)
  expect((await bySession('POST /v1/customers', { name: 'Ada', email: 'session@example.com' })).status).toBe(201)
})

conforms('oneTimeCode', async () => {
  const signedInNow = await signIn(service, mailbox, { email: 'new@example.com', organisationName: 'New' })
  expect([signedInNow.tokenType, signedInNow.expiresIn <= 15 * 60]).toEqual(['Bearer', true])
  expect((await customers(signedInNow.accessToken)).status).toBe(200)
})

conforms('keyHeader', async () => {
  for (const line of [
    'POST /v1/customers',
    'POST /v1/payment-routes',
    'PATCH /v1/customers/x',
    'DELETE /v1/payment-routes/x',
  ])
    expect((await merchant.call(line, { key: null })).status).toBe(400)
})

conforms('noToken', async () => {
  const { status, body } = await customers(null)
  expect([status, body.message]).toEqual([401, 'No token provided'])
})

conforms('invalidKey', async () => {
  const revoked = await newKey()
  await bySession(`DELETE /v1/api-keys/${revoked.id}`)
  for (const key of [`svc_test_${'a'.repeat(32)}`, 'svc_test_short', `${merchant.key.slice(0, -1)}!`, revoked.key]) {
    const { status, body } = await customers(key)
    expect([status, body.message]).toEqual([401, 'Invalid API key'])
  }
})

conforms('invalidToken', async () => {
  for (const token of [`${session.slice(0, -2)}xx`, 'a.b.c']) {
    const { status, body } = await customers(token)
    expect([status, body.message]).toEqual([401, 'Token invalid or expired'])
  }
})

conforms('missingScopes', async () => {
  const reader = await newMerchant(service, { scopes: ['api:read'] })
  const { status, body } = await create(reader.key, 'scopes@example.com')
  expect([status, body.message]).toEqual([403, 'Missing required scopes: api:write'])
})

conforms('missingKeyHeader', async () => {
  const { status, body } = await merchant.call('POST /v1/customers', { key: null })
  expect([status, body.message]).toEqual([400, 'Idempotency-Key header is required for mutating API requests'])
})
