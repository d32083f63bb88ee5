import { bind, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { type DepositReport, routesProvider } from '@payments/routes'
import { describe, expect, test } from 'vitest'
import { act, call, endingsContract, payPageOf, type Stage, signedIn, startSession, useService } from '#testing'
import { getSession, inOrder } from '../test/sessions.ts'
import { attention as attentionOf, PAYER, tellingSandbox, usdc } from '../test/telling.ts'
import { operators } from './operators/operators.ts'
import { receiver } from './sessions/payments/apply.ts'

const telling = tellingSandbox(() => service)
const service = useService({
  live: [bind(routesProvider, 'test', telling.provider)],
  settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})
const { begin } = telling
const attention = (organisationId: string) => attentionOf(service, organisationId)

test('an invoice of 25 of which a pending report says 25 and the end says 10 is not paid', async () => {
  const { report, tell } = await begin({ type: 'invoice' })
  const pending = report()
  expect(await tell(pending)).toMatchObject({ status: 'processing' })
  const end = { ...pending, status: 'completed', originAmount: 10_000_000n, destinationAmount: 9_900_000n } as const
  expect(await tell(end)).toMatchObject({
    status: 'underpaid',
    receivedAmount: '10',
    deliveredAmount: '9.9',
    remainingAmount: '15',
  })
  await inOrder(service)
})

test('a payment of less than the quote with its buffer, which the provider fills in whole, pays a session that sends other amounts back', async () => {
  const ether = { networkKey: 'ethereum', currency: 'ETH' }
  const strict = () => begin({ paymentPolicy: { mismatch: 'return' } }, { ...ether, refundAddress: PAYER })
  const filled = { status: 'completed', origin: ether, destinationAmount: 25_000_000n } as const
  const less = await strict()
  expect(less.session.amount).toBe('0.01')
  expect(await less.tell(less.report({ ...filled, originAmount: 9_960_000_000_000_000n }))).toMatchObject({
    status: 'paid',
    receivedAmount: '0.00996',
    deliveredAmount: '25',
    fees: '0',
    paidOver: false,
  })
  const short = await strict()
  const part = short.report({ ...filled, originAmount: 9_960_000_000_000_000n, destinationAmount: 24_900_000n })
  expect(await short.tell(part)).toMatchObject({ status: 'underpaid' })
  await inOrder(service)
})

test('what a provider did not need of a payment and sent back was not received, also after an operator has confirmed it', async () => {
  const ether = { networkKey: 'ethereum', currency: 'ETH' }
  const { session, report, tell, merchant } = await begin(
    { paymentPolicy: { mismatch: 'return' } },
    { ...ether, refundAddress: PAYER },
  )
  const whole = report({
    ...{ status: 'completed', origin: ether, originAmount: 10_000_000_000_000_000n },
    ...{ destinationAmount: 25_000_000n, returnedAmount: 40_000_000_000_000n },
  })
  const paid = { status: 'paid', receivedAmount: '0.00996', payments: [{ amount: '0.01', returnedAmount: '0.00004' }] }
  expect(await tell(whole)).toMatchObject(paid)
  const { rows } = await service.runtime.pool.query('select route_id, payments from checkout_sessions where id = $1', [
    session.id,
  ])
  const [{ route_id: routeId, payments }] = rows
  await unitOfWork(queryContext(service.runtime, system(merchant.organisationId, 'test')), (unit) =>
    receiver.apply(unit, routeId, [
      {
        ...{ id: payments[0].id, status: 'completed', origin: ether, originAmount: 10_000_000_000_000_000n },
        ...{ originAmountUsd: null, destinationAmount: 25_000_000n, destinationAmountUsd: null, txHash: null },
        ...{
          returnedAmount: null,
          returnFailed: false,
          failureReason: null,
          refundTo: null,
          settled: true,
          receivedAt: new Date(),
        },
      },
    ]),
  )
  expect(await getSession(merchant, session.id)).toMatchObject(paid)
  await inOrder(service)
})

test('what arrived of an excess replaces what was expected to, once: the fee of its refund is in the fees, and nobody is told of a payment', async () => {
  const { session, report, tell, merchant, changes } = await begin(
    { paymentPolicy: { mismatch: 'return' } },
    { refundAddress: PAYER },
  )
  const returning = (returnedAmount: bigint | null, returnSent: boolean): DepositReport => ({
    ...{ ...whole, updatedAt: new Date(), returnedAmount, returnSent },
  })
  const whole = report({ status: 'completed', originAmount: 26_000_000n, destinationAmount: 24_900_000n })
  const expected = { status: 'paid', receivedAmount: '25', fees: '0.1', payments: [{ returnedAmount: '1' }] }
  expect(await tell(returning(1_000_000n, false))).toMatchObject({ ...expected, paidOver: false })
  const sent = {
    ...{ status: 'paid', receivedAmount: '25.001', deliveredAmount: '24.9', fees: '0.101', paidOver: false },
    payments: [{ amount: '26', returnedAmount: '0.999' }],
  }
  const before = await changes()
  expect(await tell(returning(999_000n, true))).toMatchObject(sent)
  // Later answers may leave the refund out, or come from before it.
  for (const [amount, isSent] of [
    [1_000_000n, false],
    [null, false],
    [999_000n, true],
  ] as const)
    expect(await tell(returning(amount, isSent))).toMatchObject(sent)
  expect(await changes()).toEqual(before)
  const { body } = await merchant.call('GET /v1/notifications')
  expect(body.data.notifications.map(({ title }: { title: string }) => title)).toEqual(['Paid: Consulting in January'])
  expect(await attention(merchant.organisationId)).toEqual([])
  expect(await tell(returning(500_000n, true))).toMatchObject(sent)
  expect(await attention(merchant.organisationId)).toMatchObject([{ condition: 'failed' }])
  expect((await merchant.call(`GET /v1/collections/${session.id}`)).body.data).toMatchObject(sent)
  await inOrder(service)
})

test.each([
  ['expected', false],
  ['sent', true],
])(
  'more than was paid cannot go back: such an amount counts as not reported, whether it is %s',
  async (_name, returnSent) => {
    const { report, tell } = await begin({ paymentPolicy: { mismatch: 'return' } }, { refundAddress: PAYER })
    const whole = report({ status: 'completed', originAmount: 26_000_000n, destinationAmount: 24_900_000n })
    for (const returnedAmount of [26_000_001n, 26_000_001n])
      expect(await tell({ ...whole, returnedAmount, returnSent })).toMatchObject({
        ...{ status: 'paid', receivedAmount: '25', deliveredAmount: '24.9', fees: '0.1' },
        payments: [{ amount: '26', returnedAmount: '1' }],
      })
    await inOrder(service)
  },
)

test.each(['keep', 'return'])(
  'a completed payment that delivers nothing pays no session that would %s another amount: it waits for what was delivered',
  async (mismatch) => {
    const refund = mismatch === 'return' ? { refundAddress: PAYER } : {}
    const { report, tell } = await begin({ paymentPolicy: { mismatch } }, refund)
    const nothing = report({ status: 'completed', destinationAmount: 0n })
    expect(await tell(nothing)).toMatchObject({ status: 'processing', payments: [{ amount: '25', status: 'pending' }] })
    expect(await tell({ ...nothing, destinationAmount: 24_900_000n })).toMatchObject({
      ...{ status: 'paid', receivedAmount: '25', deliveredAmount: '24.9', fees: '0.1' },
    })
    await inOrder(service)
  },
)

test('a payment beside one of which the excess went back is too much', async () => {
  const { report, tell } = await begin({ paymentPolicy: { mismatch: 'return' } }, { refundAddress: PAYER })
  const first = report({
    ...{ status: 'completed', originAmount: 26_000_000n, destinationAmount: 24_900_000n },
    ...{ returnedAmount: 999_000n, returnSent: true },
  })
  expect(await tell(first)).toMatchObject({ status: 'paid', receivedAmount: '25.001', paidOver: false })
  const second = report({ status: 'completed', originAmount: 1_000_000n, destinationAmount: 990_000n })
  expect(await tell(first, second)).toMatchObject({ status: 'paid', receivedAmount: '26.001', paidOver: true })
  await inOrder(service)
})

test('what a pending report does not tell is not taken for nothing', async () => {
  const { report, tell } = await begin()
  const pending = report({ originAmount: null })
  expect(await tell(pending)).toMatchObject({ status: 'processing', payments: [{ amount: '0', status: 'pending' }] })
  expect(await tell({ ...pending, status: 'completed', originAmount: null })).toMatchObject({ status: 'processing' })
  const end = { ...pending, status: 'completed', originAmount: 25_000_000n, destinationAmount: 25_000_000n } as const
  expect(await tell(end)).toMatchObject({ status: 'paid', receivedAmount: '25' })
  await inOrder(service)
})

test('a token that this service does not know and that was delivered was not sent back: the whole amount is left to pay', async () => {
  const { report, tell } = await begin()
  const pending = report({ originAmount: null })
  await tell(pending)
  const origin = { networkKey: 'ethereum', currency: '0x6B175474E89094C44Da98b954EedeAC495271d0F' }
  const end = { ...pending, origin, status: 'completed', originAmount: 0n, destinationAmount: 24_000_000n } as const
  expect(await tell(end)).toMatchObject({
    status: 'underpaid',
    receivedAmount: '0',
    remainingAmount: '25',
    deliveredAmount: '24',
    payments: [{ currency: origin.currency, networkKey: 'ethereum', amount: '0', status: 'completed' }],
  })
  expect(await tell(end, report({ status: 'completed' }))).toMatchObject({ status: 'paid', receivedAmount: '25' })
  await inOrder(service)
})

test.each([
  ['refunded', 'returned'],
  ['failed', 'failed'],
])(
  'a first payment that is %s ends no session: while its time lasts the full payment pays it',
  async (outcome, status) => {
    const { merchant, collection, pay, changes } = await begin({ type: 'invoice' })
    expect(await pay({ amount: '1', outcome })).toMatchObject({ status })
    expect(await pay({ amount: '25' })).toMatchObject({ status: 'paid', receivedAmount: '25', failureReason: null })
    expect(await getSession(merchant, collection.id)).toMatchObject({ status: 'paid', paymentsCount: 1 })
    expect(await changes()).toEqual([
      'session awaiting_payment>processing',
      `session processing>${status}`,
      `session ${status}>processing`,
      'session processing>paid',
    ])
    await inOrder(service)
  },
)

test('a returned session can be paid within its grace time, and not after it', async () => {
  const late = await begin()
  await late.pay({ outcome: 'refunded' })
  await late.wait(50)
  expect(await late.pay({ amount: '25' })).toMatchObject({ status: 'paid', paidLate: true })
  const over = await begin()
  await over.pay({ outcome: 'refunded' })
  await over.wait(80)
  expect(await over.pay({ amount: '25' })).toMatchObject({ status: 'returned', deliveredAmount: '25' })
  await inOrder(service)
})

test('a session is returned only if every payment that counts was', async () => {
  const { report, tell } = await begin()
  const [one, other] = [report(), report()]
  await tell(one, other)
  expect(await tell({ ...one, status: 'refunded' }, other)).toMatchObject({ status: 'processing' })
  expect(
    await tell({ ...one, status: 'refunded' }, { ...other, status: 'failed', failureReason: 'no_liquidity' }),
  ).toMatchObject({
    status: 'failed',
    failureReason: 'no_liquidity',
  })
  await inOrder(service)
})

test('a payment that was reorganised out and mined again pays its session, once', async () => {
  const { merchant, report, tell, changes } = await begin()
  const failed = report({ status: 'failed', failureReason: 'deposit_not_confirmed' })
  expect(await tell(failed)).toMatchObject({ status: 'failed', failureReason: 'deposit_not_confirmed' })
  const again = report({ depositTxHash: failed.depositTxHash, status: 'completed' })
  expect(await tell(failed, again)).toMatchObject({
    status: 'paid',
    failureReason: null,
    payments: [{ status: 'completed' }],
  })
  expect(await changes()).toEqual([
    'session awaiting_payment>processing',
    'session processing>failed',
    'session failed>processing',
    'session processing>paid',
  ])
  expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(1)
  expect(await attention(merchant.organisationId)).toEqual([])
  await inOrder(service)
})

test('a payment that the provider held and then sent back ends its session as returned', async () => {
  const { report, tell } = await begin({}, { refundAddress: PAYER })
  const held = report({ status: 'failed', failureReason: 'provider_blocked' })
  expect(await tell(held)).toMatchObject({ status: 'failed', failureReason: 'provider_blocked' })
  expect(await tell({ ...held, status: 'refunded' })).toMatchObject({
    status: 'returned',
    failureReason: null,
    refundTo: { address: PAYER, owner: 'payer' },
  })
  await inOrder(service)
})

test('a report that no path of the states reaches is kept with the session for operators', async () => {
  const { merchant, session, report, tell } = await begin({}, { refundAddress: PAYER })
  const end = report({ status: 'completed' })
  await tell(end)
  expect(await tell({ ...end, status: 'refunded' })).toMatchObject({ status: 'paid', receivedAmount: '25' })
  expect(await attention(merchant.organisationId)).toMatchObject([{ condition: 'failed' }])
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const { body } = await call(service, `GET /v1/admin/ops/timeline/${session.id}`, { token })
  expect(body.data.entries.map(({ summary }: { summary: string }) => summary)).toContain(
    'Reported as refunded after it was completed',
  )
})

test('session, page and notification say to whom a payment was sent back; what came back to the service is owed', async () => {
  const payer = await begin({}, { refundAddress: PAYER })
  expect(await payer.pay({ outcome: 'refunded' })).toMatchObject({ refundTo: { address: PAYER, owner: 'payer' } })
  const notice = async ({ merchant }: { merchant: typeof payer.merchant }) =>
    (await merchant.call('GET /v1/notifications')).body.data.notifications[0].body
  expect(await notice(payer)).toContain(`was sent back to the payer, at ${PAYER}.`)
  const nobody = await begin()
  const returned = await nobody.pay({ outcome: 'refunded' })
  expect(returned).toMatchObject({ status: 'returned', refundTo: { owner: 'service' } })
  expect((await payPageOf(service, nobody.session.id)).session.refundTo).toEqual(returned.refundTo)
  expect(await notice(nobody)).toContain('and we send it on. You need not do anything.')
  expect(await attention(nobody.merchant.organisationId)).toMatchObject([{ id: nobody.session.id, condition: 'held' }])
  const merchant = await begin()
  const { body } = await merchant.merchant.call('PATCH /v1/payment-routes/refund-addresses', { body: { evm: PAYER } })
  expect(body.data.organisation.evm).toBe(PAYER)
  const second = await startSession(service, merchant.collection.id)
  expect(await getSession(merchant.merchant, second.id)).toMatchObject({
    refundTo: { address: PAYER, owner: 'organisation' },
  })
  await inOrder(service)
})

test('an address is watched no longer than a payment can change its session', async () => {
  const watched = async (id: string) => {
    const { rows } = await service.runtime.pool.query(
      `select r.watched_until > now() as watched, r.poll_seconds as seconds from payment_route_polls r
         join checkout_sessions s on s.route_id = r.id where s.id = $1`,
      [id],
    )
    return rows[0]
  }
  const paid = await begin()
  expect(await watched(paid.session.id)).toMatchObject({ watched: true })
  await paid.pay()
  expect(await watched(paid.session.id)).toMatchObject({ watched: false })
  expect((await watched(paid.session.id)).seconds).toBeGreaterThanOrEqual(3600)
  const cancelled = await begin()
  await act(service, cancelled.session.id, { action: 'cancel' })
  expect(await watched(cancelled.session.id)).toMatchObject({ watched: false })
  const checkout = await begin({ type: 'checkout' })
  const other = await startSession(service, checkout.collection.id)
  await checkout.pay()
  expect(await watched(other.id)).toMatchObject({ watched: false })
})

test.each([0, 60, 600])(
  'the address of a session is watched for its %i minutes of grace, and not longer',
  async (graceMinutes) => {
    const { session, report, tell } = await begin({ paymentPolicy: { graceMinutes } })
    const watched = async () => {
      const { rows } = await service.runtime.pool.query(
        `select round(extract(epoch from r.watched_until - s.ends_at) / 60)::int as minutes from payment_route_polls r
         join checkout_sessions s on s.route_id = r.id where s.id = $1`,
        [session.id],
      )
      return rows[0].minutes
    }
    expect(await watched()).toBe(graceMinutes)
    await tell(report({ originAmount: 1_000_000n }))
    expect(await watched()).toBe(graceMinutes)
    await tell(report({ status: 'completed', originAmount: 1_000_000n }))
    expect(await watched()).toBe(graceMinutes)
  },
)

test('a payment that has ended is not under way again because an older report says so', async () => {
  const { session, report, tell, merchant, changes } = await begin()
  const delivered = report({ status: 'completed', originAmount: 10_000_000n })
  expect(await tell(delivered)).toMatchObject({ status: 'underpaid', receivedAmount: '10' })
  const before = [await getSession(merchant, session.id), await changes()]
  const { rows } = await service.runtime.pool.query('select route_id, payments from checkout_sessions where id = $1', [
    session.id,
  ])
  const [{ route_id: routeId, payments }] = rows
  const context = queryContext(service.runtime, system(merchant.organisationId, merchant.environment))
  await unitOfWork(context, (unit) =>
    receiver.apply(unit, routeId, [
      {
        ...{ id: payments[0].id, status: 'pending', origin: usdc, originAmount: 25_000_000n, originAmountUsd: null },
        ...{ destinationAmount: null, destinationAmountUsd: null, txHash: null, failureReason: null, refundTo: null },
        ...{ returnedAmount: null, returnFailed: false, settled: false, receivedAt: new Date() },
      },
    ]),
  )
  expect([await getSession(merchant, session.id), await changes()]).toEqual(before)
  await inOrder(service)
})

test('a payment that the provider first told late, and then with its time, was in time', async () => {
  const { tell, report, wait, session } = await begin()
  const sentAt = new Date()
  await wait(24 * 60)
  const late = report()
  expect(await tell(late)).toMatchObject({ status: 'expired', receivedAmount: '0' })
  // The clock of the sandbox has moved the end of the session, not the time of the payment.
  const { rows } = await service.runtime.pool.query('select ends_at from checkout_sessions where id = $1', [session.id])
  const inTime = new Date(new Date(rows[0].ends_at).getTime() - 60_000)
  expect(inTime < sentAt).toBe(true)
  const told = { ...late, status: 'completed', destinationAmount: 25_000_000n, receivedAt: inTime } as const
  expect(await tell(told)).toMatchObject({ status: 'paid', receivedAmount: '25' })
  await inOrder(service)
})

describe('operators end a session in any state', () => {
  const stage =
    (bring: (world: Awaited<ReturnType<typeof begin>>) => Promise<unknown>): Stage =>
    async (outcome) => {
      const world = await begin({}, { refundAddress: PAYER })
      await bring(world)
      const amount = outcome === 'completed' ? { amount: '24.9' } : {}
      const { id: sessionId } = world.session
      const input = { sessionId, evidence: 'Ticket 1', ...amount }
      return { id: sessionId, organisationId: world.merchant.organisationId, input }
    }
  const delivered = (world: Awaited<ReturnType<typeof begin>>) => world.tell(world.report({ status: 'completed' }))
  endingsContract(service, operators.endings ?? [], {
    checkout_session: {
      awaiting_payment: stage(async () => undefined),
      processing: stage((world) => world.tell(world.report({ originAmount: 20_000_000n }))),
      underpaid: stage((world) => world.tell(world.report({ status: 'completed', originAmount: 10_000_000n }))),
      paid: stage(delivered),
      expired: stage(async (world) => {
        await world.wait(100)
        await delivered(world)
      }),
      cancelled: stage(async (world) => {
        await act(service, world.session.id, { action: 'cancel' })
        await delivered(world)
      }),
      returned: stage((world) => world.tell(world.report({ status: 'refunded' }))),
      failed: stage((world) => world.tell(world.report({ status: 'failed' }))),
    },
  })
})
