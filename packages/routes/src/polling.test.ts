import { newId } from '@payments/kernel'
import type { ClaimedPoll, Runtime } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { connected, foundOrganisation, newMerchant, newRoute, sized, sync, useService } from '#testing'
import { poll } from './deposits/deposits.ts'
import { claimRound } from './polling/poller.ts'
import { budget } from './schedule/rate-budget.ts'
import { FIRST_POLL_SECONDS, fullSyncShare, nextPoll } from './schedule/schedule.ts'

const service = useService()
const PER_MINUTE = 60
const BURST = 10
const of = (callsPerMinute: number) => ({ provider: 'sandbox', environment: 'test' as const, callsPerMinute })
const IDLE = { pendingSince: null, changed: false }

beforeEach(async () => {
  const { pool } = service.runtime
  await pool.query('delete from payment_route_polls')
  await pool.query('delete from payment_routes')
  await pool.query('delete from provider_budgets')
})

/** Routes that are all due, each with the given poll interval in seconds. */
async function dueRoutes(count: number, pollSeconds: number): Promise<void> {
  await service.runtime.pool.query(
    `with routes as (
       insert into payment_routes (id, organisation_id, environment, provider, name, status, origin_chain_key, origin_currency,
         destination_chain_key, destination_currency, destination_address, refund_address, refund_owner, deposit_address, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', 'sandbox', 'Route', 'active', 'ethereum', 'USDC', 'base', 'USDC', n || $4, 'r', 'organisation', n || $4, now(), now()
         from generate_series(1, $2::int) n returning id, organisation_id, environment, provider)
     insert into payment_route_polls (id, organisation_id, environment, provider, next_poll_at, poll_seconds)
     select id, organisation_id, environment, provider, now() - interval '1 minute', $3 from routes`,
    [await foundOrganisation(service.runtime), count, pollSeconds, newId()],
  )
}

/** The runtime, and how many statements about routes its pool has sent. */
function counting(): { runtime: Runtime; sent: () => number } {
  let statements = 0
  const pool = new Proxy(service.runtime.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return (...given: [string, unknown[]]) => {
        if (given[0].includes('payment_route')) statements++
        return target.query(...given)
      }
    },
  })
  return { runtime: { ...service.runtime, pool } as Runtime, sent: () => statements }
}

/** Claims due routes within the rate limit, and returns how many calls the limit allowed in that time. */
async function claims(rounds: number): Promise<{ ids: string[]; allowed: number }> {
  const started = Date.now()
  const taken = await Promise.all(
    Array.from({ length: rounds }, () => budget.claim(service.runtime.pool, of(PER_MINUTE), 200)),
  )
  const allowed = BURST + Math.ceil(((Date.now() - started) / 60_000) * PER_MINUTE)
  return { ids: taken.flat().map(({ id }) => id), allowed }
}

test('a round over a hundred thousand due routes looks once, claims them with one statement and makes as many polls as the provider’s limit allows', async () => {
  for (let part = 0; part < sized(20, 1); part++) await dueRoutes(5000, 3600)
  const { runtime, sent } = counting()
  const claimed = await claimRound(runtime, 200)
  expect(claimed.length).toBe(200)
  expect(sent()).toBe(2)
})

test.each([500, 2500])(
  'organisations take turns: %s due routes of one do not delay the route of another',
  async (count) => {
    await dueRoutes(count, 2)
    await dueRoutes(1, 2)
    await service.runtime.pool.query(
      `update payment_route_polls set next_poll_at = now() - make_interval(secs => 1) where organisation_id = (
       select organisation_id from payment_routes group by organisation_id having count(*) = 1)`,
    )
    const claimed = await budget.claim(service.runtime.pool, of(60_000), 4)
    expect(new Set(claimed.map(({ organisationId }) => organisationId)).size).toBe(2)
  },
)

test('processes that poll concurrently share one rate limit and never claim the same route', async () => {
  await dueRoutes(200, 2)
  const { ids, allowed } = await claims(12)
  expect(ids.length).toBeGreaterThanOrEqual(BURST - 2)
  expect(ids.length).toBeLessThanOrEqual(allowed)
  expect(new Set(ids).size).toBe(ids.length)
})

test('routes with pending deposits are polled first, and idle routes still get their share', async () => {
  await dueRoutes(500, 2)
  await dueRoutes(500, 3600)
  const idle = new Set(
    (
      await service.runtime.pool.query<{ id: string }>('select id from payment_route_polls where poll_seconds > 60')
    ).rows.map(({ id }) => id),
  )
  const taken = await budget.claim(service.runtime.pool, of(12_000), 200)
  expect(taken.length).toBe(200)
  const idleTaken = taken.filter(({ id }) => idle.has(id)).length
  expect(idleTaken).toBeGreaterThanOrEqual(40)
  expect(idleTaken).toBeLessThanOrEqual(41)
})

test('idle routes take the whole round when nothing else is due', async () => {
  await dueRoutes(300, 3600)
  expect((await budget.claim(service.runtime.pool, of(12_000), 200)).length).toBe(200)
})

test.each([2, 3600])(
  'where a claim took nothing, the next one takes what has become due, of an interval of %s seconds',
  async (seconds) => {
    const { pool } = service.runtime
    const claim = async () => (await budget.claim(pool, of(60_000), 10)).length
    const makeDue = (at: string) => pool.query(`update payment_route_polls set next_poll_at = now() + interval '${at}'`)
    expect(await claim()).toBe(0)
    await dueRoutes(3, seconds)
    await makeDue('1 minute')
    expect([await claim(), await claim()]).toEqual([0, 0])
    await makeDue('-1 second')
    expect([await claim(), await claim()]).toEqual([3, 0])
    await makeDue('-1 second')
    expect(await claim()).toBe(3)
  },
)

test('a poll that a merchant asks for uses the same rate budget, goes ahead of scheduled polls and gets 503 when the budget is spent', async () => {
  await dueRoutes(50, 2)
  const { pool } = service.runtime
  for (let calls = 0; calls < BURST * 2; calls++) expect(await budget.tryConsume(pool, of(PER_MINUTE))).toBe(true)
  expect(await budget.claim(pool, of(PER_MINUTE), 200)).toEqual([])
  await pool.query('update provider_budgets set tokens = -10, refilled_at = clock_timestamp()')
  await budget.tryConsume(pool, of(PER_MINUTE))
  expect(await budget.tryConsume(pool, of(PER_MINUTE))).toBe(false)
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  await pool.query('update provider_budgets set tokens = -1e6, refilled_at = clock_timestamp()')
  const { status, body } = await sync(merchant, id)
  expect([status, body.message]).toEqual([503, 'The payment provider is not available, please retry'])
})

test('a poll of several pages consumes one call of the rate budget per page', async () => {
  await dueRoutes(50, 2)
  const { pool } = service.runtime
  await budget.tryConsume(pool, of(PER_MINUTE))
  await pool.query('update provider_budgets set tokens = $1, refilled_at = clock_timestamp()', [BURST])
  await budget.consume(pool, of(1), BURST + 5)
  expect(await budget.claim(pool, of(PER_MINUTE), 200)).toEqual([])
  await pool.query("update provider_budgets set refilled_at = refilled_at - interval '8 seconds'")
  expect((await budget.claim(pool, of(PER_MINUTE), 200)).length).toBeOneOf([2, 3, 4])
})

test('the poll interval doubles up to an hour (a day for a deleted route), with at most 20 % jitter', () => {
  const pauses = (status: string) => {
    let pollSeconds = 15
    return Array.from({ length: 15 }, () => {
      const next = nextPoll({ status, pollSeconds }, IDLE, 0)
      pollSeconds = next.pollSeconds
      expect(Math.abs(next.nextPollAt.getTime() / 1000 - pollSeconds)).toBeLessThanOrEqual(pollSeconds / 5 + 0.001)
      return pollSeconds
    })
  }
  expect(pauses('active').slice(0, 3)).toEqual([30, 60, 120])
  expect(pauses('active').at(-1)).toBe(3600)
  expect(pauses('deleted').at(-1)).toBe(86_400)
  expect(nextPoll({ status: 'active', pollSeconds: 3600 }, { ...IDLE, changed: true }, 0).pollSeconds).toBe(2)
})

test('a deposit that stays pending is polled ever more rarely: every 2 s at first, each hour after a day', () => {
  const seconds = (age: number) =>
    nextPoll({ status: 'active', pollSeconds: 2 }, { pendingSince: new Date(0), changed: false }, age * 1000)
      .pollSeconds
  expect([0, 10, 60, 3600, 86_400].map(seconds)).toEqual([2, 2, 8, 450, 3600])
  let polls = 0
  for (let age = 0; age < 86_400; age += seconds(age)) polls++
  expect(polls).toBeLessThan(100)
})

test('a hidden route is polled every 30 s when its payer has just begun, more rarely with its age, and hardly ever when nobody is expected', () => {
  const pauses = (watchedUntil: Date, age = 0) => {
    let pollSeconds = 15
    return Array.from({ length: 20 }, () => {
      const route = { status: 'active', pollSeconds, hidden: true, watchedUntil, createdAt: new Date(-age * 1000) }
      pollSeconds = nextPoll(route, IDLE, 0).pollSeconds
      return pollSeconds
    })
  }
  const soon = new Date(1000)
  expect(new Set(pauses(soon))).toEqual(new Set([30]))
  expect(pauses(soon, 3600).at(-1)).toBe(450)
  expect(pauses(new Date(0))[0]).toBe(3600)
  expect(pauses(new Date(0)).at(-1)).toBe(7 * 86_400)
})

test('one poll a day requests the full history, at any poll interval', () => {
  for (const pause of [2, 60, 3600, 86_400]) expect((86_400 / pause) * fullSyncShare(pause)).toBeCloseTo(1)
})

test('a poll of which nothing is told changes its next poll alone, without waiting for what holds the route', async () => {
  await dueRoutes(1, FIRST_POLL_SECONDS)
  const [claimed] = await budget.claim(service.runtime.pool, of(12_000), 1)
  const owner = await connected(service)
  const shown = async () => {
    const { rows } = await owner.query('select poll_seconds, next_poll_at > now() as later from payment_route_polls')
    return rows
  }
  try {
    await owner.query('begin')
    await owner.query('select from payment_routes join payment_route_polls using (id) for no key update')
    const counts = { synced: 0, created: 0, updated: 0 }
    expect(await poll(service.runtime, claimed as ClaimedPoll)).toEqual(counts)
    expect(await shown()).toEqual([{ poll_seconds: FIRST_POLL_SECONDS, later: true }])
    await owner.query('rollback')
    expect(await poll(service.runtime, claimed as ClaimedPoll)).toEqual(counts)
    expect(await shown()).toEqual([{ poll_seconds: 2 * FIRST_POLL_SECONDS, later: true }])
  } finally {
    await owner.end()
  }
})

test('routes that are polled at the same time share what is read and written of them, and each gets its own next poll', async () => {
  await dueRoutes(20, FIRST_POLL_SECONDS)
  const claimed = await budget.claim(service.runtime.pool, of(12_000), 20)
  const { runtime, sent } = counting()
  await Promise.all(claimed.map((each) => poll(runtime, each)))
  const { rowCount } = await service.runtime.pool.query(
    'select from payment_route_polls where poll_seconds = $1 and next_poll_at > now() + make_interval(secs => $1 * 0.7)',
    [2 * FIRST_POLL_SECONDS],
  )
  expect(rowCount).toBe(20)
  expect(sent()).toBeLessThan(20)
})

test('a poll of a route as that of another tenant fails alone', async () => {
  await dueRoutes(2, FIRST_POLL_SECONDS)
  const [one, other] = await budget.claim(service.runtime.pool, of(12_000), 2)
  const foreign = { ...(other as ClaimedPoll), organisationId: newId() }
  const settled = await Promise.allSettled([one as ClaimedPoll, foreign].map((each) => poll(service.runtime, each)))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('a claimed route is not due again at once, and one whose process died is due again within 30 seconds', async () => {
  await dueRoutes(1, 2)
  const { pool } = service.runtime
  expect(await budget.claim(pool, of(12_000), 10)).toHaveLength(1)
  expect(await budget.claim(pool, of(12_000), 10)).toHaveLength(0)
  const { rows } = await pool.query<{ wait: number }>(
    'select extract(epoch from next_poll_at - now())::float8 as wait from payment_route_polls',
  )
  expect(rows[0]?.wait).toBeGreaterThan(25)
  expect(rows[0]?.wait).toBeLessThanOrEqual(30)
  await pool.query("update payment_route_polls set next_poll_at = next_poll_at - interval '31 s'")
  expect(await budget.claim(pool, of(12_000), 10)).toHaveLength(1)
})
