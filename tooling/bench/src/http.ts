import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createKeyFor, foundOrganisation, median, type Sample, samples, startDatabase } from '@payments/stand'
import { Client, Pool } from 'pg'
import { fire, type Result, type Shot } from './servers/load.ts'
import { LARGE, type Place, type RunningServer, residentBytes, startFloor, startGateway } from './servers/servers.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
/** Root folder of another checkout to compare with. */
const BASELINE = process.env.BENCH_BASELINE
const FLOOR = new URL('./floors/http.ts', import.meta.url).pathname

interface Program {
  readonly name: string
  /** A checkout of the service migrates its own database when it starts; the floors use the schema of this one. */
  readonly migrated: boolean
  start(at: Place): Promise<RunningServer>
}

interface Contestant extends RunningServer {
  readonly name: string
  /** For writes; the test environment fills up. */
  readonly key: string
  /** For reads: the live environment holds exactly the seeded rows. */
  readonly readKey: string
}

interface Case {
  readonly name: string
  readonly count: number
  shot(key: string, round: string): (index: number) => Shot
}

const json = (key: string, idempotencyKey: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'idempotency-key': idempotencyKey,
})
const customer = JSON.stringify(samples.customer.body())
const creation = ({ path, body }: Sample, count: number): Case => ({
  name: `POST ${path}`,
  count,
  shot: (key, round) => (index) => ({
    method: 'POST',
    path,
    headers: json(key, `${round}-${index}`),
    body: JSON.stringify(body()),
  }),
})

const cases: readonly Case[] = [
  creation(samples.customer, 2000),
  creation(samples.route, 1500),
  {
    name: 'idempotent replay',
    count: 3000,
    shot: (key) => () => ({
      method: 'POST',
      path: '/v1/customers',
      headers: json(key, 'replayed'),
      body: customer,
    }),
  },
  {
    name: 'GET /v1/customers (50)',
    count: 3000,
    shot: (key) => () => ({ method: 'GET', path: '/v1/customers', headers: { authorization: `Bearer ${key}` } }),
  },
  {
    name: 'GET /v1/transactions (200)',
    count: 1500,
    shot: (key) => () => ({ method: 'GET', path: '/v1/transactions', headers: { authorization: `Bearer ${key}` } }),
  },
]

/** The gateway against its two floors, alternating, in one run on one server with default durability. */
export async function benchHttp(print: (line: string) => void): Promise<void> {
  const server = await startDatabase({ settings: LARGE })
  const contestants: Contestant[] = []
  const floor = (name: string, variant: string): Program => ({
    name: `floor: ${name}`,
    migrated: true,
    start: (at) => startFloor(FLOOR, { FLOOR: variant }, at),
  })
  const programs: Program[] = [
    { name: 'gateway', migrated: false, start: (at) => startGateway({}, at) },
    floor('a statement for each effect', 'statements'),
    floor('fewest round trips', 'few'),
    // Another checkout of the service, for a comparison in pairs: its root folder, with its packages installed.
    ...(BASELINE ? [{ name: 'baseline', migrated: false, start: (at: Place) => startGateway({}, at, BASELINE) }] : []),
  ]
  try {
    for (const [index, { name, migrated, start }] of programs.entries()) {
      const urls = await server.another(`bench${index}`, migrated)
      const running = await start({ ...urls, dataDir: join(server.dataDir, `bench${index}`) })
      contestants.push({ ...running, name, ...(await keys(urls.ownerUrl)) })
    }
    const [gateway, statements, few, baseline] = contestants as [Contestant, Contestant, Contestant, Contestant?]
    print(`memory of the idle gateway: ${Math.round(residentBytes(gateway) / 2 ** 20)} MB`)
    for (const each of cases.filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))) {
      const results = new Map<Contestant, Result[]>(contestants.map((contestant) => [contestant, []]))
      const used = new Map<Contestant, string>()
      for (const contestant of contestants) {
        const key = each.name.startsWith('GET') ? contestant.readKey : contestant.key
        used.set(contestant, key)
        await fire(contestant.origin, 1, each.shot(key, randomUUID()))
        await fire(contestant.origin, 200, each.shot(key, randomUUID()))
      }
      for (let round = 0; round < ROUNDS; round++) {
        // Each round starts with another contestant, so that a drift of the machine affects all of them.
        const order = contestants.map((_, index) => contestants[(index + round) % contestants.length] as Contestant)
        for (const contestant of order) {
          const result = await fire(
            contestant.origin,
            Math.round(each.count * SCALE),
            each.shot(used.get(contestant) as string, randomUUID()),
          )
          results.get(contestant)?.push(result)
        }
      }
      print(`\n${each.name}`)
      for (const [contestant, all] of results) {
        const line = (pick: (result: Result) => number) => median(all.map(pick))
        print(
          `  ${contestant.name.padEnd(36)} ${line((one) => one.rate)
            .toFixed(0)
            .padStart(6)}/s   p50 ${line((one) => one.p50)
            .toFixed(2)
            .padStart(7)} ms   p99 ${line((one) => one.p99)
            .toFixed(2)
            .padStart(7)} ms`,
        )
      }
      const ratio = (floor: Contestant) =>
        median(
          (results.get(gateway) ?? []).map(
            (one, index) => one.rate / ((results.get(floor) ?? [])[index]?.rate ?? Number.NaN),
          ),
        )
      print(
        `  ratio to a statement for each effect ${ratio(statements).toFixed(2)}, to the fewest round trips ${ratio(few).toFixed(2)}${baseline ? `, to the baseline ${ratio(baseline).toFixed(2)}` : ''}`,
      )
    }
  } finally {
    await Promise.all(contestants.map((each) => each.stop()))
    await server.close()
  }
}

/** A new organisation with rows to read, and its keys. */
async function keys(ownerUrl: string): Promise<Pick<Contestant, 'key' | 'readKey'>> {
  const pool = new Pool({ connectionString: ownerUrl, max: 1 })
  try {
    const organisationId = await foundOrganisation({ pool })
    const scopes = ['api:read', 'api:write']
    const key = await createKeyFor({ pool }, { organisationId, environment: 'test', scopes })
    const readKey = await createKeyFor({ pool }, { organisationId, environment: 'live', scopes: ['api:read'] })
    await seed(ownerUrl, organisationId)
    return { key, readKey }
  } finally {
    await pool.end()
  }
}

/** 50 customers and 200 transactions for the reads. */
async function seed(ownerUrl: string, organisationId: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, cngn_status, created_at, updated_at)
       select gen_random_uuid(), $1, 'live', 'Customer ' || n, 'seed' || n || '@example.com', '{"plan":"gold"}', 'not_enabled', now(), now() from generate_series(1, 50) n`,
      [organisationId],
    )
    // A checkout from before the receipts of domains has a further column without a default.
    const { rowCount } = await client.query(
      "select from information_schema.columns where table_name = 'transactions' and column_name = 'journal'",
    )
    await client.query(
      `insert into transactions (id, organisation_id, environment, kind, customer_id, status, destination, amount, amount_usd, receipt, created_at, updated_at${rowCount ? ', journal' : ''})
       select gen_random_uuid(), $1, 'live', 'payment_route', (select id from customers limit 1), 'completed', 'Base USDC 0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '12.5 USDC', '12.5',
              jsonb_build_object('type', 'payment_route_deposit', 'depositId', gen_random_uuid(), 'routeName', 'Treasury', 'status', 'completed',
                'origin', jsonb_build_object('network', 'ethereum', 'symbol', 'USDC', 'amount', '12.5', 'amountUsd', '12.5'),
                'destination', jsonb_build_object('network', 'base', 'symbol', 'USDC', 'amount', '12.5', 'amountUsd', '12.5')),
              now(), now()${rowCount ? ", '[]'" : ''} from generate_series(1, 200)`,
      [organisationId],
    )
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
