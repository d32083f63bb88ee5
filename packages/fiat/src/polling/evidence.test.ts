import { system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  call,
  expectConsistent,
  journal,
  newMerchant,
  newOfframp,
  newOnramp,
  signedIn,
  statementsWaiting,
  useService,
} from '#testing'
import { eventsOf, reportOf } from '../../test/orders.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import { applyPoll } from './polls.ts'

const service = useService()

async function begin(direction: Direction = 'offramp') {
  const merchant = await newMerchant(service)
  const { id } = await (direction === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const ops = (line: string, body: object = {}) => {
    const [method, path] = line.split(' ')
    const given = method === 'POST' ? { reason: 'Asked for', ...body } : undefined
    return call(service, `${method} /v1/admin/ops/${path}`, { token, key: null, body: given })
  }
  return {
    id,
    merchant,
    ops,
    report: (given: Partial<OrderReport>) =>
      unitOfWork(context, (unit) => applyPoll(unit, direction, id, reportOf(direction, given))),
    get: async () => (await merchant.call(`GET /v1/${direction}s/${id}`)).body.data,
    settle: (outcome: string, more: object = {}) => ops(`POST fiat/orders/${id}/settle`, { outcome, ...more }),
    /** The kinds under which operators find the order among what needs them. */
    async attention() {
      const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
      const body = { organisationId: merchant.organisationId }
      const answer = await call(service, 'POST /v1/admin/ops/attention', { token: accessToken, key: null, body })
      return answer.body.data.objects
        .filter((each: { id: string }) => each.id === id)
        .map(({ kind, reason }: { kind: string; reason: string }) => `${kind}: ${reason}`)
    },
  }
}
const noMoney = { status: 'expired', receivedAmount: null } as const
const refund = (status: 'pending' | 'completed' | 'failed', amount: bigint | null = null) => ({
  status,
  amount,
  txHash: null,
})

describe('a report that contradicts the end of an order', () => {
  test('is stored with it once, listed for operators and shown in its timeline, and the command that settles it ends that', async () => {
    const order = await begin()
    await order.report(noMoney)
    for (let times = 0; times < 3; times++) await order.report({ status: 'delivered' })
    expect(await order.get()).toMatchObject({ status: 'failed', failureReason: 'deposit_not_received' })
    expect(await journal(service, order.merchant)).toEqual({})
    expect(await order.attention()).toEqual(['provider_report: Reported as paid out after it had failed'])
    const { entries } = (await order.ops(`GET timeline/${order.id}`)).body.data
    const shown = entries.filter(({ kind }: { kind: string }) => kind === 'provider_report')
    expect(
      shown.map(({ summary, details }: { summary: string; details: object }) => ({ summary, ...details })),
    ).toContainEqual(
      expect.objectContaining({ summary: 'Reported as paid out after it had failed', times: 3, settledAt: null }),
    )
    const settled = await order.settle('delivered', { receivedAmount: '25.125', evidence: 'Statement of the bank' })
    expect([settled.status, settled.body.data?.status], settled.text).toEqual([200, 'delivered'])
    expect(await order.get()).toMatchObject({ status: 'delivered', failureReason: null, depositedAmount: '25.125' })
    expect(await journal(service, order.merchant)).toMatchObject({
      'external USDC': '-25125000',
      'destination NGN': '3950625',
    })
    expect(await eventsOf(service, order.id)).toEqual([
      '>pending',
      'pending>failed',
      'failed>delivered',
      '(offramp.delivered failed>delivered)',
    ])
    await order.report({ status: 'delivered' })
    expect(await order.attention()).toEqual([])
    expect((await order.settle('delivered')).status).toBe(409)
    await expectConsistent(service)
  })

  test('that an operator knew when settling the order does not list it again, but another one does', async () => {
    const order = await begin()
    await order.report({})
    await order.report({ status: 'failed', refund: refund('pending') })
    expect((await order.settle('delivered')).status).toBe(200)
    for (let times = 0; times < 3; times++) await order.report({ status: 'failed', refund: refund('pending') })
    expect(await order.get()).toMatchObject({ status: 'delivered' })
    expect(await order.attention()).toEqual([])
    const { entries } = (await order.ops(`GET timeline/${order.id}`)).body.data
    expect(entries).toContainEqual(
      expect.objectContaining({
        summary: 'Reported as failed after it was delivered',
        details: expect.objectContaining({ times: 3, settledAt: expect.any(String) }),
      }),
    )
    await order.report({ status: 'failed', refund: refund('completed') })
    expect(await order.attention()).toEqual(['provider_report: Reported as failed after it was delivered'])
    await expectConsistent(service)
  })

  test('that was listed before an operator settled the order is not listed again for another reason', async () => {
    const order = await begin()
    await order.report({})
    expect((await order.settle('refunded')).status).toBe(200)
    const other = { status: 'delivered', receivedAmount: 24_000_000n } as const
    await order.report(other)
    expect(await order.attention()).toEqual(['provider_report: Reported as paid out after it had failed'])
    expect((await order.settle('delivered')).status).toBe(200)
    await order.report(other)
    expect(await order.attention()).toEqual([])
    await order.report({ ...other, receivedAmount: 23_000_000n })
    expect(await order.attention()).toEqual(['provider_report: Reported with other amounts after it was delivered'])
    await expectConsistent(service)
  })

  test('changes nothing once an operator has settled the order, but another one is listed', async () => {
    const order = await begin()
    await order.report({})
    expect((await order.settle('delivered')).status).toBe(200)
    const before = await order.get()
    await order.report({ status: 'failed', refund: refund('completed') })
    expect(await order.get()).toEqual(before)
    expect(await order.attention()).toEqual(['provider_report: Reported as failed after it was delivered'])
    await expectConsistent(service)
  })

  test.each<[string, Direction, string]>([
    ['an offramp as delivered', 'offramp', 'delivered'],
    ['an offramp as refunded', 'offramp', 'refunded'],
    ['an offramp as never paid', 'offramp', 'not_received'],
    ['an onramp as delivered', 'onramp', 'delivered'],
    ['an onramp as refunded', 'onramp', 'refunded'],
    ['an onramp as never paid', 'onramp', 'not_received'],
  ])(
    'changes neither the order nor its journal once an operator has settled %s, whatever it says',
    async (_name, direction, outcome) => {
      const order = await begin(direction)
      if (outcome !== 'not_received') await order.report({})
      expect((await order.settle(outcome)).status).toBe(200)
      const before = [await order.get(), await eventsOf(service, order.id), await journal(service, order.merchant)]
      for (const status of ['waiting', 'received', 'settled', 'delivered', 'failed', 'expired'] as const)
        for (const receivedAmount of [null, 1_000_000n, 25_125_000n])
          for (const back of [null, refund('pending'), refund('completed', 20_000_000n), refund('failed')])
            for (const cancelled of [false, true]) {
              await order.report({ status, receivedAmount, refund: back, outcomeUnknown: true, cancelled })
              await order.report({ status, receivedAmount, refund: back, failureReason: 'returned_by_bank' })
            }
      const after = [await order.get(), await eventsOf(service, order.id), await journal(service, order.merchant)]
      expect(after).toEqual(before)
      await expectConsistent(service)
    },
  )

  test('is listed where money arrives for an onramp that an operator settled as never paid', async () => {
    const order = await begin('onramp')
    await order.report(noMoney)
    await order.report({ status: 'delivered', refund: refund('pending') })
    expect((await order.settle('not_received')).status).toBe(200)
    const before = await order.get()
    expect(before.status).toBe('expired')
    await order.report({ status: 'received' })
    expect(await order.get()).toEqual(before)
    expect(await order.attention()).toEqual(['provider_report: Reported with money after it had ended without any'])
    await expectConsistent(service)
  })

  test.each<[string, Direction, readonly Partial<OrderReport>[], Partial<OrderReport>, string]>([
    [
      'other amounts',
      'offramp',
      [{ status: 'delivered' }],
      { status: 'delivered', receivedAmount: 5_000_000n },
      'Reported with other amounts after it was delivered',
    ],
    [
      'a failure',
      'onramp',
      [{ status: 'delivered' }],
      { status: 'failed' },
      'Reported as failed after it was delivered',
    ],
    [
      'a failed refund',
      'offramp',
      [{ status: 'failed', refund: refund('completed') }],
      { status: 'failed', refund: refund('failed') },
      'Reported as not sent back after it was sent back',
    ],
    [
      'another refund',
      'offramp',
      [{ status: 'failed', refund: refund('completed', 20_000_000n) }],
      { status: 'failed', refund: refund('completed', 21_000_000n) },
      'Reported with another refund after it was sent back',
    ],
    ['money', 'offramp', [noMoney], { status: 'received' }, 'Reported with money after it had failed without any'],
  ])(
    'with %s is listed and leaves the order and its journal as they were',
    async (_name, direction, reports, late, reason) => {
      const order = await begin(direction)
      for (const report of reports) await order.report(report)
      const [before, books] = [await order.get(), await journal(service, order.merchant)]
      await order.report(late)
      const { updatedAt: _one, ...after } = await order.get()
      const { updatedAt: _other, ...same } = before
      expect(after).toEqual(same)
      expect(await journal(service, order.merchant)).toEqual(books)
      expect(await order.attention()).toEqual([`provider_report: ${reason}`])
      await expectConsistent(service)
    },
  )
})

describe('nothing ends by one report that contradicts itself or what is known:', () => {
  test.each<[string, Partial<OrderReport>]>([
    ['expired without the deposit that had arrived', noMoney],
    ['paid out and sent back at once', { status: 'delivered', refund: refund('completed') }],
    ['paid out without an amount', { status: 'delivered', convertedAmount: 0n }],
  ])('%s', async (_name, report) => {
    const order = await begin()
    await order.report({})
    const books = await journal(service, order.merchant)
    await order.report(report)
    expect(await order.get()).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
    expect(await journal(service, order.merchant)).toEqual(books)
    expect((await order.attention()).length).toBeGreaterThan(0)
    await order.report({ status: 'delivered' })
    expect(await order.get()).toMatchObject({ status: 'delivered' })
    await expectConsistent(service)
  })
})

test('an order that its provider cancels and hides goes on when it is assigned again, and has failed with its money there after half an hour', async () => {
  const order = await begin()
  await order.report({})
  const hidden = { status: 'waiting', receivedAmount: null, outcomeUnknown: true, cancelled: true } as const
  await order.report(hidden)
  expect(await order.get()).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
  await order.report({})
  expect(await order.get()).toMatchObject({ status: 'processing', providerOutcome: null })
  const pass = () =>
    service.runtime.pool.query(
      "update fiat_polls set cancelled_since = cancelled_since - interval '31 minutes' where id = $1",
      [order.id],
    )
  await order.report(hidden)
  await pass()
  await order.report(hidden)
  expect(await order.get()).toMatchObject({ status: 'failed', failureReason: 'payout_failed', refund: null })
  expect(await order.attention()).toEqual(['offramp: money_with_provider'])
  await order.report({ status: 'failed', refund: refund('completed') })
  expect(await order.get()).toMatchObject({ status: 'failed', refund: { status: 'completed' } })
  expect(await order.attention()).toEqual([])
  const unseen = await begin()
  await unseen.report(hidden)
  await service.runtime.pool.query(
    "update fiat_polls set cancelled_since = cancelled_since - interval '31 minutes' where id = $1",
    [unseen.id],
  )
  await unseen.report(hidden)
  expect(await unseen.get()).toMatchObject({ status: 'failed', failureReason: 'payout_failed', depositedAmount: null })
  expect(await unseen.attention()).toEqual(['offramp: cancelled_by_provider'])
  await expectConsistent(service)
})

test.each(['offramp', 'onramp'] as const)(
  'an %s that was delivered stays so where its provider hides it',
  async (direction) => {
    const order = await begin(direction)
    await order.report({ status: 'delivered' })
    const before = [await order.get(), await journal(service, order.merchant)]
    const hidden = { status: 'waiting', receivedAmount: null, outcomeUnknown: true, cancelled: true } as const
    for (let poll = 0; poll < 2; poll++) {
      await order.report(hidden)
      await service.runtime.pool.query(
        "update fiat_polls set cancelled_since = cancelled_since - interval '31 minutes' where id = $1",
        [order.id],
      )
    }
    await order.report(hidden)
    expect([await order.get(), await journal(service, order.merchant)]).toEqual(before)
    expect(await order.attention()).toEqual([])
    await expectConsistent(service)
  },
)

test('resolving an order never writes an older state of it over a newer one', async () => {
  const order = await begin()
  await order.report({ status: 'failed' })
  const client = await service.runtime.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from offramps where id = $1 for update', [order.id])
    const resolving = order.ops(`POST fiat/orders/${order.id}/resolve`)
    await statementsWaiting(service, 1)
    await client.query(
      "update offramps set reference = 'newer', updated_at = now() + interval '1 minute' where id = $1",
      [order.id],
    )
    await client.query('commit')
    expect((await resolving).status).toBe(200)
  } finally {
    client.release()
  }
  const { transactions } = (await order.merchant.call('GET /v1/transactions')).body.data
  expect(transactions[0].receipt.reference).toBe('newer')
  const { updatedAt } = await order.get()
  expect(Date.parse(updatedAt)).toBeGreaterThan(Date.now() + 30_000)
})

const DELIVERED =
  'Must not be "not_received", because the order was delivered; "refunded" says that its money came back'

test('an operator settles with the amounts that were really moved: what the payer sent, what was paid out, what went back', async () => {
  const order = await begin()
  await order.report({})
  expect((await order.settle('refunded', { receivedAmount: '26', amount: '26.1' })).body.errors).toEqual({
    amount: 'Must be at most what was received',
  })
  expect((await order.settle('delivered', { receivedAmount: '26' })).status).toBe(422)
  expect((await order.settle('not_received', { amount: '1' })).status).toBe(422)
  expect((await order.settle('refunded', { receivedAmount: '20.125', amount: '20' })).status).toBe(200)
  expect(await order.get()).toMatchObject({
    status: 'failed',
    depositedAmount: '20.125',
    refund: { status: 'completed', amount: '20' },
  })
  expect(await journal(service, order.merchant)).toEqual({ 'external USDC': '-125000', 'fees USDC': '125000' })
  expect((await order.settle('delivered', { receivedAmount: '20.125', amount: '31605' })).status).toBe(200)
  expect(await order.get()).toMatchObject({ status: 'delivered', convertedAmount: '31605', refund: null })
  const never = await order.settle('not_received')
  expect([never.status, never.body.errors]).toEqual([422, { outcome: DELIVERED }])
  expect(await order.get()).toMatchObject({ status: 'delivered', convertedAmount: '31605', refund: null })
  await expectConsistent(service)
  const pending = await begin()
  expect((await pending.settle('refunded')).status).toBe(409)
  expect((await pending.settle('not_received')).status).toBe(200)
  expect(await pending.get()).toMatchObject({ status: 'failed', failureReason: 'deposit_not_received' })
})

test('the report that ends an order decides its amounts: the journal has what was converted and what arrived, also where an earlier report said another amount', async () => {
  for (const first of ['received', 'settled'] as const) {
    const order = await begin()
    await order.report({ status: first })
    const last = { receivedAmount: 12_625_000n, convertedAmount: 1_975_312n, fee: 125_000n }
    await order.report({ status: 'delivered', ...last })
    expect(await order.get()).toMatchObject({
      status: 'delivered',
      depositedAmount: '12.625',
      convertedAmount: '19753.12',
    })
    expect(await journal(service, order.merchant)).toEqual({
      'external USDC': '-12625000',
      'fees USDC': '125000',
      'exchange USDC': '12500000',
      'exchange NGN': '-1975312',
      'destination NGN': '1975312',
    })
    await order.report({ status: 'delivered', ...last })
    expect(await order.attention()).toEqual([])
    await expectConsistent(service)
  }
})
