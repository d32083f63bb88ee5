import { bind, system } from '@payments/kernel'
import { providers, queryContext, type Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { depositFor, getSwap, type Merchant, newMerchant, newSwap, useService } from '#testing'
import { eventsOf, processUntil } from '../test/chain.ts'
import { SwapEntity, type SwapRow } from './entity.ts'
import { comparison, processSwap } from './polling/process.ts'
import { type DepositReport, type SwapsProvider, swapsProvider } from './provider/provider.ts'
import { sandboxSwaps } from './provider/sandbox.ts'
import { withPoll } from './swaps/schedule.ts'

// Nodes are behind each other, and workers too: a report may be older than what is known of a swap.

const service = useService()
const EUR = 1_000_000n

const rowOf = ({ organisationId, environment }: Merchant, id: string): Promise<SwapRow> =>
  queryContext(service.runtime, system(organisationId, environment)).em.findOneOrFail(SwapEntity, { id })

/** What a node that is up to date reports of an address with these deposits. */
const report = (given: Partial<DepositReport> = {}, ...amounts: bigint[]): DepositReport => ({
  deposits: amounts.map((amount, index) => ({ txHash: `hash ${amount} ${index}`, amount, at: new Date() })),
  readTo: null,
  complete: true,
  finalizedAt: new Date(),
  ...given,
})

/** A new swap, and a worker to which a node reports this of it. */
async function begin(own: Partial<SwapsProvider> = {}) {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  const provider = { ...sandboxSwaps(service.runtime.pool), ...own }
  const runtime: Runtime = { ...service.runtime, providers: providers([bind(swapsProvider, 'test', provider)]) }
  return {
    merchant,
    id,
    async told(reported: DepositReport, readTo: string | null = null) {
      const { organisationId, environment } = merchant
      await processSwap(
        runtime,
        { id, organisationId, environment, provider: 'sandbox', readTo, pollSeconds: 5 },
        reported,
      )
      return getSwap(merchant, id)
    },
    async over(seconds: number) {
      await service.runtime.pool.query(
        'update swaps set deposits_until = now() - make_interval(secs => $2) where id = $1',
        [id, seconds],
      )
    },
  }
}

test('a report that begins elsewhere than where the last one ended changes nothing, whatever it says', async () => {
  const { told, merchant, id } = await begin()
  expect(await told(report({ readTo: 'second' }, 40n * EUR))).toMatchObject({ depositedAmount: '40' })
  const before = await rowOf(merchant, id)
  for (const begins of [null, 'first', 'third'])
    expect(await told(report({ readTo: 'first' }, 70n * EUR), begins)).toMatchObject({
      status: 'awaiting_deposit',
      depositedAmount: '40',
    })
  const after = await rowOf(merchant, id)
  expect(await withPoll(service.runtime, after)).toMatchObject({ readTo: 'second', updatedAt: before.updatedAt })
  expect(await told(report({ readTo: 'third' }, 60n * EUR), 'second')).toMatchObject({ depositedAmount: '100' })
  expect(await eventsOf(service, id)).toEqual(['>awaiting_deposit', 'awaiting_deposit>swapping'])
})

test('a swap expires by a report of everything that arrived until its end, not by an older one or a part', async () => {
  const { told, over } = await begin()
  await over(60)
  expect(await told(report({ finalizedAt: new Date(Date.now() - 61_000) }))).toMatchObject({
    status: 'awaiting_deposit',
  })
  expect(await told(report({ complete: false }))).toMatchObject({ status: 'awaiting_deposit' })
  expect(await told(report())).toMatchObject({ status: 'expired' })
})

test('a report from before the last change of a swap says nothing of what its address holds', async () => {
  const { merchant, id } = await begin()
  const row = { ...(await rowOf(merchant, id)), depositedAmount: 100n * EUR } as SwapRow
  const holdings = { amount: 130n * EUR, others: [], closable: false }
  const at = (milliseconds: number) => new Date(row.updatedAt.getTime() + milliseconds)
  expect(comparison(row, report({ holdings, finalizedAt: at(-1) }))).toBeUndefined()
  expect(comparison(row, report({ holdings, complete: false, finalizedAt: at(1) }))).toBeUndefined()
  expect(comparison(row, report({ finalizedAt: at(1) }))).toBeUndefined()
  expect(comparison(row, report({ holdings, finalizedAt: at(0) }))).toEqual({
    unexplainedAmount: 30n * EUR,
    otherHoldings: null,
  })
})

test('an account is closed by a report from after the last change of its swap only', async () => {
  const closed: string[] = []
  const { told, merchant, id } = await begin({
    prepareClose: async ({ depositAddress }) => {
      closed.push(depositAddress)
      return null
    },
  })
  await depositFor(merchant, id)
  await processUntil(service, merchant, id, 'completed')
  const { updatedAt, depositAddress } = await rowOf(merchant, id)
  const holdings = { amount: 0n, others: [], closable: true }
  await told(report({ holdings, finalizedAt: new Date(updatedAt.getTime() - 1) }))
  await told(report({ holdings, complete: false }))
  await told(report({ holdings: { ...holdings, closable: false } }))
  expect(closed).toEqual([])
  await told(report({ holdings, finalizedAt: new Date(updatedAt.getTime() + 1) }))
  expect(closed).toEqual([depositAddress])
})
