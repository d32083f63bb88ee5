import { beforeAll, expect } from 'vitest'
import {
  advance,
  call,
  type Merchant,
  newMerchant,
  newRoute,
  newRouteBody,
  pay,
  signedIn,
  sync,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'
import { breaking } from '../compatibility/breaking.ts'
import { presentContract } from '../compatibility/contract.ts'
import { releasedContract } from '../compatibility/released.ts'

const service = useArtefact()
const url = 'https://merchant.example/hooks'
let reader: Merchant
let writer: Merchant
beforeAll(async () => {
  writer = await newMerchant(service, { scopes: ['api:write'] })
  reader = await newMerchant(service, { scopes: ['api:read'], organisationId: writer.organisationId })
})

/** The operation accepts the scope that it needs, and not less. */
async function expectScope(line: string, scope: 'api:read' | 'api:write', body?: unknown) {
  const needed = scope === 'api:read' ? reader : writer
  const answer = await needed.call(line, { body })
  expect(answer.status, answer.text).toBeLessThan(300)
  const less =
    scope === 'api:read' ? await newMerchant(service, { scopes: [], organisationId: writer.organisationId }) : reader
  const refused = await less.call(line, { body })
  expect([refused.status, refused.body.message]).toEqual([403, `Missing required scopes: ${scope}`])
  return answer.body.data
}

const times = (rows: Record<string, string>[], field = 'createdAt') => rows.map((row) => row[field] ?? '')
const descending = (values: string[]) => expect(values).toEqual(values.toSorted().reverse())
const customer = (email: string) => writer.call('POST /v1/customers', { body: { name: 'Ada', email } })
const endpoint = async () => (await writer.call('POST /v1/webhooks', { body: { url } })).body.data

conforms('getTransactions', async () => {
  const { id } = (await customer('transactions@example.com')).body.data
  const route = await newRoute(writer, { customerId: id })
  for (const amount of ['1.5', '2.5']) await pay(writer, route.id, amount)
  await advance(writer, 5)
  await sync(writer, route.id)
  const { transactions } = await expectScope('GET /v1/transactions', 'api:read')
  descending(times(transactions))
  const ofCustomer = (await reader.call(`GET /v1/transactions?customerId=${id}`)).body.data
  expect([ofCustomer.total, ofCustomer.transactions.length]).toEqual([2, 2])
})

conforms('getCustomers', async () => {
  for (const email of ['a@example.com', 'b@example.com']) await customer(email)
  const { customers, total } = await expectScope('GET /v1/customers', 'api:read')
  expect(total).toBe(customers.length)
  descending(times(customers))
})

conforms('postCustomers', async () => {
  const body = { name: 'Ada Obi', email: 'created@example.com' }
  expect(await expectScope('POST /v1/customers', 'api:write', body)).toMatchObject(body)
})

conforms('getRoutes', async () => {
  for (const _ of [1, 2]) await newRoute(writer)
  const { paymentRoutes, total } = await expectScope('GET /v1/payment-routes', 'api:read')
  expect(total).toBe(paymentRoutes.length)
  descending(times(paymentRoutes))
})

conforms('postRoutes', async () => {
  const created = await writer.call('POST /v1/payment-routes', { body: newRouteBody() })
  expect([created.status, created.body.message]).toEqual([201, 'Payment route created'])
  await expectScope('POST /v1/payment-routes', 'api:write', newRouteBody())
})

conforms('getRoute', async () => {
  const route = await newRoute(writer)
  expect(await expectScope(`GET /v1/payment-routes/${route.id}`, 'api:read')).toEqual(route)
})

conforms('deleteRoute', async () => {
  const { id } = await newRoute(writer)
  expect(await expectScope(`DELETE /v1/payment-routes/${id}`, 'api:write')).toMatchObject({ id, status: 'deleted' })
})

conforms('syncDeposits', async () => {
  const { id } = await newRoute(writer)
  const counts = await expectScope(`POST /v1/payment-routes/${id}/deposits/sync`, 'api:write')
  expect(Object.keys(counts).sort()).toEqual(['created', 'synced', 'updated'])
})

conforms('getDeposits', async () => {
  const { id } = await newRoute(writer)
  for (const amount of ['1.5', '2.5']) await pay(writer, id, amount)
  await sync(writer, id)
  const { deposits } = await expectScope('GET /v1/payment-routes/deposits', 'api:read')
  expect(deposits.length).toBeGreaterThan(1)
  descending(times(deposits, 'relayUpdatedAt'))
})

conforms('getNotifications', async () => {
  expect(Array.isArray((await expectScope('GET /v1/notifications', 'api:read')).notifications)).toBe(true)
})

conforms('postWebhooks', async () => {
  expect((await expectScope('POST /v1/webhooks', 'api:write', { url })).secret).toMatch(/^whsec_/)
})

conforms('getWebhooks', async () => {
  const { id } = await endpoint()
  const { webhookEndpoints } = await expectScope('GET /v1/webhooks', 'api:read')
  expect(webhookEndpoints.map((each: { id: string }) => each.id)).toContain(id)
})

conforms('getWebhook', async () => {
  const { secret: _secret, ...shown } = await endpoint()
  expect(await expectScope(`GET /v1/webhooks/${shown.id}`, 'api:read')).toEqual(shown)
})

conforms('patchWebhook', async () => {
  const { id } = await endpoint()
  const patched = await expectScope(`PATCH /v1/webhooks/${id}`, 'api:write', { description: 'Changed' })
  expect(patched.description).toBe('Changed')
})

conforms('rotateSecret', async () => {
  const { id, secret } = await endpoint()
  const rotated = await expectScope(`POST /v1/webhooks/${id}/rotate-secret`, 'api:write')
  expect([rotated.secret.startsWith('whsec_'), rotated.secret === secret]).toEqual([true, false])
})

conforms('deleteWebhook', async () => {
  const { id } = await endpoint()
  await expectScope(`DELETE /v1/webhooks/${id}`, 'api:write')
  expect((await reader.call(`GET /v1/webhooks/${id}`)).body.data.status).toBe('revoked')
})

conforms('getDeliveries', async () => {
  const { id } = await endpoint()
  await writer.call(`POST /v1/webhooks/${id}/test`)
  expect((await expectScope(`GET /v1/webhooks/${id}/deliveries`, 'api:read')).total).toBe(1)
})

conforms('testWebhook', async () => {
  const { id } = await endpoint()
  expect((await expectScope(`POST /v1/webhooks/${id}/test`, 'api:write')).eventType).toBe('webhook.test')
})

conforms('eventTypes', async () => {
  const { eventTypes, total } = await expectScope('GET /v1/webhooks/event-types', 'api:read')
  expect(eventTypes.length).toBe(total)
})

conforms('sessionOnly', async () => {
  for (const line of [
    'GET /v1/auth/me',
    'GET /v1/api-keys',
    'POST /v1/api-keys',
    'GET /v1/admin/ops/organisations',
    'POST /v1/auth/logout',
  ]) {
    const { status, body } = await writer.call(line)
    expect([line, status, body.message]).toEqual([line, 403, 'Dashboard session required'])
  }
})

conforms('operatorsOnly', async () => {
  const { accessToken } = await signedIn(service.runtime, { organisationId: writer.organisationId, role: 'owner' })
  const { status, body } = await call(service, 'GET /v1/admin/ops/organisations', { token: accessToken })
  expect([status, body.message]).toEqual([403, 'Operator role required'])
})

conforms('prefix', async () => {
  for (const path of ['customers', 'payment-routes', 'transactions', 'webhooks'])
    expect([(await reader.call(`GET /${path}`)).status, (await reader.call(`GET /v1/${path}`)).status]).toEqual([
      404, 200,
    ])
})

conforms('breakingChanges', async () => {
  expect(breaking(releasedContract(), presentContract())).toEqual([])
})

conforms('interfaceVersion', async () => {
  expect((await call(service, 'GET /v1/openapi.json', { token: null })).body.info.version).toBe('1.0.0')
})

conforms('oneAddress', async () => {
  const live = await newMerchant(service, { environment: 'live', organisationId: writer.organisationId })
  await customer('one-address@example.com')
  expect((await live.call('GET /v1/customers')).body.data).toEqual({ customers: [], total: 0 })
})
