/**
 * The export of a million transactions: its duration beside COPY of the same rows in the same run (the floor), how
 * much the memory of the process grows meanwhile, and the lookup of 200 sampled transactions by id.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate, type Runtime } from '@payments/platform'
import { createKeyFor, foundOrganisation } from '@payments/stand'
import { Client, Pool } from 'pg'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'

const MAIN = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
const ROWS = Number(process.env.BENCH_TRANSACTIONS ?? 1_000_000)
const SAMPLES = 200
/** Without a limit V8 lets garbage grow to a fraction of the machine's memory before it collects: that says nothing of the export. */
const HEAP = '--max-old-space-size=320'

/** Resident memory of a process, MB. */
const residentMb = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Prints seconds, rows per second, growth of memory, and the result of the lookups. */
export async function benchExport(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    await ensureDatabase(server.ownerUrl(), 'export')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('export'), server.serviceUrl('export')]
    await migrate(ownerUrl, serviceUrl, everyDomain, createLog('error'))
    const key = await seed(ownerUrl)
    const gateway = await startGateway(
      MAIN,
      { NODE_OPTIONS: HEAP },
      { dataDir: join(directory, 'gateway'), ownerUrl, serviceUrl },
    )
    running.push(gateway)
    const get = (path: string) => fetch(`${gateway.origin}/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
    await (await get('/transactions')).arrayBuffer()
    const floor = await plainRead(ownerUrl)
    const before = residentMb(gateway.child.pid)
    let peak = before
    const sampler = setInterval(() => {
      peak = Math.max(peak, residentMb(gateway.child.pid))
    }, 100)
    const started = performance.now()
    const answer = await get('/transactions/export')
    const ids: string[] = []
    let lines = -1
    let rest = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + chunk).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        lines++
        if (lines > 0 && lines % Math.floor(ROWS / SAMPLES) === 0) ids.push(line.slice(0, 36))
      }
    }
    const seconds = (performance.now() - started) / 1000
    clearInterval(sampler)
    let found = 0
    for (const id of ids) if ((await get(`/transactions/${id}`)).status === 200) found++
    print(
      `${lines} transactions in ${seconds.toFixed(1)} s (${(lines / seconds).toFixed(0)}/s), ${(seconds / floor).toFixed(1)} times COPY`,
    )
    print(`memory before ${before.toFixed(0)} MB, growth at most ${(peak - before).toFixed(0)} MB`)
    print(`${found} of ${ids.length} sampled transactions found by id`)
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}

/** Seconds in which the server itself writes the rows as CSV. */
async function plainRead(ownerUrl: string): Promise<number> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const started = performance.now()
    await client.query(
      "copy (select * from transactions order by created_at desc, id desc) to '/dev/null' with (format csv)",
    )
    return (performance.now() - started) / 1000
  } finally {
    await client.end()
  }
}

/** An organisation with transactions. Returns its key. */
async function seed(ownerUrl: string): Promise<string> {
  const pool = new Pool({ connectionString: ownerUrl, max: 1 })
  try {
    const runtime = { pool } as unknown as Runtime
    const organisationId = await foundOrganisation(runtime)
    const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read'] })
    await pool.query(
      `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, amount_usd, receipt, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', 'payment_route', 'completed', 'Base USDC 0x71C7656EC7ab88b098defB751B7401B5f6d8976F', '12.5 USDC', '12.5',
              '{}', now() - make_interval(secs => n), now() from generate_series(1, $2::int) n`,
      [organisationId, ROWS],
    )
    await pool.query('vacuum analyze transactions')
    return key
  } finally {
    await pool.end()
  }
}
