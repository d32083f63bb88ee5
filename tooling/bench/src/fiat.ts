import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate, type Runtime } from '@payments/platform'
import { createKeyFor, foundOrganisation } from '@payments/stand'
import { Client, Pool } from 'pg'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'
import { fire, median, type Result, type Shot } from './load.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const FEW = 1000
const MANY = Number(process.env.BENCH_ORDERS ?? 1_000_000)
const MAIN = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname

interface Contestant extends RunningGateway {
  readonly name: string
  readonly key: string
}

const cases: readonly { name: string; count: number; shot(key: string, round: string): (index: number) => Shot }[] = [
  {
    name: 'POST /v1/offramps',
    count: 800,
    shot: (key, round) => (index) => ({
      method: 'POST',
      path: '/v1/offramps',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `${round}-${index}`,
      },
      body: JSON.stringify({
        amount: '25',
        sourceCurrency: 'USDC',
        destinationCurrency: 'NGN',
        bankAccount: { accountNumber: '0123456789', bankCode: '058' },
      }),
    }),
  },
  {
    name: 'GET /v1/offramps (200)',
    count: 400,
    shot: (key) => () => ({ method: 'GET', path: '/v1/offramps', headers: { authorization: `Bearer ${key}` } }),
  },
]

/** The offramps of one organisation with a thousand and with a million orders, alternating, in one run on one server. */
export async function benchFiat(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const contestants: Contestant[] = []
  try {
    for (const orders of [FEW, MANY]) {
      const database = `bench${orders}`
      await ensureDatabase(server.ownerUrl(), database)
      const [ownerUrl, serviceUrl] = [server.ownerUrl(database), server.serviceUrl(database)]
      await migrate(ownerUrl, serviceUrl, everyDomain, createLog('error'))
      const key = await seed(ownerUrl, orders)
      const gateway = await startGateway(MAIN, {}, { dataDir: join(directory, database), ownerUrl, serviceUrl })
      contestants.push({ ...gateway, name: `${orders} orders`, key })
    }
    for (const { name, count, shot } of cases) {
      const results = new Map<Contestant, Result[]>(contestants.map((contestant) => [contestant, []]))
      for (const { origin, key } of contestants) await fire(origin, 100, shot(key, randomUUID()))
      for (let round = 0; round < ROUNDS; round++) {
        // Each round starts with the other contestant, so that a drift of the machine affects both.
        for (const contestant of round % 2 ? contestants : contestants.toReversed())
          results
            .get(contestant)
            ?.push(await fire(contestant.origin, Math.round(count * SCALE), shot(contestant.key, randomUUID())))
      }
      print(`\n${name}`)
      for (const [contestant, all] of results) {
        const of = (pick: (result: Result) => number) => median(all.map(pick)).toFixed(2).padStart(8)
        print(
          `  ${contestant.name.padEnd(16)} ${of(({ rate }) => rate)}/s   p50 ${of(({ p50 }) => p50)} ms   p99 ${of(({ p99 }) => p99)} ms`,
        )
      }
      const [few = [], many = []] = contestants.map((contestant) => results.get(contestant))
      const ratio = median(many.map(({ rate }, index) => rate / (few[index]?.rate ?? Number.NaN)))
      print(`  throughput with ${MANY} orders to that with ${FEW}: ${ratio.toFixed(2)}`)
    }
  } finally {
    await stopGateways(contestants)
    await server.destroy()
  }
}

/** An organisation with delivered offramps of the past. Returns its key. */
async function seed(ownerUrl: string, orders: number): Promise<string> {
  const pool = new Pool({ connectionString: ownerUrl, max: 1 })
  const runtime = { pool } as unknown as Runtime
  const organisationId = await foundOrganisation(runtime)
  const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read', 'api:write'] })
  await pool.end()
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    // The states before are skipped, so the triggers that guard them are, too; the counting trigger is not.
    await client.query('alter table offramps disable trigger offramps_status_initial')
    await client.query(
      `insert into offramps (id, organisation_id, environment, status, amount, source_currency, destination_currency, network_key,
         rate, fee, converted_amount, received_amount, provider, provider_order_id, metadata, bank_code, bank_name, bank_country,
         account_number, account_name, check_status, checked_at, deposit_address, deposit_amount, deposit_expires_at, refund_address,
         settlement_seconds, estimated_settlement, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', 'delivered', 25000000, 'USDC', 'NGN', 'base', '1580.25', 125000, 3950625, 25125000,
              'sandbox', n::text, '{}', '058', 'Guaranty Trust Bank', 'NG', '0123456789', 'Ada Obi', 'verified', now(), '0x' || n,
              25125000, now(), '0x0', 2, now(), now() - make_interval(secs => n), now() - make_interval(secs => n)
         from generate_series(1, $2::int) n`,
      [organisationId, orders],
    )
    await client.query('alter table offramps enable trigger offramps_status_initial')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  return key
}
