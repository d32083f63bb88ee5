import { bind } from '@payments/kernel'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import { act, newCollection, newMerchant, useService } from '#testing'
import { inOrder } from '../test/sessions.ts'
import { notices, tellingSandbox } from '../test/telling.ts'

const telling = tellingSandbox(() => service)
const service = useService({
  live: [bind(routesProvider, 'test', telling.provider)],
  settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})
const { begin, sessionOf } = telling

const transaction = async (world: Awaited<ReturnType<typeof begin>>) =>
  (await world.merchant.call('GET /v1/transactions')).body.data.transactions[0]
const start = (id: string) => act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })

test.each([
  ['refunded', 'returned'],
  ['not_received', 'failed'],
])('a paid invoice whose payment turns out to be %s is open again, and its session is %s', async (outcome, status) => {
  const world = await begin({ type: 'invoice' })
  const whole = world.report({ status: 'completed', originAmountUsd: '24.9' })
  expect(await world.tell(whole)).toMatchObject({ status: 'paid' })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1, receivedAmount: '25' })
  expect((await start(world.collection.id)).status).toBe(409)
  const settled = await world.settle(outcome)
  expect(settled.status, settled.text).toBe(200)
  expect(await world.shown()).toMatchObject({
    status,
    receivedAmount: '0',
    deliveredAmount: '0',
    paidAt: null,
    paidOver: false,
  })
  expect(await world.parent()).toMatchObject({ status: 'open', paymentsCount: 0, receivedAmount: '0' })
  expect((await world.changes()).slice(-1)).toEqual([`session paid>${status}`])
  expect(await transaction(world)).toMatchObject({ status, amount: '0 USDC', amountUsd: '0' })
  const [notice] = await notices(world.merchant)
  expect(notice).toMatchObject({
    title: 'Payment corrected: Consulting in January (INV-000001)',
    body: expect.stringContaining('A payment of 25 USDC for'),
  })
  expect(notice?.body).toContain('is now recorded as')
  expect((await start(world.collection.id)).status).toBe(200)
  await inOrder(service)
})

test('an underpaid session whose payment is corrected to the whole is paid, with its invoice', async () => {
  const world = await begin({ type: 'invoice' })
  const part = world.report({ status: 'completed', originAmount: 10_000_000n, originAmountUsd: '10' })
  expect(await world.tell(part)).toMatchObject({ status: 'underpaid' })
  expect((await world.settle('completed', { amount: '24.9', receivedAmount: '25' })).status).toBe(200)
  expect(await world.shown()).toMatchObject({
    ...{ status: 'paid', receivedAmount: '25', deliveredAmount: '24.9', remainingAmount: '0' },
  })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1, receivedAmount: '25' })
  expect((await world.changes()).slice(-1)).toEqual(['session underpaid>paid'])
  expect(await transaction(world)).toMatchObject({ status: 'paid', amount: '25 USDC', amountUsd: '25' })
  expect(await notices(world.merchant)).toMatchObject([
    { title: 'Paid: Consulting in January (INV-000001)', body: expect.stringContaining('25 USDC') },
  ])
  await inOrder(service)
})

test('a paid session that is corrected to a part is underpaid while its time lasts, and expired after it', async () => {
  const world = await begin()
  await world.tell(world.report({ status: 'completed' }))
  expect((await world.settle('completed', { amount: '10', receivedAmount: '10' })).status).toBe(200)
  expect(await world.shown()).toMatchObject({ status: 'underpaid', receivedAmount: '10', remainingAmount: '15' })
  const late = await begin()
  await late.wait(20)
  await late.tell(late.report({ status: 'completed' }))
  expect(await late.shown()).toMatchObject({ status: 'paid', paidLate: true })
  expect((await late.settle('completed', { amount: '10', receivedAmount: '10' })).status).toBe(200)
  expect(await late.shown()).toMatchObject({ status: 'expired', receivedAmount: '10' })
  await inOrder(service)
})

test('a correction of a payment says so in event and timeline, and a correction back pays again', async () => {
  const world = await begin({ type: 'checkout' })
  await world.tell(world.report({ status: 'completed' }))
  await world.settle('not_received')
  await world.settle('completed', { amount: '25', receivedAmount: '25' })
  expect(await world.shown()).toMatchObject({ status: 'paid', receivedAmount: '25', failureReason: null })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1 })
  const { rows } = await service.runtime.pool.query(
    "select count(*)::int as count from events where resource_id = $1 and (payload #>> '{data,correction}')::boolean",
    [world.session.id],
  )
  expect(rows).toEqual([{ count: 1 }])
  const { entries } = (await world.merchant.call(`GET /v1/timeline/${world.session.id}`)).body.data
  expect(entries.map(({ summary }: { summary: string }) => summary)).toContain(
    'paid → failed, corrected by an operator',
  )
  await inOrder(service)
})

test('a link that was full is active again once a correction takes a payment back, and one that was deleted is not', async () => {
  const full = await begin({ maxPayments: 1 })
  await full.tell(full.report({ status: 'completed' }))
  expect(await full.parent()).toMatchObject({ status: 'inactive', paymentsCount: 1 })
  await full.settle('refunded')
  expect(await full.parent()).toMatchObject({ status: 'active', paymentsCount: 0 })
  const deleted = await begin({ maxPayments: 1 })
  await deleted.merchant.call(`DELETE /v1/collections/${deleted.collection.id}`)
  await deleted.tell(deleted.report({ status: 'completed' }))
  await deleted.settle('refunded')
  expect(await deleted.parent()).toMatchObject({ status: 'inactive', paymentsCount: 0 })
  await inOrder(service)
})

test('two sessions that both pay an invoice are told as paid twice, until a correction takes the first one back', async () => {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, { type: 'invoice' })
  const [first, second] = [
    await sessionOf(merchant, collection),
    await sessionOf(merchant, collection, { payerEmail: 'other@example.com' }),
  ]
  const [one, other] = [first.report(), second.report()]
  await first.tell(one)
  await second.tell(other)
  expect(await first.tell({ ...one, status: 'completed', destinationAmount: 25_000_000n })).toMatchObject({
    ...{ status: 'paid', paidOver: false, paidTwice: false },
  })
  expect(await second.tell({ ...other, status: 'completed', destinationAmount: 25_000_000n })).toMatchObject({
    ...{ status: 'paid', paidOver: true, paidTwice: true, receivedAmount: '25' },
  })
  expect(await first.parent()).toMatchObject({ status: 'paid', paymentsCount: 2, receivedAmount: '50' })
  const [notice] = await notices(merchant)
  expect(notice).toMatchObject({
    title: 'Paid twice: Consulting in January (INV-000001)',
    body: expect.stringContaining('25 USDC'),
  })
  await first.settle('refunded')
  expect(await first.parent()).toMatchObject({ status: 'paid', paymentsCount: 1, receivedAmount: '25' })
  expect(await second.shown()).toMatchObject({ status: 'paid', paidOver: false, paidTwice: false })
  await inOrder(service)
})

test('an overdue invoice whose due time is moved ahead is open again', async () => {
  const dueAt = new Date(Date.now() + 60_000).toISOString()
  const world = await begin({ type: 'invoice', dueAt })
  await world.wait(5)
  expect(await world.parent()).toMatchObject({ status: 'overdue' })
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await world.merchant.call(`PATCH /v1/collections/${world.collection.id}`, { body: { dueAt: later } })
  expect(body.data).toMatchObject({ status: 'open', dueAt: later })
  const { rows } = await service.runtime.pool.query(
    "select payload #>> '{data,previousStatus}' as before from events where resource_id = $1 order by created_at desc limit 1",
    [world.collection.id],
  )
  expect(rows).toEqual([{ before: 'overdue' }])
})

test('dollars stand beside no other amount than their own: of an excess that went back, and after a settlement', async () => {
  const world = await begin(
    { paymentPolicy: { mismatch: 'return' } },
    { refundAddress: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' },
  )
  await world.tell(
    world.report({
      ...{ status: 'completed', originAmount: 40_000_000n, originAmountUsd: '40', destinationAmount: 25_000_000n },
      ...{ returnedAmount: 15_000_000n, returnSent: true },
    }),
  )
  expect(await transaction(world)).toMatchObject({
    ...{ amount: '25 USDC', amountUsd: '25' },
    receipt: { origin: { amount: '25', amountUsd: '25' } },
  })
  await inOrder(service)
})

test('a paid session has nothing missing and nothing to pay', async () => {
  const world = await begin()
  const paid = await world.tell(world.report({ status: 'completed', originAmount: 24_900_000n }))
  expect(paid).toMatchObject({
    status: 'paid',
    receivedAmount: '24.9',
    remainingAmount: '0',
    fiatValue: null,
    paymentUri: '',
  })
})

test.each([
  [
    'in another currency beside it',
    { currency: 'USDT', networkKey: 'ethereum' },
    '7 USDT',
    '7 USDT for Consulting in January that was not asked for',
  ],
  [
    'of the same kind',
    { currency: 'USDC', networkKey: 'ethereum' },
    '7 USDC',
    'Overpaid by 7 USDC: Consulting in January',
  ],
])('what a merchant is told of a further payment %s is that payment', async (_name, origin, text, title) => {
  const world = await begin()
  const whole = world.report({ status: 'completed' })
  await world.tell(whole)
  await world.tell(
    whole,
    world.report({ status: 'completed', origin, originAmount: 7_000_000n, destinationAmount: 7_000_000n }),
  )
  const [notice] = await notices(world.merchant)
  expect(notice).toMatchObject({ title, body: expect.stringContaining(text) })
})

test('a payment that was reorganised away is not told as stuck with the provider', async () => {
  const world = await begin()
  await world.tell(world.report({ status: 'failed', failureReason: 'deposit_not_confirmed' }))
  const [notice] = await notices(world.merchant)
  expect(notice).toMatchObject({
    title: '25 USDC for Consulting in January was not confirmed',
    body: expect.stringContaining('so nothing was received'),
  })
  expect(notice?.body).not.toContain('hold')
})

test.each(['completed', 'refunded'] as const)(
  'the only deposit of an address, which an operator has recorded as %s, is not counted again when its provider tells it',
  async (outcome) => {
    const world = await begin({ type: 'invoice' })
    const txHash = `0x${'ab'.repeat(32)}`
    const amounts = { receivedAmount: '25', ...(outcome === 'completed' ? { amount: '25' } : {}) }
    expect((await world.settle(outcome, { txHash, ...amounts })).status).toBe(200)
    const { receivedAmount } = await world.shown()
    const after = await world.tell(world.report({ status: outcome, onlyDeposit: true, depositTxHash: null }))
    expect(after).toMatchObject({ receivedAmount, paidOver: false, payments: [{ txHash }] })
    expect(after.payments).toHaveLength(1)
    await inOrder(service)
  },
)
