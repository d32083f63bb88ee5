import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, everyDomain, loadServiceSettings, type Process } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import type { Binding } from '@payments/kernel'
import { createLog, migrate, type Runtime } from '@payments/platform'
import { Client } from 'pg'

/** A service on a PostgreSQL server of its own, as durable as by default. */
export interface Stand {
  readonly runtime: Runtime
  readonly process: Process
  readonly ownerUrl: string
  readonly serviceUrl: string
  /** Writes a line of the result. */
  print(line: string): void
}

/** Calls `run` on a fresh stand with these statements added to the schema, and removes everything afterwards. */
export async function withStand<T>(
  statements: readonly string[],
  print: Stand['print'],
  run: (stand: Stand) => Promise<T>,
  live: readonly Binding[] = [],
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const log = createLog('error')
  const server = await startEmbedded(directory, { settings: ['max_connections=200', 'shared_buffers=256MB'] })
  try {
    await ensureDatabase(server.ownerUrl(), 'payments')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('payments'), server.serviceUrl('payments')]
    await migrate(ownerUrl, serviceUrl, everyDomain, log)
    const owner = new Client({ connectionString: ownerUrl })
    await owner.connect()
    for (const statement of statements) await owner.query(statement)
    await owner.end()
    const settings = loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: join(directory, 'data'), DATABASE_POOL: '64' })
    const process = await composeProcess(settings, serviceUrl, { log, live })
    try {
      return await run({ runtime: process.runtime, process, ownerUrl, serviceUrl, print })
    } finally {
      await process.stop()
    }
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const ROUNDS = 7
const ROUND_MS = 2000

/**
 * Runs `ledger` and `raw` in turn, each for two seconds with the given concurrency, and prints and returns the median of
 * the ratios of the rounds. The first round warms up.
 */
export async function alternate(
  { print }: Pick<Stand, 'print'>,
  name: string,
  callers: number,
  contestants: { ledger(): Promise<void>; raw(): Promise<void> },
): Promise<number> {
  const ratios: number[] = []
  const [ledgers, raws]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const ledger = await perSecond(callers, contestants.ledger)
    const raw = await perSecond(callers, contestants.raw)
    if (round === 0) continue
    ledgers.push(ledger)
    raws.push(raw)
    ratios.push(ledger / raw)
  }
  const ratio = median(ratios)
  print(`${name}: ${Math.round(median(ledgers))} against ${Math.round(median(raws))} by raw SQL: ${ratio.toFixed(2)}`)
  return ratio
}

async function perSecond(callers: number, call: () => Promise<void>): Promise<number> {
  const started = performance.now()
  let calls = 0
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - started < ROUND_MS) {
        await call()
        calls++
      }
    }),
  )
  return (calls * 1000) / (performance.now() - started)
}

/** The median. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
