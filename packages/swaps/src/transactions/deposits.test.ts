import { expect, test } from 'vitest'
import { depositFor, getSwap, newMerchant, newSwap, useService } from '#testing'
import { eventsOf, expectJournalEqualsChain, journal, processAfter, processUntil } from '../../test/chain.ts'

const service = useService()

const COMPLETED = ['>awaiting_deposit', 'awaiting_deposit>swapping', 'swapping>completed']

test('an exact deposit is swapped, delivered and posted once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  const txHash = await depositFor(merchant, id)
  expect(await processAfter(service, merchant, id)).toMatchObject({
    status: 'swapping',
    depositedAmount: '100',
    depositTxHash: txHash,
    receivedAmount: null,
  })
  const completed = await processUntil(service, merchant, id, 'completed')
  expect(completed).toMatchObject({
    receivedAmount: '107.946',
    fees: '0.054',
    rate: '1.07946',
    swapTxHash: expect.any(String),
    refundTxHash: null,
    failureReason: null,
  })
  expect(await eventsOf(service, id)).toEqual(COMPLETED)
  expect(await journal(service, merchant)).toEqual({
    'external EURC': '-100000000',
    'exchange EURC': '100000000',
    'exchange USDC': '-108000000',
    'destination USDC': '107946000',
    'fees USDC': '54000',
  })
  await expectJournalEqualsChain(service)
})

test('the other direction goes at the inverse price', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant, { fromCurrency: 'USDC', toCurrency: 'EURC', amount: '108' })
  await depositFor(merchant, id)
  expect(await processUntil(service, merchant, id, 'completed')).toMatchObject({
    receivedAmount: '99.95',
    fees: '0.05',
  })
})

test('less than the amount waits for the rest, and two deposits are one swap', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  const first = await depositFor(merchant, id, { amount: '40' })
  expect(await processAfter(service, merchant, id)).toMatchObject({ status: 'awaiting_deposit', depositedAmount: '40' })
  const [transaction] = (await merchant.call('GET /v1/transactions')).body.data.transactions
  expect(transaction).toMatchObject({ id, status: 'awaiting_deposit', receipt: { depositedAmount: '40' } })
  await depositFor(merchant, id, { amount: '60' })
  const completed = await processUntil(service, merchant, id, 'completed')
  expect(completed).toMatchObject({ depositedAmount: '100', depositTxHash: first })
  expect(await eventsOf(service, id)).toEqual(COMPLETED)
  await expectJournalEqualsChain(service)
})

test('of more than the amount the excess goes back, and the swap stays completed', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id, { amount: '130' })
  const completed = await processUntil(service, merchant, id, 'completed')
  expect(completed).toMatchObject({
    depositedAmount: '130',
    receivedAmount: '107.946',
    refundTxHash: expect.any(String),
  })
  expect(await eventsOf(service, id)).toEqual(COMPLETED)
  expect(await journal(service, merchant)).toMatchObject({ 'external EURC': '-100000000' })
  const [{ receipt }] = (await merchant.call('GET /v1/transactions')).body.data.transactions
  expect(receipt).toMatchObject({ type: 'swap', depositedAmount: '130', returnedAmount: '30' })
  await expectJournalEqualsChain(service)
})

test('less than the amount at the end expires the swap and goes back', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id, { amount: '99.999999' })
  await processAfter(service, merchant, id)
  expect(await processAfter(service, merchant, id, 1810)).toMatchObject({ status: 'expired' })
  await processUntil(service, merchant, id, 'refunded')
  expect(await eventsOf(service, id)).toEqual(['>awaiting_deposit', 'awaiting_deposit>expired', 'expired>refunded'])
  expect(await journal(service, merchant)).toEqual({})
  await expectJournalEqualsChain(service)
})

test('a swap without a deposit expires once its time is over, not before', async () => {
  const merchant = await newMerchant(service)
  const { id, expiresAt } = await newSwap(merchant)
  expect(await processAfter(service, merchant, id, 1790)).toMatchObject({ status: 'awaiting_deposit' })
  expect(await processAfter(service, merchant, id, 20)).toMatchObject({ status: 'expired', expiresAt })
  expect(await processAfter(service, merchant, id, 60)).toMatchObject({ status: 'expired', refundTxHash: null })
})

test('a deposit that arrived in time counts although it is read after the end', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  expect(await processAfter(service, merchant, id, 3600)).toMatchObject({ status: 'swapping' })
})

test('a deposit after the end, after cancelling and after a refund goes back', async () => {
  const merchant = await newMerchant(service)
  const late = await newSwap(merchant)
  await processAfter(service, merchant, late.id, 1810)
  await depositFor(merchant, late.id)
  await processUntil(service, merchant, late.id, 'refunded')
  const cancelled = await newSwap(merchant)
  expect((await merchant.call(`POST /v1/swaps/${cancelled.id}/cancel`)).body).toMatchObject({
    message: 'Swap cancelled',
    data: { status: 'cancelled' },
  })
  await depositFor(merchant, cancelled.id)
  await processUntil(service, merchant, cancelled.id, 'refunded')
  await depositFor(merchant, cancelled.id, { amount: '7' })
  const again = await processUntil(service, merchant, cancelled.id, 'refunded')
  expect(again).toMatchObject({ depositedAmount: '107' })
  expect(await eventsOf(service, cancelled.id)).toEqual([
    '>awaiting_deposit',
    'awaiting_deposit>cancelled',
    'cancelled>refunded',
  ])
  expect(await journal(service, merchant)).toEqual({})
  await expectJournalEqualsChain(service)
})

test('a late deposit to a completed swap goes back and changes nothing else', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  const { swapTxHash } = await processUntil(service, merchant, id, 'completed')
  await depositFor(merchant, id, { amount: '5' })
  const after = await processUntil(service, merchant, id, 'completed')
  expect(after).toMatchObject({ swapTxHash, depositedAmount: '105', refundTxHash: expect.any(String) })
  expect(await eventsOf(service, id)).toEqual(COMPLETED)
  await expectJournalEqualsChain(service)
})

test('a price below the minimum gets one more quote; then the swap fails and the deposit goes back', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id, { outcome: 'price_moved' })
  expect(await processAfter(service, merchant, id)).toMatchObject({ status: 'swapping' })
  expect(await processAfter(service, merchant, id)).toMatchObject({ status: 'failed', failureReason: 'price_moved' })
  expect(await processUntil(service, merchant, id, 'refunded')).toMatchObject({
    receivedAmount: null,
    swapTxHash: null,
  })
  expect(await eventsOf(service, id)).toEqual([
    '>awaiting_deposit',
    'awaiting_deposit>swapping',
    'swapping>failed',
    'failed>refunded',
  ])
  expect(await journal(service, merchant)).toEqual({})
  const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
  expect(notifications.map(({ type }: { type: string }) => type)).toEqual(['money.returned', 'swap.failed'])
  await expectJournalEqualsChain(service)
})

test('a swap that fails on the network is sent back', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id, { outcome: 'failed' })
  expect(await processUntil(service, merchant, id, 'refunded')).toMatchObject({ failureReason: 'swap_failed' })
  await expectJournalEqualsChain(service)
})

test('a swap whose sending times out stays in swapping for 30 s, is sent once and completes', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant, { amount: '12.13' })
  await depositFor(merchant, id)
  await expect(processAfter(service, merchant, id)).rejects.toThrow('not available')
  expect(await getSwap(merchant, id)).toMatchObject({ status: 'swapping' })
  expect(await processAfter(service, merchant, id, 20)).toMatchObject({ status: 'swapping' })
  expect(await processUntil(service, merchant, id, 'completed')).toMatchObject({ receivedAmount: '13.093849' })
  await expectJournalEqualsChain(service)
})
