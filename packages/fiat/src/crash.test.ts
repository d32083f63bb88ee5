import { system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { dyingRuntime, newMerchant, newOfframp, useService } from '#testing'
import { eventsOf, expectConsistent, journal } from '../test/orders.ts'
import { applyPoll } from './polls.ts'
import type { OrderReport } from './provider.ts'

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
  let cut = 0
  for (; ; cut++) {
    const { runtime, cuts } = dyingRuntime(service, cut)
    const unit = unitOfWork(queryContext(runtime, actor), (own) => applyPoll(own, 'offramp', id, report))
    const failed = await unit.then(
      () => false,
      () => true,
    )
    expect(failed).toBe(cuts() > 0)
    if (!failed) break
    expect(await show()).toEqual(before)
    expect(await eventsOf(service, id)).toEqual(['>pending'])
    expect(await journal(service, merchant)).toEqual({})
  }
  expect(cut).toBeGreaterThan(10)
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
