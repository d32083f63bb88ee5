import { afterEach, beforeAll, expect, test } from 'vitest'
import { call, newMerchant, newOfframp, useService } from '#testing'
import { find, operator, ops, TWO_OPERATORS } from '../../test/operators.ts'

const service = useService({ settings: TWO_OPERATORS })
let grace: Awaited<ReturnType<typeof operator>>
beforeAll(async () => {
  grace = await operator(service)
})
afterEach(() => service.runtime.pool.query('delete from provider_controls'))

const change = (provider: string, body: object) =>
  call(service, `PATCH /v1/admin/ops/providers/${provider}`, {
    ...{ token: grace.accessToken, key: null },
    body: { environment: 'test', reason: 'Asked for', ...body },
  })
const bound = async () => (await ops(service, grace, 'GET providers')).body.data.bound

test('an operator drains a provider: new orders are refused from then on, and its state and the audit log say so', async () => {
  const merchant = await newMerchant(service)
  await newOfframp(merchant)
  expect(await bound()).toContainEqual({
    ...{ port: 'fiat', provider: 'sandbox', environment: 'test', available: true },
    ...{ state: 'active', priority: null },
  })
  const { status, body } = await change('sandbox', { state: 'draining', priority: 3 })
  expect([status, body.data]).toEqual([
    200,
    { provider: 'sandbox', environment: 'test', state: 'draining', priority: 3 },
  ])
  expect(await bound()).toContainEqual(expect.objectContaining({ port: 'fiat', state: 'draining', priority: 3 }))
  await expect(newOfframp(merchant)).rejects.toThrow('503')
  const { entries } = await find(service, grace, 'audit-log', { operation: 'PATCH /admin/ops/providers/{provider}' })
  expect(entries[0]).toMatchObject({
    before: { state: 'active', priority: null },
    after: { state: 'draining', priority: 3 },
  })
})

test('what the input leaves out stays as it was decided before', async () => {
  await change('sandbox', { priority: 3 })
  expect((await change('sandbox', { state: 'off' })).body.data).toMatchObject({ state: 'off', priority: 3 })
  expect((await change('sandbox', { priority: null })).body.data).toMatchObject({ state: 'off', priority: null })
})

test('a provider that is not bound in the environment is refused', async () => {
  const { status, body } = await change('sandbox', { environment: 'live', state: 'off' })
  expect([status, body.message]).toEqual([404, 'No provider of this environment has this name'])
})
