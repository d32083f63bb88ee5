import { assets, newId, system, toMinor } from '@payments/kernel'
import { trialBalance } from '@payments/ledger'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { expectConsistent, newMerchant, useService } from '#testing'
import { applyReports } from './deposits/reports.ts'
import { RouteEntity } from './entity.ts'
import type { DepositReport } from './provider/provider.ts'

const service = useService()
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const usdc = (text: string) => toMinor(text, assets.USDC)

/** A route of a new merchant, a way to report deposits to it, and the balances of the journal. */
async function newRoute(originCurrency: 'USDC' | 'ETH' = 'USDC', given: object = {}) {
  const merchant = await newMerchant(service)
  const made = await merchant.call('POST /v1/payment-routes', {
    body: {
      name: 'Treasury',
      originChainKey: 'ethereum',
      originCurrency,
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: WALLET,
      ...given,
    },
  })
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const row = await context.em.findOneOrFail(RouteEntity, { id: made.body.data.id as string })
  const requestId = newId()
  const report = (given: Partial<DepositReport>): DepositReport => ({
    requestId,
    status: 'pending',
    origin: { networkKey: 'ethereum', currency: originCurrency },
    originAmount: usdc('12.5'),
    originAmountUsd: '12.5',
    destinationAmount: null,
    destinationAmountUsd: null,
    depositTxHash: '0x1',
    failureReason: null,
    providerReason: null,
    updatedAt: new Date(),
    ...given,
  })
  return {
    reports: (...given: Partial<DepositReport>[]) =>
      unitOfWork(context, (unit) => applyReports(unit, row, given.map(report))),
    async journal() {
      const lines = await trialBalance(context, merchant.organisationId)
      return Object.fromEntries(
        lines.filter((line) => line.balance !== '0').map((line) => [`${line.purpose} ${line.asset}`, line.balance]),
      )
    },
    async parties() {
      const { rows } = await service.runtime.pool.query<{ name: string }>(
        "select distinct purpose || ' ' || party as name from ledger_accounts where organisation_id = $1 order by 1",
        [merchant.organisationId],
      )
      return rows.map(({ name }) => name)
    },
    list: async () => (await merchant.call('GET /v1/transactions')).body.data,
  }
}

test('a pending deposit is in the provider’s account; once delivered it is at the destination and the difference is fees', async () => {
  const route = await newRoute()
  await route.reports({})
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'clearing USDC': '12500000' })
  const completed = { status: 'completed', destinationAmount: usdc('12.4'), destinationAmountUsd: '12.4' } as const
  await route.reports(completed)
  await route.reports(completed)
  await route.reports({ status: 'refunded' })
  expect(await route.journal()).toEqual({
    'external USDC': '-12500000',
    'destination USDC': '12400000',
    'fees USDC': '100000',
  })
  await expectConsistent(service)
})

test('a deposit first reported as completed is one transaction and is fully posted', async () => {
  const route = await newRoute()
  await route.reports({ status: 'completed', destinationAmount: usdc('12.5') })
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'destination USDC': '12500000' })
  expect(await route.list()).toMatchObject({ total: 1, transactions: [{ status: 'completed' }] })
  await expectConsistent(service)
})

test('a deposit that was returned to its owner is nowhere; one that came back to this service is owed, in suspense', async () => {
  const own = await newRoute('USDC', { refundAddress: WALLET })
  await own.reports({})
  await own.reports({ status: 'refunded' })
  expect(await own.journal()).toEqual({})
  const route = await newRoute()
  await route.reports({})
  await route.reports({ status: 'refunded' })
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'suspense USDC': '12500000' })
  await expectConsistent(service)
})

test('a deposit that failed without being returned stays visible in suspense', async () => {
  const route = await newRoute()
  await route.reports({ status: 'failed' })
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'suspense USDC': '12500000' })
  await expectConsistent(service)
})

test('a final status without its amounts stays pending, with the money in the provider’s account', async () => {
  const route = await newRoute()
  await route.reports({ status: 'completed' })
  await route.reports({ status: 'refunded', originAmount: null })
  expect(await route.list()).toMatchObject({ total: 1, transactions: [{ status: 'pending' }] })
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'clearing USDC': '12500000' })
  await expectConsistent(service)
})

test('what was received is what the end of the deposit says: the journal posts the difference', async () => {
  const route = await newRoute()
  await route.reports({ originAmount: usdc('25') })
  await route.reports({ originAmount: usdc('10'), status: 'completed', destinationAmount: usdc('9.9') })
  expect(await route.journal()).toEqual({
    'external USDC': '-10000000',
    'destination USDC': '9900000',
    'fees USDC': '100000',
  })
  expect(await route.list()).toMatchObject({ transactions: [{ amount: '10 USDC', status: 'completed' }] })
  await expectConsistent(service)
})

test('a deposit whose amount is not known yet posts nothing before its end', async () => {
  const route = await newRoute()
  await route.reports({ originAmount: null })
  expect(await route.journal()).toEqual({})
  await route.reports({ status: 'completed', destinationAmount: usdc('12.5') })
  expect(await route.journal()).toEqual({ 'external USDC': '-12500000', 'destination USDC': '12500000' })
  await expectConsistent(service)
})

test('a token that this service does not know and that was delivered is its own origin', async () => {
  const route = await newRoute()
  const origin = { networkKey: 'ethereum', currency: '0x6B175474E89094C44Da98b954EedeAC495271d0F' }
  await route.reports({ origin, originAmount: 0n, status: 'completed', destinationAmount: usdc('12.4') })
  expect(await route.journal()).toEqual({ 'exchange USDC': '-12400000', 'destination USDC': '12400000' })
  expect(await route.list()).toMatchObject({
    transactions: [{ status: 'completed', receipt: { origin: { symbol: origin.currency, amount: '0' } } }],
  })
  await expectConsistent(service)
})

test('a delivery in another asset goes through the exchange account, and each asset sums to zero', async () => {
  const route = await newRoute('ETH')
  await route.reports({ originAmount: 5n * 10n ** 15n, status: 'completed', destinationAmount: usdc('12.4') })
  expect(await route.journal()).toEqual({
    'external ETH': '-5000000000000000',
    'exchange ETH': '5000000000000000',
    'exchange USDC': '-12400000',
    'destination USDC': '12400000',
  })
  await expectConsistent(service)
})

test('a deposit of zero is listed and posts nothing', async () => {
  const route = await newRoute()
  await route.reports({ originAmount: 0n, status: 'refunded' })
  expect(await route.journal()).toEqual({})
  expect((await route.list()).total).toBe(1)
  await expectConsistent(service)
})

test('the provider and the exchange have accounts of their own, named after the provider; all others have none', async () => {
  const route = await newRoute('ETH')
  await route.reports({ status: 'completed', destinationAmount: usdc('12.4') })
  expect(await route.parties()).toEqual(['clearing relay', 'destination ', 'exchange relay', 'external '])
})
