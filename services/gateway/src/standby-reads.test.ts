import { everyDomain } from '@payments/api'
import { newId } from '@payments/kernel'
import { createLog, migrate, readsManyRows, walPositionSql } from '@payments/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  hasTools,
  type Merchant,
  newMerchant,
  newSwap,
  type RunningService,
  runService,
  type SystemPostgres,
  signedIn,
  startStandby,
  startSystemPostgres,
} from '#testing'
import { operations } from './operations/operations.ts'

// The embedded server is one that its supervisor keeps a primary.
const onStandbys = test.runIf(hasTools('pg_ctlcluster', 'setpriv'))
const PATIENCE = { timeout: 20_000, interval: 50 }

let primary: SystemPostgres
let standby: SystemPostgres
/** Two gateways on both servers. */
let gateways: readonly [RunningService, RunningService]
let merchant: Merchant

beforeAll(async () => {
  if (!hasTools('pg_ctlcluster', 'setpriv')) return
  primary = await startSystemPostgres('autovacuum=off')
  await primary.query('create role service login')
  const serviceUrl = primary.url().replace('postgres@', 'service@')
  await migrate(primary.url(), serviceUrl, everyDomain, createLog('fatal'))
  standby = await startStandby(primary)
  const settings = { DATABASE_READ_URL: standby.url().replace('postgres@', 'service@') }
  const run = () => runService({ serviceUrl }, { settings })
  gateways = [await run(), await run()]
  merchant = await newMerchant(gateways[0])
}, 120_000)

afterAll(async () => {
  await Promise.all((gateways ?? []).map((each) => each.stop()))
  await Promise.all([standby?.remove(), primary?.remove()])
})

/** What a gateway's metrics say of the servers that its reads have had. */
async function reads(gateway: RunningService): Promise<{ standby: number; primary: number; problem: string }> {
  const text = await (await fetch(`${gateway.internalUrl}/metrics`)).text()
  const of = (server: string) => Number(text.match(`standby_reads_total{server="${server}"} (\\d+)`)?.[1] ?? Number.NaN)
  const problem = text.match(/standby_problem{reason="(\w+)"} 1/)?.[1] ?? 'none'
  return { standby: of('standby'), primary: of('primary'), problem }
}

const get = (gateway: RunningService, path: string) => call(gateway, `GET /v1${path}`, { token: merchant.key })

/** The servers that a request's reads have had; the request must succeed. */
async function serversOf(request: () => Promise<{ status: number; text: string }>, gateway = gateways[0]) {
  const before = await reads(gateway)
  const { status, text } = await request()
  expect([status, text]).toEqual([200, expect.any(String)])
  const after = await reads(gateway)
  return [
    ...(after.standby > before.standby ? ['standby'] : []),
    ...(after.primary > before.primary ? ['primary'] : []),
  ]
}

const listsFromStandby = () =>
  expect.poll(() => serversOf(() => get(gateways[0], '/customers')), PATIENCE).toEqual(['standby'])

async function createCustomer(gateway = gateways[0]): Promise<string> {
  const body = { name: 'Ada', email: `${newId()}@example.com` }
  const { status, data } = await call(gateway, 'POST /v1/customers', { token: merchant.key, body })
  expect(status).toBe(201)
  return data.id
}

const listed = async (gateway: RunningService, path = '/customers') => {
  const { status, data } = await get(gateway, path)
  expect(status).toBe(200)
  return (Object.values(data)[0] as { id: string }[]).map(({ id }) => id)
}

/** What is read is not in a table, or is found by its key on the primary. */
const WITHOUT_STATEMENTS = [
  'auth.sessions',
  'cngn.networks',
  'fiat.currencies',
  'paymentRoutes.networks',
  'rates.list',
  'webhooks.eventTypes',
]

onStandbys(
  'every list, search, export and report is served by the standby, and nothing else is',
  { timeout: 120_000 },
  async () => {
    const [gateway] = gateways
    const before = gateway.logs.length
    const customerId = await createCustomer()
    const { accessToken } = await signedIn(gateway.runtime, { role: 'operator' })
    const found = new Map<string, string>()
    for (const { name, method, path, operation } of operations) {
      const line = `${method} /v1${path.replace('{customerId}', customerId)}`
      if (operation.command || line.includes('{') || operation.meta.produces === 'event-stream') continue
      const isMerchants = operation.meta.access === 'read' || operation.meta.access === 'public'
      const options = { token: isMerchants ? merchant.key : accessToken, ...(method === 'POST' ? { body: {} } : {}) }
      const request = () => call(gateway, line, options)
      const { status } = await request()
      // Some need more input, or objects.
      if (status !== 200) expect([name, [403, 404, 409, 422]]).toEqual([name, expect.arrayContaining([status])])
      else {
        const expected = readsManyRows(operation) && !WITHOUT_STATEMENTS.includes(name) ? ['standby'] : []
        await expect.poll(async () => [name, await serversOf(request)], PATIENCE).toEqual([name, expected])
        found.set(name, expected.join())
      }
    }
    expect([...found.values()].filter((server) => server === 'standby').length).toBeGreaterThan(60)
    expect(gateway.logs.slice(before).filter((line) => line.includes('read on the standby failed'))).toEqual([])
  },
)

onStandbys('the standby reads the rows of a list, and the primary a single object', async () => {
  const [gateway] = gateways
  const id = await createCustomer()
  await primary.query(`alter table customers enable row level security;
    create policy of_standby on customers using (pg_is_in_recovery())`)
  try {
    await expect.poll(() => listed(gateway), PATIENCE).toContain(id)
    expect((await get(gateway, `/customers/${id}`)).status).toBe(404)
  } finally {
    await primary.query('drop policy of_standby on customers; alter table customers disable row level security')
  }
})

onStandbys(
  'what one gateway has committed is in the lists, exports and reports of another at once, also while the standby replays nothing',
  { timeout: 120_000 },
  async () => {
    const [first, second] = gateways
    await listsFromStandby()
    for (let round = 0; round < 20; round++) {
      const id = await createCustomer(first)
      expect(await listed(second)).toContain(id)
    }
    await expect.poll(() => serversOf(() => get(second, '/customers'), second), PATIENCE).toEqual(['standby'])
    await standby.query('select pg_wal_replay_pause()')
    try {
      const count = async () => (await get(second, '/reports/summary')).data.count
      for (let round = 0; round < 5; round++) {
        const id = await createCustomer(first)
        const before = await count()
        const swap = await newSwap(merchant)
        const read = async () => {
          expect(await listed(second)).toContain(id)
          expect(await count()).toBe(before + 1)
          const file = await get(second, '/transactions/export')
          expect(file.text).toContain(swap.id)
          return file
        }
        expect(await serversOf(read, second)).toEqual(['primary'])
      }
      expect(await reads(second)).toMatchObject({ problem: 'behind' })
    } finally {
      await standby.query('select pg_wal_replay_resume()')
    }
    await listsFromStandby()
  },
)

onStandbys(
  'while the standby is killed, starts or is promoted, every request is served; it serves again when it is a standby',
  { timeout: 240_000 },
  async () => {
    const [gateway] = gateways
    const paths = ['/customers', '/swaps', '/transactions/export', '/reports/summary', '/payment-routes']
    let isRunning = true
    let requests = 0
    const failures: unknown[] = []
    const load = async () => {
      while (isRunning)
        for (const path of paths) {
          const reply = await get(gateway, path).catch((error: unknown) => ({ status: 0, text: String(error) }))
          requests++
          if (reply.status !== 200) failures.push([path, reply.status, reply.text])
        }
    }
    const problem = async () => (await reads(gateway)).problem
    await listsFromStandby()
    const before = gateway.logs.length
    const loads = [load(), load()]
    try {
      await standby.end('SIGKILL')
      await expect.poll(problem, PATIENCE).toBe('unreachable')
      standby.start()
      await standby.accepts()
      await listsFromStandby()

      await standby.query('select pg_promote()')
      await expect.poll(problem, PATIENCE).toBe('not_a_standby')
      const { standby: served } = await reads(gateway)
      const id = await createCustomer(gateway)
      expect(await listed(gateway)).toContain(id)
      expect((await reads(gateway)).standby).toBe(served)
    } finally {
      await standby.end('SIGINT')
      await expect.poll(problem, PATIENCE).toBe('unreachable')
      standby.follow(primary)
      standby.start()
      await standby.accepts()
      await listsFromStandby()
      isRunning = false
      await Promise.all(loads)
    }
    expect([failures, requests > 50]).toEqual([[], true])
    const lines = gateway.logs.slice(before).map((line) => JSON.parse(line))
    const outages = lines.flatMap(({ msg, problem: of }) => (/^standby/.test(msg) ? [[msg, of]] : []))
    // A server that is being promoted is of the next timeline a moment before it is no standby any more.
    const promoted = expect.stringMatching(/^(not_a_standby|other_history)$/)
    expect(outages).toEqual([
      ['standby unavailable', 'unreachable'],
      ['standby available again', undefined],
      ['standby unavailable', promoted],
      ['standby available again', undefined],
    ])
  },
)

onStandbys(
  'a read that the standby cancels, because the replay cannot wait for it, is served by the primary',
  { timeout: 120_000 },
  async () => {
    const [gateway] = gateways
    const id = await createCustomer()
    await primary.query(`alter table customers enable row level security;
      create policy slow on customers using (not pg_is_in_recovery() or pg_sleep(5) is not null)`)
    await standby.end('SIGINT')
    standby.start('max_standby_streaming_delay=0')
    await standby.accepts()
    try {
      await expect.poll(() => serversOf(() => get(gateway, '/swaps')), PATIENCE).toEqual(['standby'])
      const servers = serversOf(async () => {
        const list = await get(gateway, '/customers')
        expect(list.text).toContain(id)
        return list
      })
      const sleeping =
        "select from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'payments-read'"
      await expect.poll(async () => (await standby.query(sleeping)).length, PATIENCE).toBe(1)
      await primary.query('begin; lock table customers in access exclusive mode; select pg_current_xact_id(); commit')
      expect(await servers).toEqual(['primary'])
      expect(await reads(gateway)).toMatchObject({ problem: 'none' })
    } finally {
      await primary.query('drop policy slow on customers; alter table customers disable row level security')
      await standby.end('SIGINT')
      standby.start()
      await standby.accepts()
      await listsFromStandby()
    }
  },
)

onStandbys(
  'a standby of another database cluster, or one that did not follow a promotion, serves no reads',
  async () => {
    const { standby: reader, pool } = gateways[0].runtime
    const { rows } = await pool.query(`select ${walPositionSql} as position`)
    const { position } = rows[0]
    const read = async (of: typeof position) => (await reader?.query('select 1 as one', [], of))?.rows
    for (const other of [{ cluster: '1' }, { timeline: position.timeline + 1 }]) {
      await expect.poll(() => read(position), PATIENCE).toEqual([{ one: 1 }])
      expect([await read({ ...position, ...other }), reader?.problem()]).toEqual([undefined, 'other_history'])
    }
    await expect.poll(() => read(position), PATIENCE).toEqual([{ one: 1 }])
  },
)
