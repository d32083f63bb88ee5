import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appRouter, composeProcess, everyDomain, loadServiceSettings, type Process } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { foundOrganisation } from '@payments/fixtures'
import { type Actor, newId, ServiceError, system } from '@payments/kernel'
import { createLog, migrate, type Operation, type Runtime } from '@payments/platform'
import { Client } from 'pg'
import { median } from './load.ts'
import { multiply } from './multiply.ts'

const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const SIZES = [...new Set([1000, 10_000, 100_000, 1_000_000].map((size) => Math.max(1000, Math.round(size * SCALE))))]
const REPEATS = 9

/** Tables that grow with the business, of one organisation. */
const TABLES = [
  'customers',
  'payment_routes',
  'payment_route_deposits',
  'transactions',
  'ledger_entries',
  'ledger_postings',
  'events',
  'webhook_deliveries',
  'offramps',
  'onramps',
  'swaps',
  'collections',
  'checkout_sessions',
  'cngn_transfers',
  'notifications',
  'request_log',
  'provider_calls',
  'audit_log',
]

interface Described {
  readonly _def: { readonly meta: { readonly operation: Operation } }
}

/**
 * What each list and lookup, the operators' searches, each task and each scheduled job costs in a process, with 10^3 to 10^6
 * records of one organisation in every table: milliseconds, and the ratio of the largest to the smallest. Lists that are complete by
 * the specification are left out: they cost as much as they return.
 */
export async function benchScaling(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const costs = new Map<string, number[]>()
  try {
    for (const size of SIZES) {
      const name = `scaling${size}`
      await ensureDatabase(server.ownerUrl(), name)
      await migrate(server.ownerUrl(name), server.serviceUrl(name), everyDomain, createLog('error'))
      const settings = loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: join(directory, name), LOG_LEVEL: 'error' })
      const process = await composeProcess(settings, server.serviceUrl(name))
      try {
        const actor = await seed(process, server.ownerUrl(name), size)
        for (const [what, run] of await work(process, actor))
          costs.set(what, [...(costs.get(what) ?? []), await cost(run)])
      } finally {
        await process.stop()
      }
      print(`  ${size} records measured`)
    }
  } finally {
    await server.destroy()
  }
  print(`\n  ${'milliseconds with'.padEnd(44)}${SIZES.map((size) => `${size}`.padStart(10)).join('')}     ratio`)
  for (const [what, all] of [...costs].toSorted(([, a], [, b]) => ratioOf(b) - ratioOf(a)))
    print(
      `  ${what.padEnd(44)}${all.map((each) => each.toFixed(2).padStart(10)).join('')}${ratioOf(all).toFixed(2).padStart(10)}`,
    )
}

const ratioOf = (all: readonly number[]): number => (all.at(-1) ?? 0) / (all[0] || 1)

async function cost(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let repeat = 0; repeat < REPEATS + 2; repeat++) {
    const began = performance.now()
    await run()
    if (repeat >= 2) times.push(performance.now() - began)
  }
  return median(times)
}

/** One object of every kind, made by the service itself, and copies of it. Returns the organisation's actor. */
async function seed({ createCaller, runtime, ...rest }: Process, ownerUrl: string, size: number): Promise<Actor> {
  const organisationId = await foundOrganisation(runtime)
  const actor = system(organisationId, 'test')
  const caller = createCaller(actor)
  const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
  const solana = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
  await caller.customers.create({ name: 'Ada Obi', email: 'ada@example.com' })
  await caller.webhooks.create({ url: 'https://merchant.example/hooks' })
  const onBase = { destinationChainKey: 'base', destinationCurrency: 'USDC', destinationAddress: address }
  const route = await caller.paymentRoutes.create({
    ...{ name: 'Treasury', originChainKey: 'ethereum', originCurrency: 'USDC', refundAddress: address },
    ...onBase,
  })
  await caller.sandbox.paymentRoutes.deposit({ paymentRouteId: route.id, amount: '5' })
  await caller.paymentRoutes.syncDeposits({ paymentRouteId: route.id })
  const bankAccount = { accountNumber: '0123456789', bankCode: '058' }
  await caller.offramps.create({ amount: '25', sourceCurrency: 'USDC', destinationCurrency: 'NGN', bankAccount })
  await caller.onramps.create({
    ...{ amount: '50000', sourceCurrency: 'NGN', destinationCurrency: 'USDC', networkKey: 'base' },
    destinationAddress: address,
  })
  await caller.swaps.create({
    ...{ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '10' },
    ...{ destinationAddress: solana, refundAddress: solana },
  })
  const link = await caller.collections.create({
    ...{ type: 'link', title: 'Consulting', amount: '25', currency: 'USDC', destinationChainKey: 'base' },
    destinationAddress: address,
  })
  await caller.pay.act({ collectionId: link.id, action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  await rest.providerCalls.flush()
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    await fill(client, organisationId)
    for (const table of TABLES) await multiply(client, table, size)
    await client.query('update events set drained_at = coalesce(drained_at, now())')
    for (const table of ['payment_routes', 'swaps'])
      await client.query(`update ${table} set next_poll_at = now() + interval '1 day'`)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  return actor
}

/** Rows of tables that no operation above has written. */
async function fill(client: Client, organisationId: string): Promise<void> {
  const ids = [newId(), organisationId]
  await client.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, resource_id, created_at)
     values ($1, $2, 'test', 'PATCH', '/v1/customers/{customerId}', 200, 3, 'r', false, gen_random_uuid(), now())`,
    ids,
  )
  await client.query(
    `insert into audit_log (id, operation, summary, organisation_id, environment, resource_id, input, created_at)
     values ($1, 'POST /admin/ops/x', 'x', $2, 'test', gen_random_uuid(), '{}', now())`,
    ids,
  )
  await client.query(
    `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
     select $1, $2, 'test', 'money.received', 'x', 'x', 'payment_route', gen_random_uuid(), now() where not exists (select from notifications)`,
    ids,
  )
  await client.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, due_at, created_at, updated_at)
     select $1, $2, 'test', w.id, e.id, e.type, 'delivered', '[]', null, 'infinity', now(), now() from webhook_endpoints w, events e limit 1`,
    ids,
  )
}

type Work = [string, () => Promise<unknown>]

/** Everything whose cost could depend on how many records there are. */
async function work({ runtime, executor, callContext }: Process, actor: Actor): Promise<Work[]> {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Described>)
  const operator: Actor = { ...actor, kind: 'session', userId: newId(), role: 'operator' }
  const found: Work[] = []
  const add = (name: string, operation: Operation, by: Actor, input: object) =>
    found.push([name, () => executor.execute(operation, callContext(by), input)])
  for (const [name, { _def }] of procedures) {
    const { operation } = _def.meta
    const { access, openapi } = operation.meta
    if (!operation.query || !['read', 'operator'].includes(access) || openapi?.path?.startsWith('/fiat')) continue
    // The check walks everything by design.
    if (['admin.ledger.check', 'admin.search'].includes(name)) continue
    const by = access === 'operator' ? operator : actor
    const [placeholder] = [...(openapi?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
    if (!placeholder && operation.input.safeParse({}).success) add(name, operation, by, {})
    const table = placeholder && TABLE_OF[placeholder]
    if (table) {
      const { rows } = await runtime.pool.query<{ id: string }>(`select id from ${table} order by created_at limit 1`)
      const input = { [placeholder]: rows[0]?.id }
      if (rows[0] && operation.input.safeParse(input).success) add(name, operation, by, input)
    }
  }
  const search = procedures.find(([name]) => name === 'admin.search')?.[1]._def.meta.operation
  if (search) add('admin.search', search, operator, { text: 'ada@example.com' })
  const answering: Work[] = []
  // What refuses the seeded object, such as a customer without cNGN, has no cost to measure.
  for (const each of found)
    await each[1]().then(
      () => answering.push(each),
      (error: unknown) => {
        if (!(error instanceof ServiceError)) throw error
      },
    )
  return [...answering, ...background(runtime)]
}

/** Which table has the object that a path names. */
const TABLE_OF: Readonly<Record<string, string>> = {
  customerId: 'customers',
  paymentRouteId: 'payment_routes',
  depositId: 'payment_route_deposits',
  transactionId: 'transactions',
  eventId: 'events',
  swapId: 'swaps',
  orderId: 'offramps',
  collectionId: 'collections',
  id: 'payment_routes',
}

const background = (runtime: Runtime): Work[] =>
  everyDomain.flatMap(({ tasks = [], jobs = [] }) => [
    ...tasks.map((task): Work => [`task ${task.name}`, () => task.run(runtime)]),
    ...jobs
      .filter(({ schedule }) => schedule)
      .map((job): Work => [`job ${job.name}`, () => job.run(runtime, {}, new AbortController().signal)]),
  ])
