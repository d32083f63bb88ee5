import { expect, test } from 'vitest'
import { call, newCollection, newMerchant, paySession, signedIn, startSession, useService } from '#testing'
import { getSession, poll, settle } from '../../test/sessions.ts'

const service = useService()

const operatorCall = async (line: string) => {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const body = line.startsWith('POST') ? { reason: 'Asked for' } : undefined
  return (await call(service, line, { token, key: null, body })).body.data
}

test('a payment that the provider holds is in the operators’ list, with its organisation', async () => {
  const merchant = await newMerchant(service)
  const session = await startSession(service, (await newCollection(merchant)).id)
  await paySession(merchant, session.id, { outcome: 'blocked' })
  await settle(service, merchant)
  const { sessions } = await operatorCall('GET /v1/admin/ops/checkout-sessions')
  expect(sessions.find(({ id }: { id: string }) => id === session.id)).toMatchObject({
    organisationId: merchant.organisationId,
    environment: 'test',
    status: 'failed',
    failureReason: 'provider_blocked',
  })
})

test('a payment that has been under way for an hour is in the operators’ list, and a sync finds its end', async () => {
  const merchant = await newMerchant(service)
  const session = await startSession(service, (await newCollection(merchant)).id)
  await paySession(merchant, session.id)
  await poll(service, merchant)
  const listed = async () =>
    (await operatorCall('GET /v1/admin/ops/checkout-sessions')).sessions.map(({ id }: { id: string }) => id)
  expect(await listed()).not.toContain(session.id)
  const { pool } = service.runtime
  await pool.query("update checkout_sessions set updated_at = now() - interval '61 minutes' where id = $1", [
    session.id,
  ])
  expect(await listed()).toContain(session.id)
  await pool.query('update sandbox_relay_requests set settles_at = now() where address = $1', [session.depositAddress])
  const counts = await operatorCall(`POST /v1/admin/ops/checkout-sessions/${session.id}/sync`)
  expect(counts).toEqual({ synced: 1, created: 0, updated: 1 })
  expect(await getSession(merchant, session.id)).toMatchObject({ status: 'paid' })
  expect(await listed()).not.toContain(session.id)
})

test('the timeline of a payment link has its sessions, and that of a session the calls of the provider, for operators only', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const session = await startSession(service, id)
  await paySession(merchant, session.id)
  await settle(service, merchant)
  await service.process.providerCalls.flush()
  const own = (await merchant.call(`GET /v1/timeline/${id}`)).body.data.entries
  expect(own).toContainEqual(expect.objectContaining({ kind: 'event', resourceId: session.id }))
  const calls = (entries: { kind: string; summary: string }[]) =>
    entries.filter(({ kind }) => kind === 'provider_call').map(({ summary }) => summary)
  const shown = await operatorCall(`GET /v1/admin/ops/timeline/${session.id}`)
  expect(calls(shown.entries).join()).toMatch(/routes deposits succeeded/)
  expect(calls((await merchant.call(`GET /v1/timeline/${session.id}`)).body.data.entries)).toEqual([])
})
