import type { ServiceProcess } from '@payments/stand'
import type { Client } from 'pg'
import { serverTime } from './server-time.ts'

/** What something took, in microseconds of processor time, bytes of the write-ahead log and seconds. */
export interface Cost {
  readonly gateways: number
  readonly workers: number
  readonly server: number
  readonly log: number
  readonly seconds: number
}

/** Where it is counted: processes of the service, and a database server by a session on it. */
export interface Counted {
  readonly client: Client
  readonly gateways: readonly ServiceProcess[]
  readonly workers: readonly ServiceProcess[]
  /** The role of the sessions that are not counted. */
  readonly apart?: string
}

/** What the processes and the database server take while something runs. */
export async function costOf(
  { client, gateways, workers, apart = '' }: Counted,
  run: () => Promise<unknown>,
): Promise<Cost> {
  const counters = async () => {
    const { pids, log } = await written(client, apart)
    return {
      gateways: await processTime(gateways),
      workers: await processTime(workers),
      server: await serverTime(client, pids),
      log,
      seconds: performance.now() / 1000,
    }
  }
  const before = await counters()
  await run()
  const after = await counters()
  return {
    gateways: after.gateways - before.gateways,
    workers: after.workers - before.workers,
    server: after.server - before.server,
    log: after.log - before.log,
    seconds: after.seconds - before.seconds,
  }
}

/** The processor time that processes say they have had, µs. */
async function processTime(processes: readonly ServiceProcess[]): Promise<number> {
  let sum = 0
  for (const { internalUrl } of processes) {
    const metrics = await (await fetch(`${internalUrl}/metrics`)).text()
    sum += 1e6 * Number(metrics.match(/^process_cpu_seconds_total (\S+)$/m)?.[1] ?? Number.NaN)
  }
  return sum
}

/** The sessions of a role, and the bytes of the log that all others have written. */
async function written(client: Client, role: string): Promise<{ readonly pids: number[]; readonly log: number }> {
  const { rows } = await client.query<{ pids: number[]; log: number }>(
    `select coalesce(array_agg(pid), '{}') as pids,
            (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') - coalesce(sum((pg_stat_get_backend_wal(pid)).wal_bytes), 0))::float8 as log
       from pg_stat_activity where usename = $1`,
    [role],
  )
  return rows[0] ?? { pids: [], log: Number.NaN }
}
