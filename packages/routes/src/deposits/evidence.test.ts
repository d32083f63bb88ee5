import { randomBytes } from 'node:crypto'
import { newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, expectConsistent, newMerchant, newRoute, signedIn, useService } from '#testing'
import { RouteEntity } from '../entity.ts'
import { type DepositReport, DISAGREES, type OddReport } from '../provider/provider.ts'
import { applyAll } from './deposits.ts'
import { applyReports } from './reports.ts'

const service = useService()

async function begin() {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const route = await context.em.findOneOrFail(RouteEntity, { id })
  const report = (given: Partial<DepositReport> = {}): DepositReport => ({
    requestId: newId(),
    status: 'completed',
    origin: { networkKey: route.originChainKey, currency: route.originCurrency },
    originAmount: 12_500_000n,
    originAmountUsd: '12.5',
    destinationAmount: 12_400_000n,
    destinationAmountUsd: '12.4',
    depositTxHash: `0x${randomBytes(32).toString('hex')}`,
    failureReason: null,
    providerReason: null,
    updatedAt: new Date(),
    ...given,
  })
  return {
    id,
    merchant,
    report,
    poll: (reports: readonly DepositReport[], odd: readonly OddReport[] = []) =>
      applyAll(context, route, { reports, odd, calls: 1 }),
    applied: (...reports: DepositReport[]) => unitOfWork(context, (unit) => applyReports(unit, route, reports)),
    deposits: async () => (await merchant.call('GET /v1/payment-routes/deposits')).body.data.deposits,
    async open(): Promise<string[]> {
      const { rows } = await service.runtime.pool.query<{ reason: string }>(
        'select reason from provider_reports where organisation_id = $1 and reason is not null and settled_at is null',
        [merchant.organisationId],
      )
      return rows.map(({ reason }) => reason)
    },
  }
}

test('an element that can be read again needs no operator any more, and another one still does', async () => {
  const world = await begin()
  const odd = (requestId: string) => ({ requestId, reason: 'Not readable at data.route', report: {} })
  await world.poll([], [odd('0x1'), odd('0x2')])
  expect((await world.open()).toSorted()).toEqual([
    'Not readable at data.route, request 0x1',
    'Not readable at data.route, request 0x2',
  ])
  await world.poll([world.report({ requestId: '0x1' })])
  expect(await world.open()).toEqual(['Not readable at data.route, request 0x2'])
})

test('an operator closes what cannot be read, with a reason that is kept', async () => {
  const world = await begin()
  await world.poll([], [{ requestId: null, reason: 'Not readable at the element', report: {} }])
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const line = `POST /v1/admin/ops/attention/${world.id}/close`
  expect((await call(service, line, { token, key: null, body: {} })).status).toBe(422)
  const closed = await call(service, line, { token, key: null, body: { reason: 'Asked the provider' } })
  expect([closed.status, closed.body.data.total]).toEqual([200, 1])
  expect(await world.open()).toEqual([])
  expect((await call(service, line, { token, key: null, body: { reason: 'Again' } })).status).toBe(404)
  const { rows } = await service.runtime.pool.query('select reason from audit_log where resource_id = $1', [world.id])
  expect(rows).toEqual([{ reason: 'Asked the provider' }])
})

test('amounts that disagree end nothing, need an operator at once, and an answer that agrees ends both', async () => {
  const world = await begin()
  const end = world.report()
  await world.applied({ ...end, status: 'pending', originAmount: null, contradiction: DISAGREES })
  expect(await world.deposits()).toMatchObject([{ status: 'pending', origin: { amount: null } }])
  expect(await world.open()).toEqual([DISAGREES])
  await world.applied(end)
  expect(await world.deposits()).toMatchObject([{ status: 'completed', origin: { amount: '12.5' } }])
  expect(await world.open()).toEqual([])
  await expectConsistent(service)
})

test('one transaction in several spellings is one deposit', async () => {
  const world = await begin()
  const digits = randomBytes(32).toString('hex')
  const spelled = [digits, digits.toUpperCase(), `0x${digits.toUpperCase()}`, `0X${digits}`, `0x${digits}`]
  for (const depositTxHash of spelled) await world.applied(world.report({ depositTxHash }))
  expect(await world.deposits()).toMatchObject([{ depositTxHash: `0x${digits}` }])
  await expectConsistent(service)
})

test('a report that cannot be applied takes nothing from the others, and operators are told', async () => {
  const world = await begin()
  const impossible = world.report({ originAmount: -1n })
  await expect(world.poll([world.report(), impossible, world.report()])).rejects.toThrow()
  expect(await world.deposits()).toHaveLength(2)
  const kept = `Not readable: it could not be applied, request ${impossible.requestId}`
  expect((await world.open()).toSorted()).toEqual([kept, 'The provider’s report could not be applied'])
  // Others that are applied later do not end it; it does.
  await world.poll([world.report()])
  expect(await world.open()).toEqual([kept])
  await world.poll([{ ...impossible, originAmount: 12_500_000n }])
  expect(await world.open()).toEqual([])
  await expectConsistent(service)
})

test('what an operator corrects of a deposit is told as that, with its dollars, and a refund by what arrived of it', async () => {
  const world = await begin()
  await world.applied(
    world.report({ status: 'refunded', destinationAmount: null, returnedAmount: 12_000_000n, returnSent: true }),
  )
  expect(await world.deposits()).toMatchObject([{ status: 'refunded', refundedAmount: '12' }])
  await expectConsistent(service)
})

test('what an operator knew when settling a deposit does not list it again, and another report does', async () => {
  const world = await begin()
  const failed = world.report({ status: 'failed', destinationAmount: null, destinationAmountUsd: null })
  await world.poll([failed])
  const [deposit] = await world.deposits()
  const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
  const settled = await call(service, `POST /v1/admin/ops/payment-routes/deposits/${deposit.id}/settle`, {
    body: { outcome: 'completed', amount: '12.4', evidence: 'Seen on chain', reason: 'Asked for' },
    token: accessToken,
    key: null,
  })
  expect(settled.status, settled.text).toBe(200)
  for (let times = 1; times <= 3; times++)
    await world.poll([{ ...failed, updatedAt: new Date(Date.now() + times * 60_000) }])
  const { rows } = await service.runtime.pool.query(
    'select reason from provider_reports where organisation_id = $1 and reason is not null',
    [world.merchant.organisationId],
  )
  expect(rows).toEqual([{ reason: 'Reported as failed after it was completed' }])
  expect(await world.open()).toEqual([])
  await world.poll([{ ...failed, status: 'refunded', updatedAt: new Date(Date.now() + 600_000) }])
  expect(await world.open()).toHaveLength(1)
  await expectConsistent(service)
})
