import { bind } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { Client } from 'pg'
import { beforeEach, expect, test, vi } from 'vitest'
import { newMerchant, newRoute, useService } from '#testing'
import { schedulePolls } from './deposits/deposits.ts'
import { errors } from './errors.ts'
import { feedTask } from './polling/feed.ts'
import { claimRound, pollTask } from './polling/poller.ts'
import { type DepositChanges, type DepositQuery, type DepositReport, routesProvider } from './provider/provider.ts'
import { sandboxRoutes } from './provider/sandbox.ts'

// Before any connection is opened, since each keeps the function that it sends with.
const queries = vi.spyOn(Client.prototype, 'query')

const told = new Map<string, readonly DepositReport[]>()
let asked: DepositQuery[][] = []
/** The provider fails for addresses that have deposits. */
let failsWithSince = false
/** The provider refuses these calls, and wants none for 30 s. */
let limited: 'deposits' | 'depositsOf' | 'changes' | undefined
const limit = (call: typeof limited) => {
  if (limited === call) throw errors.provider_unavailable({ cause: new ProviderLimited(30), retryAfter: 30 })
}
let changes: DepositChanges = { addresses: [], until: new Date(0), calls: 1 }
const since: Date[] = []
const report = (given: Partial<DepositReport>): DepositReport => ({
  requestId: 'r',
  status: 'completed',
  origin: { networkKey: 'ethereum', currency: 'USDC' },
  originAmount: 1_000_000n,
  originAmountUsd: null,
  destinationAmount: 1_000_000n,
  destinationAmountUsd: null,
  depositTxHash: 'h',
  failureReason: null,
  providerReason: null,
  updatedAt: new Date(),
  ...given,
})
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      addressesPerCall: 50,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      createDepositAddress: (input) => sandboxRoutes(service.runtime.pool).createDepositAddress(input),
      async deposits(query) {
        asked.push([query])
        limit('deposits')
        return { reports: told.get(query.depositAddress) ?? [], calls: 1 }
      },
      async depositsOf(all) {
        asked.push([...all])
        limit('depositsOf')
        if (failsWithSince && all.some((query) => query.since)) throw errors.provider_failed()
        return all.map(({ depositAddress }, index) => ({
          reports: told.get(depositAddress) ?? [],
          calls: index === 0 ? 1 : 0,
        }))
      },
      async changes(from) {
        since.push(from)
        limit('changes')
        return changes
      },
    }),
  ],
})

beforeEach(async () => {
  asked = []
  limited = undefined
  failsWithSince = false
  await service.runtime.pool.query('update provider_budgets set paused_until = null')
  await service.runtime.pool.query("update payment_route_polls set next_poll_at = now() + interval '1 hour'")
  await service.runtime.pool.query('update provider_budgets set tokens = 1000, refilled_at = clock_timestamp()')
})

async function routes(count: number) {
  const merchant = await newMerchant(service)
  const all: Awaited<ReturnType<typeof newRoute>>[] = []
  // Not more at once than one organisation may ask.
  while (all.length < count)
    all.push(...(await Promise.all(Array.from({ length: Math.min(20, count - all.length) }, () => newRoute(merchant)))))
  return { merchant, all }
}

const due = (ids: readonly string[]) =>
  service.runtime.pool.query(
    "update payment_route_polls set next_poll_at = now() - interval '1 minute', poll_seconds = 15 where id = any ($1)",
    [ids],
  )

/** Polls what is due, with a poller of its own. */
async function poll(): Promise<void> {
  const own = { ...service.runtime, trigger: () => undefined }
  await pollTask.run(own)
  await pollTask.stop?.(own)
}

test('addresses that are due together are one call, and each gets its own deposits', async () => {
  const { merchant, all } = await routes(30)
  for (const [index, { depositAddress }] of all.entries())
    if (index % 10 === 0)
      told.set(depositAddress, [report({ requestId: `one ${index}`, depositTxHash: `one ${index}` })])
  await due(all.map(({ id }) => id))
  await poll()
  const calls = asked.filter(({ length }) => length > 1)
  expect(calls).toHaveLength(1)
  expect(
    asked
      .flat()
      .map(({ depositAddress }) => depositAddress)
      .toSorted(),
  ).toEqual(all.map(({ depositAddress }) => depositAddress).toSorted())
  const { deposits, total } = (await merchant.call('GET /v1/payment-routes/deposits')).body.data
  expect([total, new Set(deposits.map(({ paymentRouteId }: { paymentRouteId: string }) => paymentRouteId))]).toEqual([
    3,
    new Set([0, 10, 20].map((index) => all[index]?.id)),
  ])
})

test('a first deposit is found although the call for the addresses that have deposits fails', async () => {
  const { merchant, all } = await routes(4)
  const [first, , third] = all
  told.set(first?.depositAddress ?? '', [report({ requestId: 'known', depositTxHash: 'known' })])
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  await due(all.map(({ id }) => id))
  await poll()
  told.set(third?.depositAddress ?? '', [report({ requestId: 'first', depositTxHash: 'first' })])
  failsWithSince = true
  await due(all.map(({ id }) => id))
  await poll()
  chance.mockRestore()
  const { deposits } = (await merchant.call('GET /v1/payment-routes/deposits')).body.data
  expect(deposits.map(({ paymentRouteId }: { paymentRouteId: string }) => paymentRouteId)).toContain(third?.id)
})

test('a poll of thirty addresses that tells nothing new writes one statement, and none is due again at once', async () => {
  const { all } = await routes(30)
  for (const [index, { depositAddress }] of all.entries())
    told.set(depositAddress, [report({ requestId: `two ${index}`, depositTxHash: `two ${index}` })])
  const ids = all.map(({ id }) => id)
  await due(ids)
  await poll()
  await due(ids)
  // None of them is polled alone for its history: that is chance, about once a day.
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const before = queries.mock.calls.length
  await poll()
  chance.mockRestore()
  const sent = queries.mock.calls.slice(before).map(([query]) => JSON.stringify(query))
  expect(sent.filter((text) => /update payment_route_polls p set/.test(text))).toHaveLength(1)
  expect(
    sent
      .filter((text) => /begin|insert into|payment_route_deposits" (set|where)/i.test(text))
      .filter((text) => !/provider_|pgboss/.test(text)),
  ).toEqual([])
  expect(await claimRound(service.runtime, 8)).toEqual([])
})

test.each(['deposits', 'depositsOf', 'changes'] as const)(
  'when the provider limits %s, no process claims or asks for a deposit until its pause has passed',
  async (kind) => {
    const { pool } = service.runtime
    const { all } = await routes(3)
    const ids = all.map(({ id }) => id)
    const feed = async () => {
      await pool.query('update payment_route_feeds set next_at = now() - make_interval(secs => 1)')
      await feedTask.run(service.runtime)
    }
    const chance = vi.spyOn(Math, 'random').mockReturnValue(kind === 'deposits' ? 0 : 0.5)
    limited = kind
    await due(ids)
    await (kind === 'changes' ? feed() : poll())
    limited = undefined
    asked = []
    since.length = 0
    // Nothing of the pause is kept in this process: another one would do the same.
    await due(ids)
    await poll()
    await feed()
    const { rows } = await pool.query(
      'select count(*)::int as due from payment_route_polls where id = any ($1) and next_poll_at < now()',
      [ids],
    )
    expect([asked, since, rows[0].due]).toEqual([[], [], 3])
    await pool.query("update provider_budgets set paused_until = now() - interval '1 second'")
    await poll()
    await feed()
    chance.mockRestore()
    expect([asked.flat().length, since.length]).toEqual([3, 1])
  },
)

test('what the provider has announced is polled before everything that is overdue, also within one organisation', async () => {
  const { all } = await routes(120)
  const ids = all.map(({ id }) => id)
  await service.runtime.pool.query(
    "update payment_route_polls set next_poll_at = now() - interval '1 day', poll_seconds = 2 where id = any ($1)",
    [ids],
  )
  const announced = all.at(-1) as { id: string; depositAddress: string }
  await service.runtime.pool.query(
    "update payment_route_polls set next_poll_at = now() + interval '1 hour' where id = $1",
    [announced.id],
  )
  await schedulePolls(service.runtime, 'test', [announced.depositAddress.toUpperCase()])
  await service.runtime.pool.query('update provider_budgets set tokens = 1, refilled_at = clock_timestamp()')
  const [batch] = await claimRound(service.runtime, 1)
  expect(batch?.routes.map(({ id }) => id)).toContain(announced.id)
})

test('the feed makes the addresses that changed due, each change once, and goes on from the provider’s own time', async () => {
  const { all } = await routes(2)
  const [first, second] = all
  if (!first || !second) throw new Error('No routes')
  const until = new Date('2026-01-31T12:00:00.000Z')
  const dueNow = async () => {
    const { rows } = await service.runtime.pool.query<{ id: string }>(
      'select id from payment_route_polls where next_poll_at <= now()',
    )
    await service.runtime.pool.query("update payment_route_polls set next_poll_at = now() + interval '1 hour'")
    await service.runtime.pool.query('update payment_route_feeds set next_at = now() - make_interval(secs => 1)')
    return rows.map(({ id }) => id)
  }
  await dueNow()
  changes = { addresses: [{ address: first.depositAddress, version: 'a 1' }], until, calls: 1 }
  await feedTask.run(service.runtime)
  expect(await dueNow()).toEqual([first.id])
  changes = { ...changes, addresses: [...changes.addresses, { address: second.depositAddress, version: 'b 1' }] }
  await feedTask.run(service.runtime)
  expect(since.at(-1)).toEqual(new Date(until.getTime() - 60_000))
  expect(await dueNow()).toEqual([second.id])
  await feedTask.run(service.runtime)
  expect(await dueNow()).toEqual([])
})

test('a feed that another process has just read is not read again', async () => {
  await service.runtime.pool.query('update payment_route_feeds set next_at = now() - make_interval(secs => 1)')
  const before = since.length
  await Promise.all([feedTask.run(service.runtime), feedTask.run(service.runtime), feedTask.run(service.runtime)])
  expect(since.length).toBe(before + 1)
})
