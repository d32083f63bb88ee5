import { expect, test } from 'vitest'
import { fund, type Merchant, newMerchant, newOfframp, useService } from '#testing'
import { find, operator, ops, TWO_OPERATORS } from '../test/operators.ts'

const service = useService({ settings: TWO_OPERATORS })

interface Shown {
  readonly id: string
  readonly condition: string
  readonly reason: string
}

/** Sets when the deposit arrived at the sandbox provider, which settles a few seconds later. */
const arrived = (id: string, at: string) =>
  service.runtime.pool.query(`update sandbox_fiat_orders set received_at = ${at} where reference = $1`, [id])

/** An offramp whose deposit has arrived, and which the provider does not settle before the drill says so. */
async function inFlight(merchant: Merchant, amount: string): Promise<string> {
  const { id } = await newOfframp(merchant, { amount })
  await fund(merchant, 'offramp', id)
  await arrived(id, 'now() + make_interval(mins => 5)')
  await service.runtime.pool.query(
    'update fiat_polls set next_poll_at = now() - make_interval(secs => 1) where id = $1',
    [id],
  )
  const status = async () => (await merchant.call(`GET /v1/offramps/${id}`)).body.data.status
  await expect.poll(status, { timeout: 20_000 }).toBe('processing')
  return id
}

// The page docs/operators/drill.md tells this story with the commands of the command line.
test('a drill: an outage leaves offramps unknown; operators find them, see why, settle them, and the audit log tells it', {
  timeout: 90_000,
}, async () => {
  await service.process.startWorker()
  const merchant = await newMerchant(service)
  const [grace, ada] = [await operator(service), await operator(service, 'second@example.com')]
  const offramps: string[] = []
  for (const amount of ['25', '30', '35', '2500']) offramps.push(await inFlight(merchant, amount))
  const [delivered = '', refunded = '', waiting = '', large = ''] = offramps

  // The provider stops answering.
  const outage = { provider: 'fiat', mode: 'down' }
  expect((await ops(service, grace, 'POST sandbox/faults', { ...outage, seconds: 3600 })).status).toBe(200)
  const filter = { kind: 'offramp', condition: 'unknown', organisationId: merchant.organisationId }
  const unknown = async (): Promise<Shown[]> => (await find(service, grace, 'attention', filter)).objects
  await service.runtime.pool.query('update fiat_polls set next_poll_at = now() - make_interval(secs => 1)')
  await expect
    .poll(async () => (await unknown()).map(({ id }) => id).sort(), { timeout: 20_000 })
    .toEqual(offramps.toSorted())
  expect(new Set((await unknown()).map(({ reason }) => reason))).toEqual(new Set(['fiat_provider_unavailable']))

  // The timeline alone says why, and the health of the providers agrees.
  await service.process.providerCalls.flush()
  const { entries } = (await ops(service, grace, `GET timeline/${delivered}`)).body.data
  expect(entries).toContainEqual(
    expect.objectContaining({
      kind: 'provider_call',
      summary: expect.stringMatching(/^sandbox fiat report failed \(fiat_provider_unavailable\)/),
    }),
  )
  const { providers } = (await ops(service, grace, 'GET providers')).body.data
  const report = providers.find((each: { operation: string }) => each.operation === 'report')
  expect(report).toMatchObject({ provider: 'sandbox fiat', environment: 'test', failed: expect.any(Number) })
  expect(report.failed).toBeGreaterThan(0)

  // The bank confirms one transfer by phone. A dry run says what settling it would do, and changes nothing.
  const command = 'admin.fiat.settle'
  const settled = { orderId: delivered, outcome: 'delivered', reason: 'Confirmed by the bank' }
  const tried = await find(service, grace, 'dry-runs', { command, input: settled })
  expect(tried.reply).toMatchObject({ status: 'delivered' })
  expect(tried.effects.map(({ summary }: { summary: string }) => summary)).toEqual(
    expect.arrayContaining([
      'offramp.updated: settled → delivered',
      expect.stringMatching(/^offramp delivered: \+[\d.]+ NGN on destination$/),
    ]),
  )
  const show = async (id: string) => (await merchant.call(`GET /v1/offramps/${id}`)).body.data
  expect((await show(delivered)).status).toBe('processing')
  const settle = (id: string, outcome: string, reason: string) =>
    ops(service, grace, `POST fiat/orders/${id}/settle`, { outcome, reason })
  expect((await settle(delivered, 'delivered', 'Confirmed by the bank')).body.data.status).toBe('delivered')
  expect((await settle(delivered, 'delivered', 'Once more')).status).toBe(409)
  expect((await settle(refunded, 'refunded', 'The provider sent it back')).status).toBe(200)
  expect(await show(refunded)).toMatchObject({ status: 'failed', refund: { status: 'completed' } })

  // Above the limit another operator must approve.
  const input = { orderId: large, outcome: 'delivered' }
  expect((await settle(large, 'delivered', 'Confirmed by the bank')).body.message).toMatch(/^Another operator/)
  const requested = await ops(service, grace, 'POST approvals', { command, input, reason: 'Confirmed in writing' })
  expect(requested.status, requested.text).toBe(201)
  const { id: approvalId } = requested.body.data
  expect((await ops(service, grace, `POST approvals/${approvalId}/approve`)).status).toBe(403)
  const approvals = await Promise.all([1, 2, 3].map(() => ops(service, ada, `POST approvals/${approvalId}/approve`)))
  expect(approvals.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect((await show(large)).status).toBe('delivered')

  // The outage ends: what is left is asked about again, and ends by itself.
  await arrived(waiting, 'now() - make_interval(mins => 5)')
  await ops(service, grace, 'POST sandbox/faults', { ...outage, seconds: 0 })
  expect((await unknown()).map(({ id }) => id)).toEqual([waiting])
  const rechecked = await ops(service, grace, 'POST attention/recheck', { ...filter, reason: 'The outage is over' })
  expect(rechecked.body.data, rechecked.text).toEqual({ count: 1 })
  await expect.poll(async () => (await show(waiting)).status, { timeout: 30_000 }).toBe('delivered')
  expect(await unknown()).toEqual([])

  // The audit log tells what was done to the organisation's objects, newest first.
  const log = await find(service, grace, 'audit-log', { organisationId: merchant.organisationId })
  const told = log.entries.map(
    (each: { email: string; reason: string; resourceId: string; requestedBy: string | null }) => [
      each.email,
      each.reason,
      each.resourceId,
      each.requestedBy,
    ],
  )
  expect(told).toEqual([
    [ada.email, 'Confirmed in writing', large, grace.userId],
    [grace.email, 'The provider sent it back', refunded, null],
    [grace.email, 'Confirmed by the bank', delivered, null],
  ])
  expect((await ops(service, grace, 'GET ledger/check')).body.data.findings).toEqual([])
})
