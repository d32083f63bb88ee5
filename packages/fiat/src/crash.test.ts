import { newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { dyingEverywhere, expectConsistent, journal, newMerchant, newOfframp, useService } from '#testing'
import { eventsOf } from '../test/orders.ts'
import { settle } from './operators/settle.ts'
import { applyPoll } from './polling/polls.ts'
import type { OrderReport } from './provider/provider.ts'

const service = useService()

test('a crash before any statement of a report, its commit included, changes nothing; the next poll applies all of it once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newOfframp(merchant)
  // The longest way: received, settled, returned by the bank, and sent back.
  const report: OrderReport = {
    status: 'failed',
    receivedAmount: 25_125_000n,
    convertedAmount: null,
    fee: null,
    txHash: '0x1',
    failureReason: 'returned_by_bank',
    refund: { status: 'completed', amount: 25_125_000n, txHash: '0x2' },
    outcomeUnknown: false,
  }
  const actor = system(merchant.organisationId, 'test')
  const show = async () => (await merchant.call(`GET /v1/offramps/${id}`)).body.data
  const before = await show()
  const cuts = await dyingEverywhere(
    service,
    (runtime) => unitOfWork(queryContext(runtime, actor), (own) => applyPoll(own, 'offramp', id, report)),
    async (cut, result) => {
      expect(result === undefined).toBe(cut !== null)
      if (cut === null) return
      expect(await show()).toEqual(before)
      expect(await eventsOf(service, id)).toEqual(['>pending'])
      expect(await journal(service, merchant)).toEqual({})
    },
  )
  expect(cuts).toBe(1)
  expect(await show()).toMatchObject({ status: 'failed', refund: { status: 'completed' } })
  expect(await eventsOf(service, id)).toEqual([
    '>pending',
    'pending>processing',
    'processing>settled',
    '(offramp.settled processing>settled)',
    'settled>failed',
    'failed>failed',
  ])
  expect(await journal(service, merchant)).toEqual({})
  await unitOfWork(queryContext(service.runtime, actor), (own) => applyPoll(own, 'offramp', id, report))
  expect(await eventsOf(service, id)).toHaveLength(6)
  await expectConsistent(service)
})

test('a crash before any statement of an operator’s settlement changes nothing; settling again posts what is missing, once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newOfframp(merchant)
  const actor = system(merchant.organisationId, 'test')
  const context = queryContext(service.runtime, actor)
  const report = (given: Partial<OrderReport>) =>
    unitOfWork(context, (own) =>
      applyPoll(own, 'offramp', id, {
        status: 'failed',
        receivedAmount: 25_125_000n,
        convertedAmount: null,
        fee: null,
        txHash: null,
        failureReason: null,
        refund: { status: 'completed', amount: null, txHash: null },
        outcomeUnknown: false,
        ...given,
      }),
    )
  // Failed and sent back, then reported as delivered.
  await report({})
  await report({ status: 'delivered', refund: null })
  const show = async () => (await merchant.call(`GET /v1/offramps/${id}`)).body.data
  const [before, events] = [await show(), await eventsOf(service, id)]
  const input = { orderId: id, outcome: 'delivered', reason: 'The bank confirmed it' } as const
  const operator = { ...actor, kind: 'session', userId: newId() } as const
  const cuts = await dyingEverywhere(
    service,
    (runtime) => unitOfWork(queryContext(runtime, operator), async (own) => ({ settled: await settle(own, input) })),
    async (cut, result) => {
      expect(result === undefined).toBe(cut !== null)
      if (cut === null) return
      expect(await show()).toEqual(before)
      expect(await eventsOf(service, id)).toEqual(events)
      expect(await journal(service, merchant)).toEqual({})
    },
  )
  expect(cuts).toBe(1)
  expect(await show()).toMatchObject({ status: 'delivered', refund: null })
  expect(await journal(service, merchant)).toMatchObject({ 'destination NGN': '3950625', 'external USDC': '-25125000' })
  await expect(unitOfWork(queryContext(service.runtime, operator), (own) => settle(own, input))).rejects.toMatchObject({
    code: 'fiat_nothing_to_settle',
  })
  await expectConsistent(service)
})
