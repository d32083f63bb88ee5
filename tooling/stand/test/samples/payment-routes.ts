import { checkLedger } from '@payments/ledger'
import { Client } from 'pg'
import { expect } from 'vitest'
import { type Merchant, samples } from '../../src/index.ts'
import type { TestService } from '../service/service.ts'
import { sized } from '../size.ts'
import { create, pay as paySample } from './create.ts'

export const newRouteBody = samples.route.body

interface RouteData {
  readonly id: string
  readonly provider: string
  readonly depositAddress: string
  readonly destinationAddress: string
  readonly status: string
}

/** Creates a route and returns the response's data. */
export const newRoute = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<RouteData> =>
  create(merchant, samples.route, given)

/** Creates routes one after another: an organisation may send only some requests at the same time. */
export async function newRoutes(merchant: Merchant, count: number): Promise<RouteData[]> {
  const routes: RouteData[] = []
  for (let number = 0; number < count; number++) routes.push(await newRoute(merchant))
  return routes
}

/** A payer's transfer arrives in the sandbox. */
export const pay = async (
  merchant: Merchant,
  routeId: string,
  amount: string,
  outcome = 'completed',
): Promise<string> => (await paySample(merchant, samples.route, routeId, { amount, outcome })).relayRequestId

/** `POST …/deposits/sync`, as the merchant sees it. */
export const sync = (merchant: Merchant, routeId: string) =>
  merchant.call(`POST /v1/payment-routes/${routeId}/deposits/sync`)

/** Advances the sandbox clock. */
export const advance = (merchant: Merchant, seconds: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds } })

export const DEPOSITS = Number(process.env.ROUTE_DEPOSITS ?? sized(150, 12))
export const ROUTES = 12
/** How often the worker is killed meanwhile. */
export const KILLS = sized(6, 1)
/** The timeout for so many deposits, ms. */
export const PATIENCE_MS = 60_000 + DEPOSITS * 200

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
export const chance = (share: number) => Math.random() < share

/** Schedules every poll for now until no deposit is pending. */
export async function settled(owner: Client, count: number): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    const { rows } = await owner.query<{ done: number }>(
      "select count(*) filter (where status <> 'pending')::int as done from payment_route_deposits",
    )
    if (rows[0]?.done === count) return
    await owner.query(
      "update payment_route_polls set next_poll_at = least(next_poll_at, now() + interval '200 milliseconds')",
    )
    await pause(250)
  }
}

/** Expects exactly one of each: deposit, transaction, postings, events. `paid`: the final status of each, by its request or transaction. */
export async function expectOnce(
  service: TestService,
  merchant: Merchant,
  owner: Client,
  paid: Map<string, string>,
  known: 'relay_request_id' | 'deposit_tx_hash' = 'relay_request_id',
): Promise<void> {
  const { rows: deposits } = await owner.query<{ id: string; key: string; status: string }>(
    `select id, ${known} as key, status from payment_route_deposits`,
  )
  expect(new Map(deposits.map(({ key, status }) => [key, status]))).toEqual(paid)
  expect(deposits.length).toBe(paid.size)
  expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(paid.size)
  const { rows: events } = await owner.query<{ change: string }>(
    `select resource_id || ' ' || coalesce(payload->'data'->>'previousStatus', 'nothing') || ' ' || (payload->'data'->>'status') as change
       from events where type = 'payment_route.deposit.updated'`,
  )
  const expected = deposits.flatMap(({ id, status }) => [`${id} nothing pending`, `${id} pending ${status}`])
  expect(events.map(({ change }) => change).sort()).toEqual(expected.sort())
  const { rows: entries } = await owner.query<{ count: number }>('select count(*)::int as count from ledger_entries')
  // `received`, and the entry of its final status.
  expect(entries[0]?.count).toBe(2 * paid.size)
  const report = await checkLedger(service.runtime)
  expect(report).toMatchObject({ ok: true, findings: [] })
}

/** The owner's own connection: it survives when those of the service are cut. */
export const connected = (service: Pick<TestService, 'database'>): Promise<Client> =>
  connectTo(service.database.ownerUrl)

/** A connection of the test's own. */
export async function connectTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}

const OUTCOMES = ['completed', 'completed', 'refunded', 'failed'] as const

/** Makes `count` deposits over the routes, each with an outcome; keyed by request. */
export async function payAll(merchant: Merchant, routes: readonly { id: string }[], count: number) {
  const paid = new Map<string, string>()
  for (let number = 0; number < count; number++) {
    const outcome = OUTCOMES[number % OUTCOMES.length] as string
    const route = routes[number % routes.length] as { id: string }
    paid.set(await pay(merchant, route.id, `${1 + (number % 40)}.${10 + (number % 3)}`, outcome), outcome)
  }
  return paid
}
