import { newId } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, newMerchant, signedIn, signIn, startMailbox, startProcess, type TestProcess, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })
let process: TestProcess
let operator: string
beforeAll(async () => {
  process = await startProcess(service)
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
afterAll(() => process.stop())

const ops = (line: string, body?: object) => {
  const [method, path] = line.split(' ')
  const given = method === 'POST' ? { reason: 'Asked for', ...body } : undefined
  return call(service, `${method} /v1/admin/ops/organisations${path ?? ''}`, {
    body: given,
    token: operator,
    key: null,
  })
}

test('from the next request on, in every process, a suspended organisation may sign in, read, and revoke keys and sessions, nothing else', async () => {
  const owner = await signIn(service, mailbox, { email: 'pause@example.com', organisationName: 'Pause' })
  const { id } = owner.organisation
  const { key } = await newMerchant(service, { organisationId: id })
  const create = async (at: { url: string }, token: string) => {
    const body = { name: 'Ada', email: `${crypto.randomUUID()}@example.com` }
    const reply = await call(at, 'POST /v1/customers', { body, token })
    return `${reply.status} ${reply.body.message}`
  }
  expect(await create(process, key)).toBe('201 Customer created')

  const suspended = await ops(`POST /${id}/suspend`, { reason: 'Chargebacks' })
  expect(suspended.body).toMatchObject({
    message: 'Organisation suspended',
    data: { id, status: 'suspended', suspensionReason: 'Chargebacks' },
  })
  const refused = '403 Organisation suspended'
  expect(await create(process, key)).toBe(refused)
  expect(await create(process, owner.accessToken)).toBe(refused)
  const created = await call(process, 'POST /v1/api-keys', {
    body: { name: 'New', environment: 'test' },
    token: owner.accessToken,
  })
  expect(`${created.status} ${created.body.message}`).toBe(refused)
  for (const token of [key, owner.accessToken])
    expect((await call(process, 'GET /v1/customers', { token })).status).toBe(200)
  const me = await call(process, 'GET /v1/auth/me', { token: owner.accessToken })
  expect(me.body.data.organisation.suspendedAt).toBe(suspended.body.data.suspendedAt)
  const leaked = await newMerchant(service, { organisationId: id })
  const again = await signIn(process, mailbox, { email: 'pause@example.com' })
  const { apiKeys } = (await call(process, 'GET /v1/api-keys', { token: again.accessToken })).body.data
  const { id: keyId } = apiKeys[0]
  const revoked = await call(process, `DELETE /v1/api-keys/${keyId}`, { token: again.accessToken, key: null })
  expect([revoked.status, revoked.body.message]).toEqual([200, 'API key revoked'])
  expect((await call(process, 'GET /v1/customers', { token: leaked.key })).status).toBe(401)
  const others = await call(process, 'DELETE /v1/auth/sessions', { token: again.accessToken, key: null })
  expect(others.body.data).toEqual({ ended: 1 })
  expect((await call(process, 'GET /v1/api-keys', { token: again.accessToken })).status).toBe(200)
  expect((await call(process, 'POST /v1/auth/logout', { token: again.accessToken, key: null })).status).toBe(200)

  const first = suspended.body.data.suspendedAt
  expect((await ops(`POST /${id}/suspend`)).body.data).toMatchObject({
    suspendedAt: first,
    suspensionReason: 'Chargebacks',
  })
  const lifted = await ops(`POST /${id}/reactivate`)
  expect(lifted.body.data).toMatchObject({ status: 'active', suspendedAt: null, suspensionReason: null })
  expect(await create(process, key)).toBe('201 Customer created')
  expect((await ops(`POST /${id}/reactivate`)).body.data.updatedAt).toBe(lifted.body.data.updatedAt)
})

test('owners are told of a suspension and of its end, once each, with what operators wrote to them and not with their reason', async () => {
  const owner = await signIn(service, mailbox, { email: 'told@example.com', organisationName: 'Told' })
  const { id } = owner.organisation
  await signedIn(service.runtime, { organisationId: id, role: 'member' })
  const told = async () => {
    const { notifications } = (await call(service, 'GET /v1/notifications', { token: owner.accessToken, key: null }))
      .body.data
    return notifications
      .filter(({ type }: { type: string }) => type.startsWith('organisation.'))
      .map(({ type, body }: { type: string; body: string }) => `${type} ${body}`)
  }
  const before = mailbox.emails.length
  const emails = () => mailbox.emails.slice(before).filter(({ to }) => to !== 'operator@example.com')
  const writing = { reason: 'A chargeback ring', message: 'Please answer our questions' }
  await ops(`POST /${id}/suspend`, writing)
  await ops(`POST /${id}/suspend`, writing)
  await expect.poll(() => emails().length).toBe(1)
  await ops(`POST /${id}/reactivate`, { reason: 'A chargeback ring', message: 'Thank you' })
  await ops(`POST /${id}/reactivate`)
  await expect.poll(() => emails().length).toBe(2)
  expect(emails().map(({ to }) => to)).toEqual(['told@example.com', 'told@example.com'])
  const texts = emails().map(({ raw }) => raw.replaceAll(/=\r?\n/g, ''))
  expect(texts[0]).toContain('Subject: Your organisation is suspended')
  expect(texts[0]).toContain('Please answer our questions')
  expect(texts[1]).toContain('Subject: Your organisation is active again')
  expect(texts[1]).toContain('Thank you')
  const shown = await told()
  expect(shown).toHaveLength(2)
  expect(shown[0]).toMatch(/^organisation.reactivated .*Thank you$/)
  expect(shown[1]).toMatch(/^organisation.suspended .*Please answer our questions$/)
  for (const text of [...texts, ...shown]) expect(text).not.toContain('chargeback')
})

test('a suspension that is not committed tells nobody', async () => {
  const owner = await signIn(service, mailbox, { email: 'tried@example.com', organisationName: 'Tried' })
  const { id } = owner.organisation
  const input = { organisationId: id, reason: 'To see', message: 'Nothing' }
  const tried = await call(service, 'POST /v1/admin/ops/dry-runs', {
    body: { command: 'admin.organisations.suspend', input },
    token: operator,
    key: null,
  })
  expect(tried.body.data.reply.status).toBe('suspended')
  const { rows } = await service.runtime.pool.query(
    "select type from notifications where organisation_id = $1 and type like 'organisation.%'",
    [id],
  )
  expect(rows).toEqual([])
})

test('operators can list organisations and get one with its members', async () => {
  const owner = await signIn(service, mailbox, { email: 'shown@example.com', organisationName: 'Shown' })
  const list = await ops('GET ')
  expect(list.body.data.total).toBe(list.body.data.organisations.length)
  const listed = list.body.data.organisations.find((each: { id: string }) => each.id === owner.organisation.id)
  expect(listed).toMatchObject({ name: 'Shown', operator: false, status: 'active' })
  const shown = await ops(`GET /${owner.organisation.id}`)
  expect(shown.body.data).toEqual({
    ...listed,
    members: [{ userId: owner.user.id, email: 'shown@example.com', role: 'owner' }],
  })
  for (const id of ['not-an-id', owner.user.id])
    expect((await ops(`GET /${id}`)).body.message).toBe('Organisation not found')
})

test('the operators’ organisation cannot be suspended', async () => {
  const list = await ops('GET ')
  const own = list.body.data.organisations.find((each: { operator: boolean }) => each.operator)
  const reply = await ops(`POST /${own.id}/suspend`)
  expect([reply.status, reply.body.message]).toEqual([409, "The operators' organisation cannot be suspended"])
})

test('operators find an organisation by its name or a member, see its sessions and keys, and end them at once', async () => {
  const name = `Searched ${newId().slice(-6)} 100%`
  const email = `${newId()}@example.com`
  const owner = await signIn(service, mailbox, { email, organisationName: name })
  const { id } = owner.organisation
  const { key } = await newMerchant(service, { organisationId: id })
  for (const text of [name.slice(3).toUpperCase(), email])
    expect((await ops('POST /search', { text, reason: undefined })).body.data).toMatchObject({
      organisations: [{ id, name }],
      total: 1,
    })
  expect((await ops('POST /search', { text: '%%', reason: undefined })).body.data.total).toBe(0)
  const { sessions } = (await ops(`GET /${id}/sessions`)).body.data
  expect(sessions).toMatchObject([{ email, userId: owner.user.id }])
  const { apiKeys } = (await ops(`GET /${id}/api-keys`)).body.data
  const other = (await newMerchant(service)).organisationId
  expect((await ops(`POST /${other}/sessions/${sessions[0].id}/end`)).status).toBe(404)
  expect((await ops(`POST /${other}/api-keys/${apiKeys[0].id}/revoke`)).status).toBe(404)
  const expires = (at: string) =>
    service.runtime.pool.query(`update sessions set expires_at = ${at} where id = $1`, [sessions[0].id])
  await expires("now() - interval '1 second'")
  expect((await ops(`POST /${id}/sessions/${sessions[0].id}/end`)).status).toBe(404)
  await expires("now() + interval '1 day'")
  expect((await ops(`POST /${id}/sessions/${sessions[0].id}/end`)).status).toBe(200)
  expect((await ops(`POST /${id}/api-keys/${apiKeys[0].id}/revoke`)).status).toBe(200)
  expect((await call(process, 'GET /v1/auth/me', { token: owner.accessToken })).status).toBe(401)
  expect((await call(process, 'GET /v1/customers', { token: key })).status).toBe(401)
})
