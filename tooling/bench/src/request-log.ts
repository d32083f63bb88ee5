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

const PAIRS = Number(process.env.BENCH_ROUNDS ?? 9)
const COUNT = Math.round(2000 * Number(process.env.BENCH_SCALE ?? 1))
const GATEWAY = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname

/** `POST /v1/customers` with the request log against the same without it, in pairs that begin with one and the other in turn. */
export async function benchRequestLog(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    const start = async (name: string, days: string) => {
      await ensureDatabase(server.ownerUrl(), name)
      const at = {
        dataDir: join(directory, name),
        ownerUrl: server.ownerUrl(name),
        serviceUrl: server.serviceUrl(name),
      }
      const gateway = await startGateway(GATEWAY, { RETENTION_REQUEST_LOG_DAYS: days }, at)
      running.push(gateway)
      const pool = new Pool({ connectionString: at.ownerUrl, max: 1 })
      const runtime = { pool } as unknown as Runtime
      const organisationId = await foundOrganisation(runtime)
      const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:write'] })
      await pool.end()
      return (count: number) => send(gateway.origin, key, count)
    }
    const contestants = [await start('with_log', '30'), await start('without_log', '0')] as const
    for (const each of contestants) await each(300)
    const ratios: number[] = []
    for (let pair = 0; pair < PAIRS; pair++) {
      const rates = [0, 0]
      for (const index of pair % 2 === 0 ? [0, 1] : [1, 0]) rates[index] = (await contestants[index]?.(COUNT)) ?? 0
      const [logged = 0, plain = 0] = rates
      ratios.push(logged / plain)
      print(`  pair ${pair + 1}: ${logged.toFixed(0)}/s with the request log, ${plain.toFixed(0)}/s without`)
    }
    print(`  median ratio of ${PAIRS} pairs ${median(ratios).toFixed(3)}; at least 0.970 is wanted`)
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}

/** @returns requests in a second. */
async function send(origin: string, key: string, count: number): Promise<number> {
  const round = randomUUID()
  const { rate } = await fire(origin, count, (index) => ({
    method: 'POST',
    path: '/v1/customers',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `${round}-${index}`,
    },
    body: JSON.stringify({ name: 'Ada Obi', email: `${round}-${index}@example.com` }),
  }))
  return rate
}
