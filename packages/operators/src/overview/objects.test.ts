import { newId } from '@payments/kernel'
import { domainsOf } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, newCollection, newMerchant, newOfframp, newRoute, signedIn, startSession, useService } from '#testing'
import { find, operator, ops } from '../../test/operators.ts'
import { objectsOf } from './objects.ts'

const service = useService()

test('an object is shown to operators as its merchant reads it, with whose it is and the parameter of its commands, and to nobody else', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const email = `${newId()}@example.com`
  const customer = (await merchant.call('POST /v1/customers', { body: { name: '<b>Ada</b>', email } })).body.data
  const route = await newRoute(merchant)
  const offramp = await newOfframp(merchant, { amount: '25' })
  const link = await newCollection(merchant)
  const grace = await operator(service)
  const shown = async (id: string) => (await ops(service, grace, `GET objects/${id}`)).body.data
  const expected = [
    ['customer', customer.id, null, `customers/${customer.id}`],
    ['payment_route', route.id, 'paymentRouteId', `payment-routes/${route.id}`],
    ['offramp', offramp.id, 'orderId', `offramps/${offramp.id}`],
    ['collection', link.id, null, `collections/${link.id}`],
  ] as const
  for (const [kind, id, parameter, path] of expected) {
    const { object, commands, ...facts } = await shown(id.toUpperCase())
    expect(commands.length > 0).toBe(parameter !== null)
    expect(facts).toEqual({ kind, id, organisationId, environment: 'test', parameter })
    const { data } = (await merchant.call(`GET /v1/${path}`)).body
    for (const [name, value] of Object.entries(object)) expect([kind, name, value]).toEqual([kind, name, data[name]])
  }
  for (const id of [newId(), 'nothing']) expect((await ops(service, grace, `GET objects/${id}`)).status).toBe(404)
  expect((await merchant.call(`GET /v1/admin/ops/objects/${route.id}`)).status).toBe(403)
  expect((await call(service, `GET /v1/admin/ops/objects/${route.id}`, { key: null })).status).toBe(401)
})

test('an object is offered the commands that concern it, and no command of another object whose id has the same name', async () => {
  const merchant = await newMerchant(service)
  const grace = await operator(service)
  const shown = async (id: string): Promise<string[]> =>
    (await ops(service, grace, `GET objects/${id}`)).body.data.commands.sort()
  const link = await newCollection(merchant)
  const session = await startSession(service, link.id)
  expect(await shown(session.id)).toEqual(['admin.checkoutSessions.settle', 'admin.checkoutSessions.sync'])
  const key = (await ops(service, grace, `GET organisations/${merchant.organisationId}/api-keys`)).body.data.apiKeys[0]
  expect(await shown(key.id)).toEqual(['admin.organisations.revokeKey'])
})

test('every object that has a timeline of its own can be opened', () => {
  // These have the id of the order or customer that they are a part of.
  const parts = ['fiat_refunds', 'cngn_enablements']
  const tables = domainsOf(service.runtime).flatMap(({ data }) => [
    ...(data?.resources ?? []).map(({ table }) => table),
    ...(data?.timeline?.objects ?? []),
  ])
  const opened = objectsOf(service.runtime)
  const names = (values: readonly string[]) => [...new Set(values)].sort()
  expect(names(opened.map(({ table }) => table))).toEqual(names(tables.filter((table) => !parts.includes(table))))
})

test('a dry run says whose the object is, what it is and what it would be', async () => {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  const grace = await operator(service)
  const input = { paymentRouteId: route.id, reason: 'To see' }
  const tried = await find(service, grace, 'dry-runs', { command: 'admin.paymentRoutes.pause', input })
  expect(tried).toMatchObject({ organisationId: merchant.organisationId, environment: 'test' })
  expect(tried.before).toMatchObject({ status: 'active' })
  expect(tried.after).toMatchObject({ status: 'paused' })
})

test('an organisation is found by its id and by the address of a member', async () => {
  const { organisationId } = await newMerchant(service)
  const { email } = await signedIn(service.runtime, { organisationId, role: 'member' })
  const grace = await operator(service)
  const found = async (text: string): Promise<string[]> =>
    (await find(service, grace, 'organisations/search', { text })).organisations.map(({ id }: { id: string }) => id)
  for (const text of [organisationId, organisationId.toUpperCase(), email.toUpperCase()])
    expect([text, await found(text)]).toEqual([text, [organisationId]])
  expect(await found(newId())).toEqual([])
})
