import { newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { call, expectConsistent, journal, newMerchant, newOfframp, newOnramp, signedIn, useService } from '#testing'
import { eventsOf, pollAfter, reportOf } from '../../test/orders.ts'
import { announce } from '../orders/schedule.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import { offrampMachine, onrampMachine } from '../states.ts'
import { pathTo } from './path.ts'
import { applyPoll } from './polls.ts'

const service = useService()
const RECEIVED = 25_125_000n

const refund = (status: 'pending' | 'completed' | 'failed', amount: bigint | null = null) => ({
  status,
  amount,
  txHash: null,
})

async function begin(direction: Direction = 'offramp') {
  const merchant = await newMerchant(service)
  const { id } = await (direction === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
  return {
    id,
    merchant,
    report: (given: Partial<OrderReport>) =>
      unitOfWork(context, (unit) => applyPoll(unit, direction, id, reportOf('offramp', given))),
    get: async () => (await merchant.call(`GET /v1/${direction}s/${id}`)).body.data,
    events: () => eventsOf(service, id),
    journal: () => journal(service, merchant),
    async attention() {
      const { body } = await call(service, 'GET /v1/admin/ops/fiat/orders', { token: accessToken })
      return body.data.orders.find((order: { id: string }) => order.id === id)?.attention
    },
    resolve: () =>
      call(service, `POST /v1/admin/ops/fiat/orders/${id}/resolve`, {
        token: accessToken,
        key: null,
        body: { reason: 'Asked for' },
      }),
  }
}

const STATUSES = ['waiting', 'received', 'settled', 'delivered', 'failed', 'expired'] as const

test('from every state, every report leads along edges of the state table, and final states stay', () => {
  for (const [direction, machine] of [
    ['offramp', offrampMachine],
    ['onramp', onrampMachine],
  ] as const) {
    for (const from of Object.keys(machine.states)) {
      for (const status of STATUSES) {
        for (const money of [true, false]) {
          for (const failureReason of [null, 'returned_by_bank', 'compliance_hold'] as const) {
            const { events } = pathTo(direction, from, money, reportOf('offramp', { status, failureReason }))
            let at: string | undefined = from
            for (const event of events) at = machine.step(at as never, event as never)
            expect([direction, from, status, events, at !== undefined]).toEqual([direction, from, status, events, true])
            if (from === 'delivered' || from === 'failed') expect(events).toEqual([])
          }
        }
      }
    }
  }
})

test('repeated and earlier reports change nothing', async () => {
  const order = await begin()
  await order.report({ status: 'settled' })
  const before = await order.get()
  for (const status of ['waiting', 'received', 'settled'] as const) await order.report({ status })
  expect(await order.get()).toEqual(before)
  expect(await order.events()).toHaveLength(4)
  await expectConsistent(service)
})

test('money that a payer sends in parts is posted part by part, until it is converted', async () => {
  const order = await begin()
  await order.report({ receivedAmount: 10_000_000n, convertedAmount: 1_560_496n })
  await order.report({ receivedAmount: RECEIVED, convertedAmount: 3_950_625n })
  expect(await order.journal()).toEqual({ 'external USDC': '-25125000', 'clearing USDC': '25125000' })
  await order.report({ status: 'delivered' })
  expect(await order.get()).toMatchObject({
    status: 'delivered',
    depositedAmount: '25.125',
    convertedAmount: '39506.25',
  })
  await expectConsistent(service)
})

test('a report of less than has arrived is an old one, and changes nothing until the order goes on from it', async () => {
  const order = await begin()
  await order.report({ receivedAmount: RECEIVED })
  const before = [await order.get(), await order.events(), await order.journal()]
  await order.report({ receivedAmount: 10_000_000n })
  expect([await order.get(), await order.events(), await order.journal()]).toEqual(before)
  await order.report({ receivedAmount: RECEIVED + 1n })
  expect(await order.journal()).not.toEqual(before[2])
  await expectConsistent(service)
})

test('money that the provider holds is in suspense, explained to the merchant and listed for operators until it is back', async () => {
  const order = await begin()
  await order.report({ status: 'failed', failureReason: 'compliance_hold' })
  expect(await order.get()).toMatchObject({ status: 'failed', failureReason: 'compliance_hold', refund: null })
  expect(await order.journal()).toEqual({ 'external USDC': '-25125000', 'suspense USDC': '25125000' })
  expect(await order.attention()).toBe('compliance_hold')
  const { notifications } = (await order.merchant.call('GET /v1/notifications')).body.data
  expect(notifications[0].body).toBe(
    'The offramp of 25 USDC failed. The provider holds the deposit for a compliance review. Contact support and name the id of the order; the provider may ask for information about the payer.',
  )
  await expectConsistent(service)
  await order.report({ status: 'failed', refund: refund('pending') })
  await order.report({ status: 'failed', refund: refund('completed', 25_000_000n) })
  expect(await order.journal()).toEqual({ 'external USDC': '-125000', 'fees USDC': '125000' })
  expect(await order.attention()).toBeUndefined()
  expect(await order.events()).toEqual([
    '>pending',
    'pending>processing',
    'processing>failed',
    'failed>failed',
    'failed>failed',
  ])
  await expectConsistent(service)
})

test('a refund that fails leaves the money in suspense until it succeeds', async () => {
  const order = await begin()
  await order.report({ status: 'failed', refund: refund('failed') })
  expect(await order.get()).toMatchObject({ refund: { status: 'failed' } })
  expect(await order.journal()).toEqual({ 'external USDC': '-25125000', 'suspense USDC': '25125000' })
  expect(await order.attention()).toBe('refund_failed')
  await expectConsistent(service)
  await order.report({ status: 'failed', refund: refund('completed') })
  expect(await order.get()).toMatchObject({ refund: { status: 'completed', amount: '25.125' } })
  expect(await order.journal()).toEqual({})
  expect(await order.attention()).toBeUndefined()
  await expectConsistent(service)
})

test('a refund ends once: told again it changes nothing, sends no event and posts nothing', async () => {
  const order = await begin()
  await order.report({ status: 'failed', refund: refund('pending') })
  await order.report({ status: 'failed', refund: refund('completed', 25_000_000n) })
  const before = [await order.get(), await order.events(), await order.journal()]
  for (const status of ['completed', 'pending', 'completed'] as const)
    await order.report({ status: 'failed', refund: refund(status, status === 'completed' ? 25_000_000n : null) })
  expect([await order.get(), await order.events(), await order.journal()]).toEqual(before)
  await expectConsistent(service)
})

test('an order that fails with money and without a refund needs an operator, who can mark it as dealt with', async () => {
  const order = await begin()
  await order.report({ status: 'expired' })
  expect(await order.get()).toMatchObject({ status: 'failed', failureReason: 'payout_failed' })
  expect(await order.attention()).toBe('money_with_provider')
  expect((await order.resolve()).status).toBe(200)
  expect(await order.attention()).toBeUndefined()
  await expectConsistent(service)
})

test('a return after delivery stays delivered: suspense, an operators’ notice, no event', async () => {
  const order = await begin()
  await order.report({ status: 'delivered' })
  const before = await order.events()
  for (let twice = 0; twice < 2; twice++) await order.report({ status: 'failed', refund: refund('completed') })
  expect(await order.get()).toMatchObject({ status: 'delivered' })
  expect(await order.events()).toEqual(before)
  expect(await order.journal()).toMatchObject({ 'suspense NGN': '3950625' })
  expect(await order.journal()).not.toHaveProperty('destination NGN')
  expect(await order.attention()).toBe('returned_after_delivery')
  await expectConsistent(service)
})

test('a report that no path reaches is listed for operators and changes nothing else', async () => {
  const order = await begin()
  await order.report({ status: 'expired', receivedAmount: null })
  const { updatedAt: _before, ...failed } = await order.get()
  await order.report({ status: 'delivered' })
  const { updatedAt: _after, ...same } = await order.get()
  expect(same).toEqual(failed)
  expect(await order.attention()).toBe('contradicting_report')
  expect(await order.journal()).toEqual({})
  const onramp = await begin('onramp')
  await onramp.report({ status: 'delivered', receivedAmount: 5_000_000n })
  await onramp.report({ status: 'failed' })
  expect((await onramp.get()).status).toBe('delivered')
  expect(await onramp.attention()).toBe('contradicting_report')
  await expectConsistent(service)
})

test('an unknown outcome is shown beside the status, and forgotten once the provider answers', async () => {
  const order = await begin()
  await order.report({ outcomeUnknown: true })
  expect(await order.get()).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
  await order.report({ status: 'settled' })
  expect(await order.get()).toMatchObject({ status: 'settled', providerOutcome: null })
  expect(await order.events()).toHaveLength(4)
})

test('orders that ended are polled for two weeks, then no more', async () => {
  const order = await begin()
  await order.report({ status: 'delivered' })
  const polls = async () =>
    (await service.runtime.pool.query('select poll_seconds from fiat_polls where id = $1', [order.id])).rows
  expect(await polls()).toHaveLength(1)
  await service.runtime.pool.query("update offramps set updated_at = now() - interval '15 days' where id = $1", [
    order.id,
  ])
  await order.report({ status: 'delivered' })
  expect(await polls()).toEqual([])
})

test('an order whose reports cannot be applied is listed for operators with the reason, until one can', async () => {
  const order = await begin()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const listed = async () => {
    const { body } = await call(service, 'GET /v1/admin/ops/fiat/orders', { token })
    const { status, pollError } = body.data.orders.find(({ id }: { id: string }) => id === order.id)
    return { status, pollError }
  }
  const arrives = (amount: string) =>
    service.runtime.pool.query(
      "update sandbox_fiat_orders set received_amount = $2, received_at = now() - interval '5 seconds' where reference = $1",
      [order.id, amount],
    )
  // No row can have this.
  await arrives('0')
  await expect(pollAfter(service, order.merchant, 'offramp', order.id)).rejects.toThrow()
  expect(await listed()).toEqual({ status: 'pending', pollError: 'internal' })
  // An operator who asks gets the order as it is, and the next one who does has it applied.
  await service.runtime.pool.query('update fiat_polls set error = null, failing_since = null where id = $1', [order.id])
  const sync = await call(service, `POST /v1/admin/ops/fiat/orders/${order.id}/sync`, {
    token,
    body: { reason: 'Asked for' },
  })
  expect([sync.status, sync.body.data]).toEqual([200, { id: order.id, direction: 'offramp', status: 'pending' }])
  expect(await listed()).toEqual({ status: 'pending', pollError: 'internal' })
  await arrives(`${RECEIVED}`)
  expect(await pollAfter(service, order.merchant, 'offramp', order.id)).toMatchObject({ status: 'delivered' })
  const { rows } = await service.runtime.pool.query('select error, failing_since from fiat_polls where id = $1', [
    order.id,
  ])
  expect(rows).toEqual([{ error: null, failing_since: null }])
})

describe('an order whose polls have ended is polled again', () => {
  /** An order that nobody paid, more than two weeks ago. */
  async function old() {
    const order = await begin()
    await order.report({ status: 'expired', receivedAmount: null })
    await service.runtime.pool.query("update offramps set updated_at = now() - interval '15 days' where id = $1", [
      order.id,
    ])
    await order.report({ status: 'expired', receivedAmount: null })
    const polls = async () =>
      (await service.runtime.pool.query('select provider, direction from fiat_polls where id = $1', [order.id])).rows
    expect(await polls()).toEqual([])
    return { ...order, polls }
  }
  const again = [{ provider: 'sandbox', direction: 'offramp' }]

  test('once its money has come after all, until it is back', async () => {
    const { report, get, polls } = await old()
    await report({ status: 'failed', refund: refund('pending') })
    expect(await get()).toMatchObject({ status: 'failed', refund: { status: 'pending' } })
    expect(await polls()).toEqual(again)
  })

  test('when its provider or an operator says that something has changed', async () => {
    const { id, polls } = await old()
    for (const ids of [['no id', newId(), id], [id]]) await announce(service.runtime.pool, ids)
    expect(await polls()).toEqual(again)
  })
})

test('a report that still waits for the rest is an old one once all has arrived, however often it is told', async () => {
  const order = await begin()
  await order.report({ receivedAmount: RECEIVED })
  const before = [await order.get(), await order.journal()]
  for (let times = 0; times < 2; times++) {
    await order.report({ status: 'waiting', receivedAmount: 10_000_000n, convertedAmount: 1_560_496n })
    expect([await order.get(), await order.journal()]).toEqual(before)
    await order.report({ receivedAmount: RECEIVED, convertedAmount: 3_950_625n })
    await expectConsistent(service)
  }
})

test('an old report of less that ends an unknown outcome is no evidence of the amount', async () => {
  const order = await begin()
  await order.report({ receivedAmount: RECEIVED, outcomeUnknown: true })
  await order.report({ receivedAmount: 10_000_000n })
  expect(await order.get()).toMatchObject({ depositedAmount: '25.125', providerOutcome: null })
  await expectConsistent(service)
})

test('a payout far below what was agreed for what arrived ends nothing: operators are told', async () => {
  const order = await begin()
  const little = { receivedAmount: RECEIVED, convertedAmount: 39_506n, fee: 25_100_000n }
  await order.report(little)
  await order.report({ status: 'delivered', ...little })
  expect(await order.get()).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
  await order.report({ status: 'delivered', receivedAmount: RECEIVED, convertedAmount: 3_950_600n, fee: 125_000n })
  expect(await order.get()).toMatchObject({ status: 'delivered', convertedAmount: '39506' })
  await expectConsistent(service)
})

test('a return of another deposit than was delivered is for operators', async () => {
  const order = await begin()
  await order.report({ status: 'delivered' })
  await order.report({ status: 'failed', receivedAmount: RECEIVED * 2n, refund: refund('completed', RECEIVED) })
  expect(await order.get()).toMatchObject({ status: 'delivered', depositedAmount: '25.125' })
  await expectConsistent(service)
})
