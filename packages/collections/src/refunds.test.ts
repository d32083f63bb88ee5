import { randomBytes } from 'node:crypto'
import { bind, system } from '@payments/kernel'
import { trialBalance } from '@payments/ledger'
import { queryContext } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { inOrder } from '../test/sessions.ts'
import { attention, PAYER, tellingSandbox } from '../test/telling.ts'

const telling = tellingSandbox(() => service)
const service = useService({
  live: [bind(routesProvider, 'test', telling.provider)],
  settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})
const { begin } = telling
const net = { status: 'refunded', returnedAmount: 24_500_000n, returnSent: true } as const

async function suspense(organisationId: string): Promise<string | undefined> {
  const lines = await trialBalance(queryContext(service.runtime, system(organisationId, 'test')), organisationId)
  return lines.find(({ purpose }) => purpose === 'suspense')?.balance
}

const receiptOf = async ({ merchant }: Awaited<ReturnType<typeof begin>>) =>
  (await merchant.call('GET /v1/transactions')).body.data.transactions[0].receipt

test('what a refund brought is told and kept: in the session, its transaction, and the evidence', async () => {
  const world = await begin({}, { refundAddress: PAYER })
  expect(await world.tell(world.report(net))).toMatchObject({
    ...{ status: 'returned' },
    payments: [{ amount: '25', returnedAmount: '24.5', status: 'refunded' }],
  })
  expect((await receiptOf(world)).payments).toMatchObject([{ amount: '25', returned: '24.5' }])
  const { rows } = await service.runtime.pool.query(
    "select amounts->'refunded'->>'amount' as amount from provider_reports where organisation_id = $1 and reason is null",
    [world.merchant.organisationId],
  )
  expect(rows).toEqual([{ amount: '24500000' }])
  await inOrder(service)
})

test('of a refund that came back to the service, what came back is owed; an operator who passes it on says what arrived', async () => {
  const world = await begin()
  expect(await world.tell(world.report(net))).toMatchObject({ status: 'returned', refundTo: { owner: 'service' } })
  expect(await suspense(world.merchant.organisationId)).toBe('24500000')
  await inOrder(service)
  const tooMuch = await world.settle('refunded', { refundedAmount: '25.1' })
  expect([tooMuch.status, tooMuch.body.errors]).toEqual([422, { refundedAmount: 'Must be at most what was received' }])
  expect((await world.settle('refunded', { refundedAmount: '24.3', txHash: `0x${'ab'.repeat(32)}` })).status).toBe(200)
  expect(await world.shown()).toMatchObject({
    status: 'returned',
    payments: [{ returnedAmount: '24.3', settled: true }],
  })
  expect(await suspense(world.merchant.organisationId)).toBe('0')
  expect(await attention(service, world.merchant.organisationId)).toEqual([])
  await inOrder(service)
})

test('money that is delivered without the payer’s transaction is recorded by an operator, and is one payment, however its hash is spelled later', async () => {
  const world = await begin({ type: 'invoice' })
  const end = world.report({ status: 'completed', depositTxHash: null, destinationAmount: 24_900_000n })
  expect(await world.tell(end)).toMatchObject({ status: 'awaiting_payment', payments: [] })
  expect(await attention(service, world.merchant.organisationId)).toMatchObject([{ kind: 'provider_report' }])
  const digits = randomBytes(32).toString('hex')
  const given = { txHash: `0x${digits.toUpperCase()}`, amount: '24.9', receivedAmount: '25' }
  const settled = await world.settle('completed', given)
  expect(settled.status, settled.text).toBe(200)
  expect(await world.shown()).toMatchObject({
    ...{ status: 'paid', receivedAmount: '25', deliveredAmount: '24.9' },
    payments: [{ txHash: `0x${digits}`, settled: true }],
  })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1 })
  expect(await attention(service, world.merchant.organisationId)).toEqual([])
  // The provider reports it after all, in another spelling.
  expect((await world.tell({ ...end, depositTxHash: digits })).payments).toHaveLength(1)
  expect((await world.tell({ ...end, depositTxHash: `0X${digits.toUpperCase()}` })).payments).toHaveLength(1)
  await inOrder(service)
})

test('one operator alone does not book a large delivery for a small deposit: each asset has its limit', async () => {
  const world = await begin({ currency: 'EURC' }, { networkKey: 'ethereum', currency: 'USDC' })
  await world.tell(world.report({ originAmount: 1_000_000n }))
  const large = await world.settle('completed', { amount: '1000000', receivedAmount: '1' })
  expect([large.status, large.body.message]).toEqual([
    403,
    'Another operator must approve this: request it with POST /admin/ops/approvals',
  ])
  expect((await world.shown()).deliveredAmount).toBe('0')
})
