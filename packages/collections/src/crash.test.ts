import { anonymous } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { routes } from '@payments/routes'
import { expect, test } from 'vitest'
import {
  connected,
  dyingEverywhere,
  newCollection,
  newMerchant,
  CHECKOUT_PAYMENTS as PAYMENTS,
  pause,
  paySession,
  sized,
  startProcess,
  startService,
  startSession,
  useService,
} from '#testing'
import { caseOf, expectAllEnded, inWaves, linksFor, payStep, startAll } from '../test/cases.ts'
import { eventsOf, getSession, inOrder, poll } from '../test/sessions.ts'
import { prepareStart, start } from './sessions/sessions.ts'

const service = useService()
const KILLS = sized(3, 1)

test('a crash before any statement of a report, its commit included, changes nothing; the next poll applies all of it once', {
  timeout: 120_000,
}, async () => {
  const { pool } = service.runtime
  const pay = async (runtime: Runtime) => {
    const merchant = await newMerchant(service)
    const { id: parent } = await newCollection(merchant, { type: 'checkout' })
    const { id, depositAddress } = await startSession(service, parent, { payerEmail: 'payer@example.com' })
    const waiting = await startSession(service, parent)
    await paySession(merchant, id, { amount: '30' })
    await pool.query(
      "update sandbox_relay_requests set settles_at = date_trunc('milliseconds', now()) where address = $1",
      [depositAddress],
    )
    const before = await getSession(merchant, id)
    const [task] = routes.work?.tasks ?? []
    // This route alone is due, and the rate budget allows its poll however fast the earlier ones were.
    await pool.query(
      "update payment_route_polls set next_poll_at = case when id in (select id from payment_routes where deposit_address = $1) then now() else now() + interval '1 hour' end",
      [depositAddress],
    )
    await pool.query("update provider_budgets set refilled_at = refilled_at - interval '1 hour'")
    await task?.run(runtime)
    await task?.stop?.(runtime)
    return { merchant, id, parent, waiting, before }
  }
  const check = async (cut: number | null, paid: Awaited<ReturnType<typeof pay>> | undefined) => {
    if (!paid) throw new Error('The task failed')
    const { merchant, id, parent, waiting, before } = paid
    const after = await getSession(merchant, id)
    if (cut !== null) expect(after, `statement ${cut}`).toEqual(before)
    else expect(after, service.logs.slice(-5).join('\n')).toMatchObject({ status: 'paid' })
    await poll(service, merchant)
    await poll(service, merchant)
    expect(await getSession(merchant, id)).toMatchObject({ status: 'paid', paidOver: true, receivedAmount: '30' })
    expect(await getSession(merchant, waiting.id)).toMatchObject({ status: 'cancelled' })
    expect(await getSession(merchant, parent)).toMatchObject({ status: 'paid', paymentsCount: 1 })
    expect((await eventsOf(service, merchant)).toSorted()).toEqual([
      'checkout >open',
      'checkout open>paid',
      'session >awaiting_payment',
      'session >awaiting_payment',
      'session awaiting_payment>cancelled',
      'session awaiting_payment>processing',
      'session processing>paid',
    ])
    const { rows } = await pool.query(
      "select count(*)::int as count from notifications where organisation_id = $1 and type = 'money.received'",
      [merchant.organisationId],
    )
    expect(rows).toEqual([{ count: 1 }])
  }
  expect(await dyingEverywhere(service, pay, check)).toBeGreaterThan(0)
  await inOrder(service)
})

test('a crash before the one statement of a start leaves neither a session nor a route', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const input = { collectionId: id, action: 'start', networkKey: 'ethereum', currency: 'USDC' } as const
  const call = service.process.callContext(anonymous, { ip: '198.51.100.9' })
  const context = queryContext(service.runtime, anonymous)
  const count = async () =>
    (
      await service.runtime.pool.query<{ sessions: number; routes: number }>(
        `select (select count(*)::int from checkout_sessions where organisation_id = $1) as sessions,
                (select count(*)::int from payment_routes where organisation_id = $1) as routes`,
        [merchant.organisationId],
      )
    ).rows[0]
  const cuts = await dyingEverywhere(
    service,
    async (runtime) => {
      const prepared = await prepareStart(context, input, call)
      return unitOfWork(queryContext(runtime, anonymous), (unit) => start(unit, input, prepared))
    },
    async (cut) =>
      expect(await count()).toEqual(cut === null ? { sessions: 1, routes: 1 } : { sessions: 0, routes: 0 }),
  )
  expect(cuts).toBe(1)
})

test('parallel payments while connections are cut and workers are killed: each session ends right, once', {
  timeout: 180_000 + PAYMENTS * 1000,
}, async () => {
  const own = await startService()
  const owner = await connected(own)
  // Before connections are cut: they are not what is proven here.
  const merchant = await newMerchant(own)
  const links = await linksFor(merchant, PAYMENTS)
  // A process whose connection is cut while it starts ends, as it should; here it must start.
  let starting = false
  const startWorker = async () => {
    starting = true
    try {
      return await startProcess(own, { PROCESS_ROLE: 'all' })
    } finally {
      starting = false
    }
  }
  let worker = await startWorker()
  let working = true
  const cutting = (async () => {
    while (working) {
      if (starting) {
        await pause(50)
        continue
      }
      await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name like 'payments%' order by random() limit 1`,
      )
      await pause(400)
    }
  })()
  try {
    const sessions = await startAll(own, links, PAYMENTS)
    const killer = (async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(400 + Math.random() * 1500)
        worker.kill()
        worker = await startWorker()
      }
    })()
    await inWaves(PAYMENTS, (number) => payStep(merchant, sessions[number] as (typeof sessions)[number], 0))
    const watcher = await connected(own)
    const openOf = async (step: number) => {
      const { rows } = await watcher.query<{ id: string; status: string }>('select id, status from checkout_sessions')
      const status = new Map(rows.map((row) => [row.id, row.status]))
      return sessions.filter((session) => {
        const { steps, end } = caseOf(session)
        return status.get(session.id) !== (step < steps.length - 1 ? 'underpaid' : end)
      })
    }
    const settled = async (step: number) => {
      for (let tries = 0; tries < 600 && (await openOf(step)).length > 0; tries++) {
        await watcher.query(
          "update payment_route_polls set next_poll_at = least(next_poll_at, now() + interval '300 milliseconds') where id in (select id from payment_routes where hidden)",
        )
        await pause(300)
      }
    }
    await settled(0)
    await inWaves(PAYMENTS, (number) => payStep(merchant, sessions[number] as (typeof sessions)[number], 1))
    await settled(1)
    await killer
    await settled(1)
    working = false
    await cutting
    await watcher.end()
    await own.runtime.pool.query('select 1').catch(() => undefined)
    await expectAllEnded(own, merchant, sessions)
  } finally {
    working = false
    await cutting.catch(() => undefined)
    worker.kill()
    await owner.end()
    await own.stop()
  }
})
