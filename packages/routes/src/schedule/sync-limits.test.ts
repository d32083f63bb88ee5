import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, newRoute, sync, useService } from '#testing'
import { type RoutesProvider, routesProvider } from '../provider/provider.ts'
import { sandboxRoutes } from '../provider/sandbox.ts'
import { budget } from './rate-budget.ts'

const PER_MINUTE = 40
/** The sandbox behind a provider's limit of 40 calls a minute. */
const limited = new Proxy({} as RoutesProvider, {
  get(_target, name) {
    // Asked for before the service runs.
    if (name === 'name') return 'sandbox'
    return name === 'callsPerMinute' ? PER_MINUTE : Reflect.get(sandboxRoutes(service.runtime.pool), name)
  },
})
const service = useService({ live: [bind(routesProvider, 'live', limited)] })

test('the syncs of one organisation use a part of the provider’s limit, those of all leave a part to scheduled polls', async () => {
  await service.runtime.pool.query(
    "update provider_budgets set tokens = 0, refilled_at = now() - interval '1 hour' where environment = 'live'",
  )
  const statuses: number[][] = []
  for (let n = 0; n < 3; n++) {
    const merchant = await newMerchant(service, { environment: 'live' })
    const route = await newRoute(merchant)
    const replies = []
    for (let call = 0; call < 13; call++) {
      // The burst is not what is tested here.
      await service.runtime.pool.query("update provider_budgets set tokens = 5 where environment = 'live'")
      replies.push(await sync(merchant, route.id))
    }
    statuses.push(replies.map(({ status }) => status))
    const refused = replies.find(({ status }) => status === 429)
    if (n < 2) {
      expect(refused?.body.message).toBe('Deposits are synced too often, please retry later')
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  }
  const counts = statuses.map((each) => each.filter((status) => status === 200).length)
  expect(counts).toEqual([PER_MINUTE / 4, PER_MINUTE / 4, 0])
  expect(statuses[2]?.[0]).toBe(503)
  await service.runtime.pool.query('update payment_route_polls set next_poll_at = now() - make_interval(secs => 1)')
  expect(
    (
      await budget.claim(
        service.runtime.pool,
        { provider: 'sandbox', environment: 'live', callsPerMinute: PER_MINUTE },
        3,
      )
    ).length,
  ).toBeGreaterThan(0)
})
