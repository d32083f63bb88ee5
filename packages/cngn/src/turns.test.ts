import { bind, newId, system } from '@payments/kernel'
import { providers, queryContext } from '@payments/platform'
import { expect, test } from 'vitest'
import { cngnBodies, enabledCustomer, foundOrganisation, useService } from '#testing'
import { pollFeed } from './movements/feed.ts'
import { claimDeliveries, claimSends } from './movements/sends/table.ts'
import { type CngnProvider, cngnProvider } from './provider/provider.ts'
import { preparePayout } from './transfers/payouts.ts'

const service = useService()

/** Orders of an organisation, in a state. */
async function orders(organisationId: string, count: number, columns: string, values: string): Promise<void> {
  await service.runtime.pool.query(
    `insert into cngn_sends (id, organisation_id, environment, kind, account, fingerprint, attempts, next_send_at, delivery_seconds, created_at, ${columns})
     select gen_random_uuid(), $1, 'live', 'payout', 'merchant', gen_random_uuid()::text, 0, now() - interval '1 hour', 2, now(), ${values}
       from generate_series(1, $2::int) n`,
    [organisationId, count],
  )
}
const clear = () => service.runtime.pool.query('delete from cngn_sends')

test('however many orders one organisation has waiting, the order of another is among the next that are sent', async () => {
  const [many, one] = [await foundOrganisation(service.runtime), await foundOrganisation(service.runtime)]
  await orders(many, 2500, 'sent_at', 'null')
  await orders(one, 1, 'sent_at', 'null')
  await service.runtime.pool.query(
    'update cngn_sends set next_send_at = now() - make_interval(secs => 1) where organisation_id = $1',
    [one],
  )
  const claimed = await claimSends(service.runtime, 'live', 2)
  expect(claimed.map(({ organisationId }) => organisationId).sort()).toEqual([many, one].sort())
  expect(await claimSends(service.runtime, 'live', 3)).toHaveLength(3)
  await clear()
})

test('deliveries are polled in turns, too', async () => {
  const [many, one] = [await foundOrganisation(service.runtime), await foundOrganisation(service.runtime)]
  await orders(many, 2500, 'next_delivery_at', "now() - interval '1 hour'")
  await orders(one, 1, 'next_delivery_at', 'now()')
  const claimed = await claimDeliveries(service.runtime, 'live', 2)
  expect(claimed.map(({ organisationId }) => organisationId).sort()).toEqual([many, one].sort())
  await clear()
})

test('movements that are asked for by their reference take turns beyond 2,000 that are due', async () => {
  const [many, one] = [await foundOrganisation(service.runtime), await foundOrganisation(service.runtime)]
  await orders(
    many,
    2500,
    'sent_at, reference, next_check_at',
    "now() - interval '3 days', 'many-' || n, now() - interval '1 hour'",
  )
  await orders(one, 1, 'sent_at, reference, next_check_at', "now() - interval '3 days', 'one', now()")
  const asked: string[] = []
  const live: CngnProvider = {
    ...service.runtime.providers.sandbox(cngnProvider),
    ...{ callsPerMinute: null, knowsOrders: false, account: () => 'merchant' },
    transactions: async () => ({ movements: [], complete: true }),
    movement: async (_account, reference) => {
      asked.push(reference)
      return null
    },
  }
  const runtime = { ...service.runtime, providers: providers([bind(cngnProvider, 'live', live)]) }
  await service.runtime.pool.query(
    "insert into cngn_feeds (environment, account, next_poll_at, poll_seconds, checked_at) values ('live', 'merchant', now(), 2, now())",
  )
  await pollFeed(runtime, { id: 'merchant', environment: 'live', account: 'merchant', pollSeconds: 2, until: 'now' })
  expect(asked).toContain('one')
  await clear()
})

test('a payout that the balance does not cover asks no provider', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const customerId = await enabledCustomer(service.runtime, organisationId, 99_000_000n)
  const refuse = () => Promise.reject(new Error('asked'))
  const provider = { ...service.runtime.providers.sandbox(cngnProvider), banks: refuse, accountName: refuse }
  const runtime = { ...service.runtime, providers: providers([bind(cngnProvider, 'test', provider as never)]) }
  const context = queryContext(runtime, system(organisationId, 'test'))
  const input = { ...cngnBodies.payouts, customerId, reference: newId() }
  await expect(preparePayout(context, input as never)).rejects.toMatchObject({ code: 'cngn_insufficient_balance' })
  await expect(preparePayout(context, { ...input, amount: '99' } as never)).rejects.toThrow('asked')
})
