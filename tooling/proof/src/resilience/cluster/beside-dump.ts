import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '@payments/stand'
import { rows, type StandDatabase } from '@payments/stand'
import type { Cluster } from './cluster.ts'
import type { Load } from './load.ts'
import { failuresOf, type Phase } from './phases.ts'

/** How long the dump lasts that a migration meets: longer than a step waits for a lock. */
const DUMP_MS = 8000

/**
 * A new version starts beside the old one while a dump reads every table, as `pg_dump` does: one transaction that has `access share` on all
 * of them. Its migration waits without keeping requests waiting, and goes on when the dump ends. Then a process of the old version
 * is killed and starts again on the new schema: append-only tables stay so.
 */
export async function migrateBesideDump(
  database: StandDatabase,
  cluster: Cluster,
  load: Load,
  folder: string,
): Promise<Phase> {
  const findings: string[] = []
  const [gateway, oldGateway] = cluster.gateways as [ServiceProcess, ServiceProcess]
  const applied = async () =>
    (await rows<{ n: number }>(database, 'select count(*)::int as n from migrations'))[0]?.n ?? 0
  const before = await applied()
  load.take()
  await cluster.proxy.exclude(gateway.url)
  await gateway.stop()
  const dump = await startDump(database)
  const since = Date.now()
  try {
    gateway.start({ folder })
    await sleep(DUMP_MS)
  } finally {
    await dump.end()
  }
  const during = load.take()
  const waited = (await applied()) - before
  await gateway.ready()
  const readyMs = Date.now() - since
  cluster.proxy.include(gateway.url)
  await oldGateway.kill()
  await cluster.ready()
  findings.push(...(await changeableTables(database)))
  const seen = load.take()
  const lost = cluster.proxy.lost.filter(({ backend }) => backend !== oldGateway.url)
  return {
    findings: [
      ...findings,
      ...failuresOf('a migration beside a dump', during),
      ...failuresOf('an older process that restarts', seen),
      ...lost.map(({ backend, line, why }) => `a migration beside a dump: ${line} was lost at ${backend}: ${why}`),
    ],
    figures: {
      dumpMs: DUMP_MS,
      readyMs,
      appliedDuringTheDump: waited,
      applied: (await applied()) - before,
      requestsDuringTheDump: during.requests,
      slowestMs: during.slowestMs,
    },
  }
}

/** A finding for each append-only table whose rows the service's role may change. */
export async function changeableTables(database: Pick<StandDatabase, 'pool'>): Promise<string[]> {
  const found = await rows<{ name: string }>(
    database,
    `select name from append_only_tables where to_regclass(quote_ident(name)) is not null
        and (has_table_privilege('payments_service', quote_ident(name), 'update')
          or has_table_privilege('payments_service', quote_ident(name), 'delete'))`,
  )
  return found.map(({ name }) => `the service may change rows of ${name}`)
}

/** A transaction that reads every table of the service, until it is ended. */
async function startDump({ pool }: StandDatabase): Promise<{ end(): Promise<void> }> {
  const client = await pool.connect()
  await client.query('begin isolation level repeatable read read only')
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')",
  )
  await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
  return {
    async end() {
      await client.query('rollback')
      client.release()
    },
  }
}
