import { setTimeout as sleep } from 'node:timers/promises'
import { firstIdOf, noInput, timeOfId } from '@payments/kernel'
import type { PoolClient } from 'pg'
import { WITHOUT_DEADLINE } from '../../database/connections/connect.ts'
import { sqlState } from '../../database/errors.ts'
import type { PartitionedTable } from '../../domain/data.ts'
import { domainsOf } from '../../domain/domain.ts'
import type { Runtime } from '../../operations/context/context.ts'
import { job } from '../../work/jobs.ts'
import { type ArchivedWeek, archiveWeek, describeArchive, REMOVED, startAgain } from './archive.ts'
import { storeOf } from './stores/settings.ts'
import type { Store } from './stores/store.ts'
import { partitionsSql } from './tables.ts'
import { dayOf, keptSince, mondayOf, weekAfter } from './weeks.ts'

/** Further weeks whose partitions exist: for as long, rows have one although no worker runs. */
const WEEKS_AHEAD = 4
const BATCH = 1000
/** How often the lock that a drop needs is tried for in one run. */
const DROP_TRIES = 5
/** Where a worker was killed in it, the next run waits for as long. */
const AN_HOUR = 3600

interface Partition {
  readonly name: string
  /** The first id of its week, and the first after it; null: this is the default partition. */
  readonly from: string | null
  readonly to: string | null
}

/**
 * Makes the partitions of the next weeks, and removes rows whose retention has ended, once they are in the archive if there is one: a partition is dropped when
 * all of its rows have. The default partition is of many weeks: its rows are deleted.
 */
export const partitions = job({
  name: 'platform.partitions',
  data: noInput,
  schedule: { everyMinutes: 60 },
  // One at a time. What a run has not finished within the hour, the next one goes on with.
  queue: { retryLimit: 0, policy: 'exclusive', expireInSeconds: AN_HOUR },
  async run(runtime, _data, signal) {
    const failures: unknown[] = []
    for (const table of domainsOf(runtime).flatMap(({ data }) => data?.partitioned ?? [])) {
      const steps = [() => addPartitions(runtime, table), () => removeExpired(runtime, table, signal)]
      for (const step of steps) await step().catch((error) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  },
})

async function addPartitions({ pool, log }: Runtime, { name }: PartitionedTable): Promise<void> {
  let monday = mondayOf(Date.now())
  for (let n = 0; n <= WEEKS_AHEAD; n++, monday = weekAfter(monday)) {
    const week = dayOf(monday)
    const { rows } = await pool.query<{ added: boolean }>(`select add_${name}_partition($1) as added`, [week])
    if (rows[0]?.added) log.info({ table: name, week }, 'partition added')
  }
}

async function removeExpired(runtime: Runtime, table: PartitionedTable, signal: AbortSignal): Promise<void> {
  const since = keptSince(table.retentionDays(runtime.settings))
  const store = storeOf(runtime.settings)
  if (store) await describeArchive(store, signal)
  const { rows } = await runtime.pool.query<Partition>(partitionsSql(table.name))
  for (const partition of rows) {
    const { from, to } = partition
    if (from === null || to === null) {
      if (store) await archiveAndDelete(runtime, { table, partition, since, store }, signal)
      else await deleteRows(runtime, { table, partition, since }, signal)
    } else if (to <= firstIdOf(since)) {
      const monday = new Date(timeOfId(from))
      const archive = store && (await archiveWeek(runtime, { store, table, monday }, signal))
      await drop(runtime, { table, partition, since, archive }, signal)
    }
    if (signal.aborted) return
  }
}

interface Expired {
  readonly table: PartitionedTable
  readonly partition: Partition
  readonly since: Date
}

/** Deletes rows of the default partition, a thousand in a statement. */
async function deleteRows({ pool }: Runtime, { table, partition, since }: Expired, signal: AbortSignal): Promise<void> {
  const statement = `delete from ${table.name} where id in (
    select id from "${partition.name}" where id < $2 and created_at < $3 order by id limit $1)`
  let deleted = BATCH
  while (deleted === BATCH && !signal.aborted)
    deleted = (await pool.query(statement, [BATCH, firstIdOf(since), since])).rowCount ?? 0
}

/** The same week by week, each in one transaction, which deletes what was archived or nothing. */
async function archiveAndDelete(
  runtime: Runtime,
  { table, partition, since, store }: Expired & { readonly store: Store },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { rows } = await runtime.pool.query<{ id: string }>(`select id from "${partition.name}" order by id limit 1`)
    const monday = rows[0] && mondayOf(timeOfId(rows[0].id))
    if (!monday || weekAfter(monday) > since || signal.aborted) return
    const [from, to] = [firstIdOf(monday), firstIdOf(weekAfter(monday))]
    const archive = await archiveWeek(runtime, { store, table, monday }, signal)
    const removed = await inTransaction(runtime, async (client) => {
      const { rowCount } = await client.query({
        ...{
          text: `delete from ${table.name} where id >= $1 and id < $2 and created_at < $3`,
          values: [from, to, since],
        },
        ...WITHOUT_DEADLINE,
      })
      if (rowCount !== archive.rows) return false
      await client.query(REMOVED, [archive.table, archive.week, archive.version])
      return true
    })
    if (!removed) return changed(runtime, archive)
    runtime.log.info({ ...archive }, 'archived rows deleted')
  }
}

/** Drops a partition, if the lock for it is to be had soon. */
async function drop(
  runtime: Runtime,
  { table, partition, since, archive }: Expired & { archive: ArchivedWeek | undefined },
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      let outcome: string | undefined
      await inTransaction(runtime, async (client) => {
        const { rows } = await client.query<{ outcome: string }>({
          ...{
            text: `select drop_${table.name}_partition($1, $2, $3) as outcome`,
            values: [partition.name, since, archive?.rows ?? null],
          },
          ...WITHOUT_DEADLINE,
        })
        outcome = rows[0]?.outcome
        if (outcome === 'dropped' && archive)
          await client.query(REMOVED, [archive.table, archive.week, archive.version])
        return outcome === 'dropped'
      })
      if (outcome === 'dropped') runtime.log.info({ table: table.name, partition: partition.name }, 'partition dropped')
      if (outcome === 'changed' && archive) await changed(runtime, archive)
      return
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
      runtime.log.warn({ table: table.name, partition: partition.name, attempt }, 'partition is in use')
      if (attempt === DROP_TRIES) return
      await sleep(attempt * 1000)
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

async function changed(runtime: Runtime, archive: ArchivedWeek): Promise<void> {
  runtime.log.warn({ ...archive }, 'rows came to a week that was archived')
  await startAgain(runtime, archive)
}

/** A transaction whose statements take as long as they need. `work` returns whether it is committed. */
async function inTransaction({ pool }: Runtime, work: (client: PoolClient) => Promise<boolean>): Promise<boolean> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin; set local statement_timeout = 0')
    const committed = await work(client)
    await client.query(committed ? 'commit' : 'rollback')
    return committed
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}
