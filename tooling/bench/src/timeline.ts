import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import type { Runtime } from '@payments/platform'
import { createKeyFor, foundOrganisation } from '@payments/stand'
import { Pool } from 'pg'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'
import { fire, median } from './load.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const MANY = Math.round(1_000_000 * Number(process.env.BENCH_SCALE ?? 1))
const COUNT = 300
const GATEWAY = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname

/** `GET /v1/timeline/{id}` of one customer with 60 entries, in tables with 10^3 and with 10^6 requests and events of others. */
export async function benchTimeline(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    const start = async (rows: number) => {
      const name = `timeline${rows}`
      await ensureDatabase(server.ownerUrl(), name)
      const at = {
        dataDir: join(directory, name),
        ownerUrl: server.ownerUrl(name),
        serviceUrl: server.serviceUrl(name),
      }
      const gateway = await startGateway(GATEWAY, {}, at)
      running.push(gateway)
      const pool = new Pool({ connectionString: at.ownerUrl, max: 1 })
      const runtime = { pool } as unknown as Runtime
      const organisationId = await foundOrganisation(runtime)
      const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read'] })
      const id = randomUUID()
      await seed(pool, organisationId, id, rows)
      await pool.end()
      return async () => {
        const headers = { authorization: `Bearer ${key}` }
        const { p50 } = await fire(gateway.origin, COUNT, () => ({
          method: 'GET',
          path: `/v1/timeline/${id}`,
          headers,
        }))
        return p50
      }
    }
    const [few, many] = [await start(1000), await start(MANY)] as const
    for (const each of [few, many]) await each()
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await few() : undefined
      const large = await many()
      const small = first ?? (await few())
      ratios.push(large / small)
      print(`  round ${round + 1}: p50 ${small.toFixed(2)} ms with 1000 rows, ${large.toFixed(2)} ms with ${MANY}`)
    }
    print(`  median ratio of ${ROUNDS} rounds ${median(ratios).toFixed(2)}; at most 1.20 is wanted`)
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}

/** `rows` requests and as many events, of objects with 20 each, and a customer with 20 requests and 20 events that moved it. */
async function seed(pool: Pool, organisationId: string, id: string, rows: number): Promise<void> {
  await pool.query(
    `insert into customers (id, organisation_id, environment, name, email, metadata, cngn_status, created_at, updated_at)
     values ($2, $1, 'test', 'Ada Obi', 'ada@example.com', '{}', 'not_enabled', now(), now())`,
    [organisationId, id],
  )
  const of = `select coalesce(case when n <= 20 then $2::uuid end, md5((n / 20)::text)::uuid) as resource_id, n from generate_series(1, $3::int) n`
  await pool.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, resource_id, created_at)
     select gen_random_uuid(), $1, 'test', 'PATCH', '/v1/customers/{customerId}', 200, 3, 'r' || n, false, resource_id, now() - make_interval(secs => n)
       from (${of}) o`,
    [organisationId, id, rows],
  )
  await pool.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     select gen_random_uuid(), $1, 'test', 'payment_route.updated', resource_id,
            json_build_object('data', json_build_object('status', 'paused', 'previousStatus', 'active')), now() - make_interval(secs => n), now()
       from (${of}) o`,
    [organisationId, id, rows],
  )
  await pool.query('vacuum analyze request_log, events')
}
