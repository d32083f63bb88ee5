import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import {
  chance,
  connected,
  DEPOSITS,
  expectOnce,
  newMerchant,
  newRoutes,
  PATIENCE_MS,
  pause,
  payAll,
  ROUTES,
  settled,
  sized,
  startReceiver,
  startService,
  sync,
} from '#testing'
import { errors } from './errors.ts'
import { type DepositReport, type RoutesProvider, routesProvider, type SandboxRoutes } from './provider/provider.ts'
import { sandboxRoutes } from './provider/sandbox.ts'

/** A faulty provider: timeouts, errors, delays, duplicates, omissions, any order. A final status that it reports is true. */
function faulty(honest: RoutesProvider): RoutesProvider & { readonly faults: () => number } {
  const before = new Map<string, readonly DepositReport[]>()
  const seen = (reports: readonly DepositReport[]) => ({ reports, calls: 1 })
  let faults = 0
  const fault = (share: number) => chance(share) && ++faults > 0
  return {
    faults: () => faults,
    name: 'sandbox',
    capabilities: { reusableAddresses: true },
    callsPerMinute: 60_000,
    offers: () => honest.offers(),
    createDepositAddress: (input) => honest.createDepositAddress(input),
    async deposits(input) {
      if (fault(0.1)) throw errors.provider_unavailable()
      if (fault(0.05)) throw new Error('Unexpected end of JSON input')
      const stale = before.get(input.depositAddress) ?? []
      const { reports: now } = await honest.deposits(input)
      before.set(input.depositAddress, now)
      if (fault(0.1)) await pause(Math.random() * 300)
      if (fault(0.15)) return seen(stale)
      const reported = now
        .filter(() => !fault(0.1))
        .flatMap((report) => (fault(0.1) ? [report, report] : [report]))
        .map((report) =>
          fault(0.1)
            ? { ...report, status: 'pending' as const, updatedAt: new Date(report.updatedAt.getTime() - 86_400_000) }
            : report,
        )
        .toSorted(() => Math.random() - 0.5)
      return seen(reported)
    },
  }
}

test(
  'under random faults, cut connections and repeated requests every deposit is final once, listed once, posted once and announced once',
  async () => {
    const receiver = await startReceiver()
    let provider: ReturnType<typeof faulty> | undefined
    const bound = (): ReturnType<typeof faulty> => {
      provider ??= faulty(sandboxRoutes(service.runtime.pool))
      return provider
    }
    const lazy: SandboxRoutes = {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      offers: () => bound().offers(),
      createDepositAddress: (input) => bound().createDepositAddress(input),
      deposits: (input) => bound().deposits(input),
      simulateDeposit: (db, input) => sandboxRoutes(service.runtime.pool).simulateDeposit(db, input),
    }
    const service = await startService({
      worker: true,
      live: [bind(routesProvider, 'test', lazy)],
      settings: { WEBHOOK_DEV_TARGETS: receiver.origin },
    })
    const owner = await connected(service)
    try {
      const merchant = await newMerchant(service)
      const endpoint = { url: receiver.url, events: ['payment_route.deposit.updated'] }
      expect((await merchant.call('POST /v1/webhooks', { body: endpoint })).status).toBe(201)
      const routes = await newRoutes(merchant, ROUTES)
      const paid = await payAll(merchant, routes, DEPOSITS)
      let working = true
      const impatient = Array.from({ length: sized(3, 1) }, async () => {
        while (working) {
          await sync(merchant, routes[Math.floor(Math.random() * ROUTES)]?.id ?? '').catch(() => undefined)
          await pause(20)
        }
      })
      const cutter = async () => {
        while (working) {
          await owner.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and application_name like 'payments%' order by random() limit 1`,
          )
          await pause(300)
        }
      }
      const cutting = cutter()
      const watcher = await connected(service)
      await settled(watcher, DEPOSITS)
      working = false
      await Promise.all([...impatient, cutting])
      await watcher.end()
      expect(bound().faults()).toBeGreaterThan(0)
      await service.runtime.pool.query('select 1').catch(() => undefined)
      await expectOnce(service, merchant, owner, paid)
      const ids = (all: readonly { body: string }[]) => new Set(all.map(({ body }) => JSON.parse(body).id as string))
      const received = await receiver.until((all) => ids(all).size === 2 * DEPOSITS, PATIENCE_MS)
      expect(ids(received).size).toBe(2 * DEPOSITS)
    } finally {
      await owner.end()
      await service.stop()
      await receiver.close()
    }
  },
  PATIENCE_MS * 3,
)
