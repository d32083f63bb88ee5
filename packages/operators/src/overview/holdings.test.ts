import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { fund, newMerchant, newOfframp, useService } from '#testing'
import { find, operator, ops } from '../../test/operators.ts'

const service = useService()

interface Holding {
  readonly group: string
  readonly environment: string | null
  readonly kind: string
  readonly status: string
  readonly count: number
  readonly amount: string | null
  readonly object: { readonly id: string; readonly name: string; readonly since: string | null } | null
}

/** A merchant with two open offramps, one that ended, one endpoint that fails and one that does not. */
async function trading() {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  for (const amount of ['25', '30.5']) await newOfframp(merchant, { amount })
  const { id } = await newOfframp(merchant, { amount: '40' })
  await fund(merchant, 'offramp', id)
  const grace = await operator(service)
  await ops(service, grace, `POST fiat/orders/${id}/sync`)
  const settled = await ops(service, grace, `POST fiat/orders/${id}/settle`, { outcome: 'delivered' })
  expect(settled.status, settled.text).toBe(200)
  const endpoints: { id: string }[] = []
  for (const path of ['well', 'failing']) {
    const body = { url: `https://${path}.test/hooks` }
    const reply = await merchant.call('POST /v1/webhooks', { body })
    expect(reply.status, reply.text).toBe(201)
    endpoints.push(reply.body.data)
  }
  await service.runtime.pool.query(
    "update webhook_queues set failing_since = now() - interval '2 hours' where endpoint_id = $1",
    [endpoints[1]?.id],
  )
  return { merchant, organisationId, failing: endpoints[1]?.id }
}

test('operators see the endpoints of an organisation, the failing first, its open transactions by kind and money, and what may act for it', async () => {
  const { organisationId, failing } = await trading()
  const grace = await operator(service)
  const other = await trading()
  const reply = await ops(service, grace, `GET organisations/${organisationId}/holdings`)
  expect(reply.status, reply.text).toBe(200)
  const holdings: Holding[] = reply.body.data.holdings
  const of = (group: string) => holdings.filter((each) => each.group === group)
  expect(of('endpoint').map(({ status, object }) => [status, object?.name])).toEqual([
    ['failing', 'https://failing.test/hooks'],
    ['enabled', 'https://well.test/hooks'],
  ])
  expect(of('endpoint')[0]?.object?.id).toBe(failing)
  expect(Date.now() - Date.parse(of('endpoint')[0]?.object?.since ?? '')).toBeGreaterThan(7_000_000)
  const open = of('open')
  expect(open).toMatchObject([
    { kind: 'offramp', environment: 'test', status: 'pending', count: 2, amount: '55.5 USDC' },
  ])
  expect(of('volume')).toMatchObject([{ kind: 'offramp', status: 'delivered', count: 1, amount: '40 USDC' }])
  expect(of('access')).toMatchObject([{ kind: 'api_key', environment: 'test', count: 1, amount: null }])
  expect(JSON.stringify(holdings)).not.toContain(other.failing)
  expect((await ops(service, grace, `GET organisations/${newId()}/holdings`)).status).toBe(404)
  expect((await other.merchant.call(`GET /v1/admin/ops/organisations/${organisationId}/holdings`)).status).toBe(403)
})

test('a suspension and its end show first what they touch, and change nothing of it', async () => {
  const { organisationId } = await trading()
  const grace = await operator(service)
  const before = (await ops(service, grace, `GET organisations/${organisationId}/holdings`)).body.data
  for (const command of ['suspend', 'reactivate']) {
    const input = { organisationId, reason: 'To see' }
    const { effects } = await find(service, grace, 'dry-runs', {
      command: `admin.organisations.${command}`,
      input,
    })
    const touched = effects.filter(({ kind }: { kind: string }) => kind === 'touched')
    const lines = touched.map(({ summary }: { summary: string }) => summary)
    expect(lines).toContain('test, webhook endpoint, failing: https://failing.test/hooks')
    expect(lines).toContain('test, API key, active: 1')
    expect(
      lines.some((line: string) => /^test, offramp, \w+: \d, [\d.]+ USDC$/.test(line)),
      lines.join(),
    ).toBe(true)
    await ops(service, grace, `POST organisations/${organisationId}/${command}`)
  }
  expect((await ops(service, grace, `GET organisations/${organisationId}/holdings`)).body.data).toEqual(before)
})
