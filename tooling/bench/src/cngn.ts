import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import type { Runtime } from '@payments/platform'
import { createKeyFor, enabledCustomer, foundOrganisation } from '@payments/stand'
import { Pool } from 'pg'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'
import { fire, median, type Result, type Shot } from './load.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const CUSTOMERS = 200
const SHOTS = 600

/** Payouts of a complete process, all from one customer's balance and each from another's, alternating. Its worker sends them meanwhile. */
export async function benchCngn(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    await ensureDatabase(server.ownerUrl(), 'cngn')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('cngn'), server.serviceUrl('cngn')]
    const file = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
    const env = { PROCESS_ROLE: 'all' }
    const service = await startGateway(file, env, { dataDir: join(directory, 'cngn'), ownerUrl, serviceUrl })
    running.push(service)
    const { key, customers } = await seed(ownerUrl, service.origin)
    const cases: readonly (readonly [name: string, customer: (index: number) => string])[] = [
      ['one hot customer', () => customers[0] as string],
      [`${CUSTOMERS} customers`, (index) => customers[index % CUSTOMERS] as string],
    ]
    const shots = (customer: (index: number) => string, round: string) => (index: number) =>
      payout(key, customer(index), index, round)
    for (const [, customer] of cases) await fire(service.origin, 100, shots(customer, randomUUID()))
    const results = new Map<string, Result[]>(cases.map(([name]) => [name, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, customer] of round % 2 === 0 ? cases : cases.toReversed())
        results.get(name)?.push(await fire(service.origin, Math.round(SHOTS * SCALE), shots(customer, randomUUID())))
    for (const [name, all] of results) {
      const line = (pick: (result: Result) => number, digits: number) => median(all.map(pick)).toFixed(digits)
      print(
        `  ${`POST /v1/cngn/payouts, ${name}`.padEnd(44)} ${line(({ rate }) => rate, 0)}/s   p50 ${line(({ p50 }) => p50, 2)} ms   p99 ${line(({ p99 }) => p99, 2)} ms`,
      )
    }
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}

const payout = (key: string, customerId: string, index: number, round: string): Shot =>
  post(key, '/v1/cngn/payouts', `${round}-${index}`, {
    customerId,
    amount: `${1 + (index % 500)}.${10 + (index % 90)}`,
    bankAccount: { accountNumber: '0123456789', bankCode: '058' },
  })

const post = (key: string, path: string, idempotencyKey: string, body: object): Shot => ({
  method: 'POST',
  path,
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  },
  body: JSON.stringify(body),
})

/** An organisation with enabled customers, each with a balance. */
async function seed(ownerUrl: string, origin: string): Promise<{ key: string; customers: string[] }> {
  const pool = new Pool({ connectionString: ownerUrl, max: 2 })
  try {
    const runtime = { pool } as unknown as Runtime
    const organisationId = await foundOrganisation(runtime)
    const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read', 'api:write'] })
    const customers: string[] = []
    for (let count = 0; count < CUSTOMERS; count++) customers.push(await enabledCustomer(runtime, organisationId))
    const transfers = (index: number) =>
      post(key, `/v1/sandbox/cngn/customers/${customers[index % CUSTOMERS]}/bank-transfers`, `transfer-${index}`, {
        amount: '900000000',
      })
    await fire(origin, CUSTOMERS, transfers)
    for (let tries = 0; ; tries++) {
      const { rows } = await pool.query<{ count: number }>(
        "select count(*)::int as count from cngn_transfers where kind = 'payin' and status = 'completed'",
      )
      if (rows[0]?.count === CUSTOMERS) return { key, customers }
      if (tries > 300) throw new Error('The transfers did not arrive')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  } finally {
    await pool.end()
  }
}
