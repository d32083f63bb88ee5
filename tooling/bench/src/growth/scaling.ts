import { appRouter, everyDomain, type Process } from '@payments/api'
import { type Actor, newId, ServiceError } from '@payments/kernel'
import type { Operation, Runtime } from '@payments/platform'
import type { ProofReport } from '@payments/proof'
import { median, runService, startDatabase } from '@payments/stand'
import { LARGE } from '../servers/servers.ts'
import { seed } from '../tables/seed.ts'

const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const SIZES = [...new Set([1000, 10_000, 100_000, 1_000_000].map((size) => Math.max(1000, Math.round(size * SCALE))))]
const REPEATS = 9
/** Milliseconds that anything may take with most records, if it takes more than so many times what it takes with fewest. */
const SLOW_MS = 50
const FACTOR = 3
/** The check of the ledger walks all of it by design. */
const WALKS_EVERYTHING = ['admin.ledger.check', 'ledger.check']
/** How many of those that grow most are recorded. */
const RECORDED = 8

interface Described {
  readonly _def: { readonly meta: { readonly operation: Operation } }
}

/**
 * What each list and lookup, the operators' searches, each task and each scheduled job costs in a process, with 10^3 to 10^6
 * records of one organisation in every table: milliseconds, and the ratio of the largest to the smallest. Lists that are complete by
 * the specification are left out: they cost as much as they return.
 */
export async function benchScaling(print: (line: string) => void): Promise<ProofReport> {
  const server = await startDatabase({ settings: LARGE })
  const costs = new Map<string, number[]>()
  try {
    for (const size of SIZES) {
      const database = await server.another(`scaling${size}`)
      const { process, stop } = await runService(database, { logLevel: 'fatal' })
      try {
        const { actor } = await seed(process, database.ownerUrl, size)
        for (const [what, run] of await work(process, actor))
          costs.set(what, [...(costs.get(what) ?? []), await cost(run)])
      } finally {
        await stop()
      }
      print(`  ${size} records measured`)
    }
  } finally {
    await server.close()
  }
  const growing = [...costs].toSorted(([, a], [, b]) => ratioOf(b) - ratioOf(a))
  print(`\n  ${'milliseconds with'.padEnd(44)}${SIZES.map((size) => `${size}`.padStart(10)).join('')}     ratio`)
  for (const [what, all] of growing)
    print(
      `  ${what.padEnd(44)}${all.map((each) => each.toFixed(2).padStart(10)).join('')}${ratioOf(all).toFixed(2).padStart(10)}`,
    )
  const slow = growing.filter(([, all]) => (all.at(-1) ?? 0) > SLOW_MS && ratioOf(all) > FACTOR)
  const described = ([what, all]: [string, number[]]) => [
    what,
    { milliseconds: all.map((each) => Math.round(each * 10) / 10), ratio: Math.round(ratioOf(all) * 10) / 10 },
  ]
  return {
    findings: slow.map(
      ([what, all]) => `${what}: ${all.map((each) => each.toFixed(1)).join(', ')} ms with ${SIZES} records`,
    ),
    figures: {
      records: SIZES,
      measured: growing.length,
      growingMost: Object.fromEntries(growing.slice(0, RECORDED).map(described)),
    },
  }
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
    if ([...WALKS_EVERYTHING, 'admin.search'].includes(name)) continue
    const by = access === 'operator' ? operator : actor
    const [placeholder] = [...(openapi?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
    if (!placeholder && operation.input.safeParse({}).success) add(name, operation, by, {})
    const statement = placeholder && OBJECT_OF[placeholder]
    if (statement) {
      const { rows } = await runtime.pool.query<{ id: string }>(statement)
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

/** The newest object of a table: what was copied, with the parts of all copies. */
const newestOf = (table: string): string => `select id from ${table} order by created_at desc, id limit 1`

/** SQL: the object that a path names. */
const OBJECT_OF: Readonly<Record<string, string>> = {
  customerId: newestOf('customers'),
  paymentRouteId: newestOf('payment_routes'),
  depositId: newestOf('payment_route_deposits'),
  transactionId: newestOf('transactions'),
  eventId: newestOf('events'),
  swapId: newestOf('swaps'),
  orderId: newestOf('offramps'),
  collectionId: newestOf('collections'),
  webhookEndpointId: newestOf('webhook_endpoints'),
  organisationId: newestOf('organisations'),
  accountId: 'select account_id as id from ledger_postings limit 1',
  id: newestOf('payment_routes'),
}

const background = (runtime: Runtime): Work[] =>
  everyDomain.flatMap(({ work: { tasks = [], jobs = [] } = {} }) => [
    ...tasks.map((task): Work => [`task ${task.name}`, () => task.run(runtime)]),
    ...jobs
      .filter(({ name, schedule }) => schedule && !WALKS_EVERYTHING.includes(name))
      .map((job): Work => [`job ${job.name}`, () => job.run(runtime, {}, new AbortController().signal)]),
  ])
