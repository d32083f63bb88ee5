import type { MemberRole } from '@payments/kernel'
import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, foundOrganisation, newMerchant, signedIn, useService } from '#testing'

const service = useService()

/** A member of the organisation, as the dashboard calls for them. */
async function member(organisationId: string, role: MemberRole = 'member', environment = 'test') {
  const { accessToken } = await signedIn(service.runtime, { organisationId, role })
  return (line: string, body?: object) =>
    call(service, line, {
      token: accessToken,
      key: null,
      headers: { 'x-service-environment': environment },
      ...(body ? { body } : {}),
    })
}
const view = (more: object = {}) => ({
  ...{ name: 'Failed', resource: 'transactions', filter: { statuses: ['failed'], text: 'ada@example.com' } },
  ...more,
})

test('a view is saved, listed by name, renamed and deleted by its user', async () => {
  const ada = await member(await foundOrganisation(service.runtime))
  const made = await ada('POST /v1/views', view())
  expect([made.status, made.body.data]).toMatchObject([201, { ...view(), shared: false, own: true }])
  await ada('POST /v1/views', view({ name: 'Big', filter: { amountFrom: '1000' } }))
  const list = await ada('GET /v1/views')
  expect([list.body.data.total, list.body.data.views.map(({ name }: { name: string }) => name)]).toEqual([
    2,
    ['Big', 'Failed'],
  ])
  const changed = await ada(`PATCH /v1/views/${made.body.data.id}`, { name: 'Returned', filter: { kinds: ['swap'] } })
  expect(changed.body.data).toMatchObject({ name: 'Returned', filter: { kinds: ['swap'] } })
  expect((await ada(`DELETE /v1/views/${made.body.data.id}`)).status).toBe(200)
  expect((await ada(`DELETE /v1/views/${made.body.data.id}`)).status).toBe(404)
  expect((await ada('GET /v1/views')).body.data.total).toBe(1)
})

test('a view is its user’s alone until it is shared, and a shared one is changed by its user and by owners', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const [ada, bola, owner] = [
    await member(organisationId),
    await member(organisationId, 'finance'),
    await member(organisationId, 'owner'),
  ]
  const { id } = (await ada('POST /v1/views', view())).body.data
  for (const other of [bola, owner]) {
    expect((await other('GET /v1/views')).body.data.total).toBe(0)
    expect((await other(`PATCH /v1/views/${id}`, { name: 'Mine' })).status).toBe(404)
  }
  await ada(`PATCH /v1/views/${id}`, { shared: true })
  expect((await bola('GET /v1/views')).body.data.views).toMatchObject([{ id, own: false, shared: true }])
  const refused = await bola(`DELETE /v1/views/${id}`)
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'Only who saved the view, or an owner of the organisation, may change it',
  ])
  expect((await owner(`PATCH /v1/views/${id}`, { name: 'Ours' })).body.data.name).toBe('Ours')
})

test('a view belongs to one organisation and one environment, and API keys have none', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const ada = await member(organisationId)
  const { id } = (await ada('POST /v1/views', view({ shared: true }))).body.data
  for (const other of [
    await member(await foundOrganisation(service.runtime)),
    await member(organisationId, 'owner', 'live'),
  ]) {
    expect((await other('GET /v1/views')).body.data.total).toBe(0)
    expect((await other(`DELETE /v1/views/${id}`)).status).toBe(404)
  }
  expect((await ada(`DELETE /v1/views/${newId()}`)).status).toBe(404)
  const { status, body } = await (await newMerchant(service, { organisationId })).call('GET /v1/views')
  expect([status, body.message]).toEqual([403, 'Dashboard session required'])
})

test('a filter that no search would take is refused with its field, and the hundredth view is the last', async () => {
  const ada = await member(await foundOrganisation(service.runtime))
  const wrong = await ada('POST /v1/views', view({ name: '', filter: { kinds: ['gift'], page: 2 } }))
  expect([wrong.status, Object.keys(wrong.body.errors).sort()]).toEqual([
    422,
    ['filter.kinds.0', 'filter.page', 'name'],
  ])
  const statuses = await Promise.all(
    Array.from({ length: 102 }, async () => (await ada('POST /v1/views', view())).status),
  )
  expect([
    statuses.filter((status) => status === 201).length,
    statuses.filter((status) => status === 409).length,
  ]).toEqual([100, 2])
})
