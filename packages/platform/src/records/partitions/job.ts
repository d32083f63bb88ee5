import { setTimeout as sleep } from 'node:timers/promises'
import { firstIdOf, noInput } from '@payments/kernel'
import { WITHOUT_DEADLINE } from '../../database/connections/connect.ts'
import { sqlState } from '../../database/errors.ts'
import type { PartitionedTable } from '../../domain/data.ts'
import { domainsOf } from '../../domain/domain.ts'
import type { Runtime } from '../../operations/context/context.ts'
import { job } from '../../work/jobs.ts'
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
 * Makes the partitions of the next weeks, and removes rows whose retention has ended: a partition is dropped when
 * all of its rows have. The default partition is of many weeks: its rows are deleted.
 */
export const partitions = job({
  name: 'platform.partitions',
  data: noInput,
  schedule: { everyMinutes: 60 },
  // One at a time. What a run has not finished within the hour, the next one goes on with.
  queue: { policy: 'exclusive', expireInSeconds: AN_HOUR },
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
  const { rows } = await runtime.pool.query<Partition>(partitionsSql(table.name))
  for (const partition of rows) {
    const { from, to } = partition
    if (from === null || to === null) {
      await deleteRows(runtime, { table, partition, since }, signal)
    } else if (to <= firstIdOf(since)) await drop(runtime, { table, partition, since }, signal)
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

/** Drops a partition, if the lock for it is to be had soon. */
async function drop(runtime: Runtime, { table, partition, since }: Expired, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      if (await isDropped(runtime, { table, partition, since }))
        runtime.log.info({ table: table.name, partition: partition.name }, 'partition dropped')
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

/** Drops a partition in a transaction whose statements take as long as they need. False: a row in it has to be kept. */
async function isDropped({ pool }: Runtime, { table, partition, since }: Expired): Promise<boolean> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin; set local statement_timeout = 0')
    const { rows } = await client.query<{ dropped: boolean }>({
      ...{ text: `select drop_${table.name}_partition($1, $2) as dropped`, values: [partition.name, since] },
      ...WITHOUT_DEADLINE,
    })
    await client.query('commit')
    return rows[0]?.dropped === true
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}
