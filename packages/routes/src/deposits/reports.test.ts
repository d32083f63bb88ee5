import { bind, newId, system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { call, expectConsistent, type Merchant, newMerchant, newRoute, signedIn, sized, useService } from '#testing'
import { RouteEntity } from '../entity.ts'
import { type DepositQuery, type DepositReport, routesProvider } from '../provider/provider.ts'
import { sandboxRoutes } from '../provider/sandbox.ts'
import { poll } from './deposits.ts'
import { applyReports } from './reports.ts'

// Before any connection is opened, since each keeps the function that it sends with.
const queries = vi.spyOn(Client.prototype, 'query')

/** What the provider reports for every address. */
let reported: readonly DepositReport[] = []
const polls: DepositQuery[] = []
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      createDepositAddress: (input) => sandboxRoutes(service.runtime.pool).createDepositAddress(input),
      async deposits(query) {
        polls.push(query)
        return { reports: reported, calls: 1 }
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
  providerReason: null,
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

test('a transaction under another request is the same deposit, in any order of its reports', async () => {
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
  await expectConsistent(service)
})

test('an end without the payer’s transaction is no deposit: operators are told, until the transaction makes it one, once', async () => {
  const { id, merchant, apply } = await begin()
  const listed = async () =>
    (
      await service.runtime.pool.query(
        'select reason from provider_reports where resource_id = $1 and settled_at is null',
        [id],
      )
    ).rows.map(({ reason }) => reason)
  const first = completed()
  // The same money under another request, and other money: nobody can tell which.
  const [again, other] = [completed({ depositTxHash: null }), completed({ depositTxHash: null })]
  const pending = report({ depositTxHash: null })
  expect(await apply(first, again, other, pending)).toEqual({ synced: 4, created: 1, updated: 0 })
  expect(await apply(again, other, pending)).toEqual({ synced: 3, created: 0, updated: 0 })
  expect((await listed()).sort()).toEqual(
    [again, other].map(({ requestId }) => `Ended without the payer’s transaction, request ${requestId}`).sort(),
  )
  await apply({ ...again, depositTxHash: first.depositTxHash }, { ...other, depositTxHash: newId() })
  expect((await depositsOf(merchant)).total).toBe(2)
  expect(await listed()).toEqual([])
  // A deposit that is known ends by its request, whatever its last report leaves out.
  const known = report()
  await apply(known)
  expect(await apply({ ...completed(), requestId: known.requestId, depositTxHash: null })).toMatchObject({ updated: 1 })
  await expectConsistent(service)
})

test('operators find a route whose reports cannot be applied, again after each failure, until they can', async () => {
  const { id, poll, merchant } = await begin()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const listed = async () => {
    const body = { kind: 'provider_report', organisationId: merchant.organisationId }
    const reply = await call(service, 'POST /v1/admin/ops/attention', { token, body })
    return reply.body.data.objects.map((object: { id: string; reason: string }) => [object.id, object.reason])
  }
  const [requestId, depositTxHash] = [newId(), newId()]
  for (const status of ['pending', 'completed'] as const) {
    const given = { requestId, depositTxHash, status, destinationAmount: status === 'completed' ? 1_000_000n : null }
    // No row can have this.
    reported = [report({ ...given, originAmount: -1n })]
    for (let time = 0; time < 2; time++) {
      await expect(poll()).rejects.toThrow()
      expect(await listed()).toEqual([[id, expect.stringContaining('could not be applied')]])
    }
    reported = [report(given)]
    await poll()
    expect(await listed()).toEqual([])
    expect(await depositsOf(merchant)).toMatchObject({ total: 1, deposits: [{ status }] })
  }
})

test.each(['a merchant', 'an operator'] as const)(
  'the sync of %s applies what can be applied, and a report that cannot be is for operators',
  async (who) => {
    const { id, merchant } = await begin()
    const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
    const sync = () =>
      who === 'a merchant'
        ? merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)
        : call(service, `POST /v1/admin/ops/payment-routes/${id}/deposits/sync`, {
            token,
            body: { reason: 'Asked for' },
          })
    const impossible = completed({ originAmount: -1n })
    reported = [completed(), impossible, completed()]
    const first = await sync()
    expect([first.status, first.body.data]).toEqual([200, { synced: 2, created: 2, updated: 0 }])
    const attention = await call(service, 'POST /v1/admin/ops/attention', {
      token,
      body: { kind: 'provider_report', organisationId: merchant.organisationId },
    })
    expect(attention.body.data.objects).toMatchObject([{ id, reason: expect.stringContaining('could not be applied') }])
    reported = [...reported.filter((one) => one !== impossible), { ...impossible, originAmount: 12_500_000n }]
    expect((await sync()).body.data).toEqual({ synced: 3, created: 1, updated: 0 })
    expect((await depositsOf(merchant)).total).toBe(3)
    await expectConsistent(service)
  },
)

test('the only deposit that an address can have needs no transaction: its request is it, and a transaction that comes later is its own', async () => {
  const { merchant, apply } = await begin()
  const only = report({ onlyDeposit: true, depositTxHash: null })
  expect(await apply(only)).toEqual({ synced: 1, created: 1, updated: 0 })
  expect(await apply(only, only)).toMatchObject({ created: 0, updated: 0 })
  const end = { ...completed({ onlyDeposit: true, depositTxHash: null }), requestId: only.requestId }
  expect(await apply(end)).toMatchObject({ created: 0, updated: 1 })
  await apply({ ...only, depositTxHash: newId() }, end)
  expect(await depositsOf(merchant)).toMatchObject({ total: 1, deposits: [{ status: 'completed' }] })
  await expectConsistent(service)
})

test.each(['pending', 'completed'] as const)(
  'a transaction that is named after its deposit was %s is on the deposit, its receipt and its event, and no later one takes its place',
  async (status) => {
    const { merchant, apply } = await begin()
    const told = (status === 'pending' ? report : completed)({ onlyDeposit: true, depositTxHash: null })
    await apply(told)
    const depositTxHash = newId()
    await apply({ ...told, depositTxHash })
    await apply({ ...told, depositTxHash: newId() })
    const [deposit] = (await depositsOf(merchant)).deposits
    expect(deposit).toMatchObject({ status, depositTxHash })
    expect((await merchant.call(`GET /v1/transactions/${deposit.id}`)).body.data).toMatchObject({
      receipt: { status, depositTxHash },
    })
    const { rows } = await service.runtime.pool.query(
      `select payload->'data'->>'depositTxHash' as hash, payload->'data'->>'status' as status from events where resource_id = $1 order by id`,
      [deposit.id],
    )
    expect(rows.at(-1)).toEqual({ hash: depositTxHash, status })
    await expectConsistent(service)
  },
)

test('a poll that reports nothing new costs as many statements for a hundred deposits as for three', async () => {
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
  // The job queue sends a statement of its own from time to time.
  expect(await statements(all)).toBeLessThan(few + 20)
})

test('a poll with many deposits is applied in parts, oldest first; one that cannot be applied takes nothing from the others, and the next poll applies it', async () => {
  const { merchant, poll } = await begin()
  const at = Date.now() - 10_000_000
  const all = Array.from({ length: 300 }, (_, index) => completed({ updatedAt: new Date(at + index * 10_000) }))
  const broken = all.map((one, index) => (index === 270 ? { ...one, originAmount: -1n } : one))
  reported = broken.toSorted(() => Math.random() - 0.5)
  await expect(poll()).rejects.toThrow('origin_amount')
  const { total } = await depositsOf(merchant)
  expect(total).toBe(299)
  const { rows } = await service.runtime.pool.query<{ newest: Date | string }>(
    'select max(relay_updated_at) as newest from payment_route_deposits where organisation_id = $1',
    [merchant.organisationId],
  )
  expect(new Date(rows[0]?.newest ?? 0)).toEqual(all[299]?.updatedAt)
  reported = all
  expect(await poll()).toEqual({ synced: 300, created: 1, updated: 0 })
  expect((await depositsOf(merchant)).total).toBe(300)
  await expectConsistent(service)
})

test('a merchant’s sync of more deposits than one transaction takes is one response, also when it is replayed', async () => {
  const { merchant, id } = await begin()
  const count = sized(600, 260)
  reported = Array.from({ length: count }, () => completed())
  const sync = (key: string) => merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`, { key })
  const first = await sync('sync-1')
  expect([first.status, first.body.data]).toEqual([200, { synced: count, created: count, updated: 0 }])
  expect((await sync('sync-1')).body).toEqual(first.body)
  expect((await sync('sync-2')).body.data).toEqual({ synced: count, created: 0, updated: 0 })
  expect((await depositsOf(merchant)).total).toBe(count)
  await expectConsistent(service)
})

test('a poll requests changes since the newest known one and names pending requests; one poll a day requests everything', async () => {
  const { poll, id } = await begin()
  const pause = (seconds: number) =>
    service.runtime.pool.query('update payment_route_polls set poll_seconds = $2 where id = $1', [id, seconds])
  const at = new Date('2026-01-31T12:00:00.000Z')
  reported = [completed({ updatedAt: at }), report({ requestId: 'pending', updatedAt: new Date(at.getTime() + 1000) })]
  await poll()
  expect(polls.at(-1)).toMatchObject({ since: null, pendingRequests: [] })
  // An interval of zero makes the random choice certain.
  await pause(0)
  await poll()
  expect(polls.at(-1)).toMatchObject({ since: new Date('2026-01-31T11:00:01.000Z'), pendingRequests: ['pending'] })
  await pause(86_400)
  await poll()
  expect(polls.at(-1)).toMatchObject({ since: null })
})

test('what a refund that came back to this service brought, told after the refund, is in the deposit, its receipt and the journal', async () => {
  const { merchant, apply } = await begin()
  const back = report({ status: 'refunded', failureReason: 'delivery_failed' })
  await apply(back)
  await apply({ ...back, returnedAmount: 990_000n, returnSent: true })
  const [deposit] = (await depositsOf(merchant)).deposits
  expect(deposit).toMatchObject({ status: 'refunded', refundedAmount: '0.99', refundTo: { owner: 'service' } })
  const { receipt } = (await merchant.call(`GET /v1/transactions/${deposit.id}`)).body.data
  expect(receipt).toMatchObject({ refundedAmount: '0.99', refundHeld: true })
  await expectConsistent(service)
})
