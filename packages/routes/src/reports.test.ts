import { bind, newId, system } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { type Merchant, newMerchant, newRoute, useService } from '#testing'
import { poll } from './deposits.ts'
import { RouteEntity } from './entity.ts'
import { type DepositQuery, type DepositReport, routesProvider } from './provider.ts'
import { applyReports } from './reports.ts'
import { sandboxRoutes } from './sandbox.ts'

// Before any connection is made, since each keeps the function that it sends with.
const queries = vi.spyOn(Client.prototype, 'query')

/** What the provider reports of whatever address it is asked about. */
let told: readonly DepositReport[] = []
const asked: DepositQuery[] = []
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      callsPerMinute: 60_000,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      createDepositAddress: (input) => sandboxRoutes(service.runtime.pool).createDepositAddress(input),
      async deposits(look) {
        asked.push(look)
        return { reports: told, calls: 1 }
      },
    }),
  ],
})

const report = (given: Partial<DepositReport> = {}): DepositReport => ({
  requestId: newId(),
  status: 'pending',
  origin: { networkKey: 'ethereum', currency: 'USDC' },
  originAmount: 1_000_000n,
  originAmountUsd: '1',
  destinationAmount: null,
  destinationAmountUsd: null,
  depositTxHash: newId(),
  failureReason: null,
  updatedAt: new Date(),
  ...given,
})
const completed = (given: Partial<DepositReport> = {}) =>
  report({ status: 'completed', destinationAmount: 1_000_000n, destinationAmountUsd: '1', ...given })

async function begin() {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const route = { id, organisationId: merchant.organisationId, environment: 'test' } as const
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const row = await context.em.findOneOrFail(RouteEntity, { id })
  return {
    id,
    merchant,
    poll: (runtime: Runtime = service.runtime) => poll(runtime, route),
    apply: (...reports: DepositReport[]) => unitOfWork(context, (unit) => applyReports(unit, row, reports)),
  }
}

const depositsOf = async (merchant: Merchant) => (await merchant.call('GET /v1/payment-routes/deposits')).body.data
const inOrder = async () => expect((await checkLedger(service.runtime)).findings).toEqual([])

test('a transaction under another request is the same deposit, in whatever order its reports come', async () => {
  const depositTxHash = newId()
  for (const together of [true, false]) {
    for (const turned of [true, false]) {
      const { merchant, apply } = await begin()
      const first = report({ depositTxHash })
      const second = completed({ depositTxHash })
      const order = turned ? [second, first] : [first, second]
      if (together) await apply(...order)
      else for (const one of order) await apply(one)
      expect(await depositsOf(merchant)).toMatchObject({ total: 1, deposits: [{ status: 'completed' }] })
      expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(1)
    }
  }
  await inOrder()
})

test('reports without a transaction are told apart by their request', async () => {
  const { merchant, apply } = await begin()
  const [one, other] = [completed({ depositTxHash: null }), completed({ depositTxHash: null })]
  expect(await apply(one, other)).toEqual({ synced: 2, created: 2, updated: 0 })
  expect(await apply(one, other)).toEqual({ synced: 2, created: 0, updated: 0 })
  expect((await depositsOf(merchant)).total).toBe(2)
})

test('a look that tells nothing new costs as many statements for a hundred deposits as for three', async () => {
  const { apply } = await begin()
  const all = Array.from({ length: 100 }, () => completed())
  await apply(...all)
  const statements = async (reports: DepositReport[]) => {
    const before = queries.mock.calls.length
    expect(await apply(...reports)).toMatchObject({ created: 0, updated: 0 })
    return queries.mock.calls.length - before
  }
  const few = await statements(all.slice(0, 3))
  expect(few).toBeGreaterThan(2)
  // The job queue sends a statement of its own now and then.
  expect(await statements(all)).toBeLessThan(few + 20)
})

test('a look with many deposits is booked in parts, the oldest first; what a part leaves out comes with the next look', async () => {
  const { merchant, poll } = await begin()
  const at = Date.now() - 10_000_000
  const all = Array.from({ length: 300 }, (_, index) => completed({ updatedAt: new Date(at + index * 10_000) }))
  const broken = all.map((one, index) => (index === 270 ? { ...one, originAmount: -1n } : one))
  told = broken.toSorted(() => Math.random() - 0.5)
  await expect(poll()).rejects.toThrow('origin_amount')
  const { total } = await depositsOf(merchant)
  expect(total).toBe(250)
  const { rows } = await service.runtime.pool.query<{ newest: Date | string }>(
    'select max(relay_updated_at) as newest from payment_route_deposits where organisation_id = $1',
    [merchant.organisationId],
  )
  expect(new Date(rows[0]?.newest ?? 0)).toEqual(all[249]?.updatedAt)
  told = all
  expect(await poll()).toEqual({ synced: 300, created: 50, updated: 0 })
  expect((await depositsOf(merchant)).total).toBe(300)
  await inOrder()
})

test('a merchant’s look with more deposits than one transaction takes is one reply, also when it is repeated', async () => {
  const { merchant, id } = await begin()
  told = Array.from({ length: 600 }, () => completed())
  const look = (key: string) => merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`, { key })
  const first = await look('look-1')
  expect([first.status, first.body.data]).toEqual([200, { synced: 600, created: 600, updated: 0 }])
  expect((await look('look-1')).body).toEqual(first.body)
  expect((await look('look-2')).body.data).toEqual({ synced: 600, created: 0, updated: 0 })
  expect((await depositsOf(merchant)).total).toBe(600)
  await inOrder()
})

test('a look asks for what changed since the newest that is known, and names what is on its way; now and then for everything', async () => {
  const { poll, id } = await begin()
  const pause = (seconds: number) =>
    service.runtime.pool.query('update payment_routes set poll_seconds = $2 where id = $1', [id, seconds])
  const at = new Date('2026-01-31T12:00:00.000Z')
  told = [completed({ updatedAt: at }), report({ requestId: 'on-its-way', updatedAt: new Date(at.getTime() + 1000) })]
  await poll()
  expect(asked.at(-1)).toMatchObject({ since: null, pendingRequests: [] })
  // A pause of nothing leaves nothing to chance.
  await pause(0)
  await poll()
  expect(asked.at(-1)).toMatchObject({ since: new Date('2026-01-31T11:00:01.000Z'), pendingRequests: ['on-its-way'] })
  await pause(86_400)
  await poll()
  expect(asked.at(-1)).toMatchObject({ since: null })
})
