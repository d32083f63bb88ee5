import { system } from '@payments/kernel'
import { queryContext, type Runtime, type SqlExecutor, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  advance,
  connected,
  foundOrganisation,
  fund,
  newMerchant,
  newOfframp,
  newOnramp,
  statementsWaiting,
  useService,
} from '#testing'
import { reportOf } from '../../test/orders.ts'
import { announce } from '../orders/schedule.ts'
import { budget } from '../provider/limits.ts'
import { applyPoll, poll, pollTask } from './polls.ts'

const service = useService()
const ORDERS = 30

test('a backlog of due orders is worked off by one run of the task: polls that complete claim the next ones', async () => {
  const merchant = await newMerchant(service)
  for (let order = 0; order < ORDERS; order++) {
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id)
  }
  await advance(merchant, 10)
  // No interval runs the task again, only what it triggers itself.
  const runtime: Runtime = {
    ...service.runtime,
    trigger: (task) => void (task === pollTask.name && pollTask.run(runtime)),
  }
  await pollTask.run(runtime)
  const delivered = async () =>
    (
      await service.runtime.pool.query("select from offramps where status = 'delivered' and organisation_id = $1", [
        merchant.organisationId,
      ])
    ).rowCount
  await expect.poll(delivered, { timeout: 25_000 }).toBe(ORDERS)
  await pollTask.stop?.(runtime)
})

test.each([500, 2500])(
  'organisations take turns: %s due orders of one do not delay the order of another',
  async (many) => {
    const { runtime } = service
    const due = async (count: number, since: string) => {
      const organisationId = await foundOrganisation(runtime)
      await runtime.pool.query(
        `insert into fiat_polls (id, organisation_id, environment, provider, direction, next_poll_at, poll_seconds, created_at)
       select gen_random_uuid(), $1, 'live', 'paycrest', 'offramp', now() - $3::interval, 2, now() from generate_series(1, $2::int)`,
        [organisationId, count, since],
      )
      return organisationId
    }
    await runtime.pool.query('delete from fiat_polls')
    await due(many, '1 hour')
    const other = await due(1, '1 second')
    const claimed = await budget.claim(
      runtime.pool,
      { provider: 'paycrest', environment: 'live', callsPerMinute: 60_000 },
      4,
    )
    expect(claimed.map(({ organisationId }) => organisationId)).toContain(other)
  },
)

test.each(['offramp', 'onramp'] as const)(
  'a poll of an %s that tells nothing new waits for no lock of the order, and postpones the next one unless it was announced or changed meanwhile',
  async (direction) => {
    const { runtime } = service
    const { pool } = runtime
    const merchant = await newMerchant(service)
    const { id } = await (direction === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
    const { organisationId, environment } = merchant
    const polled = async (pollSeconds: number) => {
      await poll(runtime, { id, direction, organisationId, environment, provider: 'sandbox', pollSeconds })
      const { rows } = await pool.query<{ seconds: number; away: number; error: string | null }>(
        `select poll_seconds as seconds, extract(epoch from next_poll_at - now())::float8 as away, error from fiat_polls where id = $1`,
        [id],
      )
      return rows[0]
    }
    const holding = await connected(service)
    try {
      await holding.query('begin')
      await holding.query(`select from ${direction}s where id = $1 for update`, [id])
      await pool.query("update fiat_polls set error = 'poll_failed', poll_seconds = 8 where id = $1", [id])
      const postponed = await polled(8)
      expect(postponed).toMatchObject({ seconds: 16, error: null })
      expect(postponed?.away).toBeGreaterThan(10)
      expect(await polled(8)).toMatchObject({ seconds: 16 })
      await announce(pool, [id])
      expect((await polled(2))?.away).toBeLessThan(0)
    } finally {
      await holding.query('rollback')
      await holding.end()
    }
    await fund(merchant, direction, id)
    await advance(merchant, 10)
    await polled(2)
    const { data } = (await merchant.call(`GET /v1/${direction}s/${id}`)).body
    expect(data.status).not.toBe(direction === 'offramp' ? 'pending' : 'awaiting_payment')
  },
)

describe('what a provider announces', () => {
  /** An order that nobody paid; `days` ago its last change. With the poll that its worker makes now. */
  async function begin(days = 0) {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    const { pool } = service.runtime
    const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
    const poll = () =>
      unitOfWork(context, (unit) =>
        applyPoll(unit, 'offramp', id, reportOf('offramp', { status: 'expired', receivedAmount: null }), 600),
      )
    await poll()
    await pool.query('update offramps set updated_at = now() - make_interval(days => $2) where id = $1', [id, days])
    const isDue = async () =>
      (await pool.query('select from fiat_polls where id = $1 and next_poll_at <= now()', [id])).rowCount === 1
    return { id, poll, isDue }
  }

  test('while the polls of its order end is polled', async () => {
    const { id, isDue } = await begin()
    const ending = await connected(service)
    try {
      await ending.query('begin')
      await ending.query('select from fiat_polls where id = $1 for update', [id])
      const announced = announce(service.runtime.pool, [id])
      await statementsWaiting(service, 1)
      await ending.query('delete from fiat_polls where id = $1', [id])
      await ending.query('commit')
      expect(await announced).toBe(true)
    } finally {
      await ending.end()
    }
    expect(await isDue()).toBe(true)
  })

  test.each([
    ['the last poll', 15],
    ['a poll', 1],
  ])('between the answer of %s and its commit is polled', async (_name, days) => {
    const { id, poll, isDue } = await begin(days)
    expect(await announce(service.runtime.pool, [id])).toBe(true)
    await poll()
    expect(await isDue()).toBe(true)
  })

  test('is one statement: a crash leaves all of it or nothing, and no success for the provider', async () => {
    const { id, isDue } = await begin(1)
    const { pool } = service.runtime
    const crashing: SqlExecutor = { query: () => Promise.reject(new Error('The connection was lost')) }
    await expect(announce(crashing, [id])).rejects.toThrow('The connection was lost')
    expect(await isDue()).toBe(false)
    let statements = 0
    const counting: SqlExecutor = {
      query(text, values) {
        statements++
        return pool.query(text, values)
      },
    }
    expect([await announce(counting, [id], 'test'), statements, await isDue()]).toEqual([true, 1, true])
  })

  test('of an unknown order, an order of the other environment or no id changes nothing', async () => {
    const { id, isDue } = await begin(1)
    expect(await announce(service.runtime.pool, ['no id', crypto.randomUUID()])).toBe(false)
    expect(await announce(service.runtime.pool, [id], 'live')).toBe(false)
    expect(await isDue()).toBe(false)
  })
})
