import type { Process } from '@payments/api'
import type { Runtime } from '@payments/platform'
import { median, runService, startDatabase } from '@payments/stand'

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
): Promise<T> {
  const database = await startDatabase({ settings: ['shared_buffers=256MB'] })
  try {
    for (const statement of statements) await database.pool.query(statement)
    const { runtime, process, stop } = await runService(database, {
      settings: { DATABASE_POOL: '64' },
      logLevel: 'warn',
    })
    const { ownerUrl, serviceUrl } = database
    return await run({ runtime, process, ownerUrl, serviceUrl, print }).finally(stop)
  } finally {
    await database.close()
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
