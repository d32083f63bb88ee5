/**
 * The claim table of webhook deliveries against two features of pg-boss that could replace it: `groupConcurrency` (a limit of
 * active jobs per endpoint) and the queue policy `key_strict_fifo` (one active job per endpoint, in order). Each contestant claims
 * and completes the same deliveries to 20 endpoints, without sending them, beside an endpoint that never responds: its slots are
 * taken and it has a backlog. Contestants alternate in one run; the results are ratios.
 */

import { newId, system } from '@payments/kernel'
import { foundOrganisation } from '@payments/stand'
import { claimDeliveries, settleDeliveries } from '@payments/webhooks'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import { median, type Stand, withStand } from './ledger-stand.ts'

const ENDPOINTS = 20
const DELIVERIES = 100
const BATCH = 100
/** One organisation gets half of the free slots. */
const CAPACITY = { room: 2 * BATCH, impairedRoom: 2 * BATCH, busy: new Map() }
/** Active jobs per endpoint, as the claim table allows them. */
const CONCURRENCY = 5
const BACKLOGS = [0, 20_000]
const ROUNDS = 5

/** Prepares a backlog of the endpoint that never responds, and returns a function that delivers everything else. */
type Contestant = (stand: Stand, backlog: number) => Promise<() => Promise<void>>

/** Prints deliveries per second of each contestant with each backlog, and the ratio to the claim table. */
export async function benchQueues(print: (line: string) => void): Promise<void> {
  await withStand([], print, async (stand) => {
    const boss = new PgBoss({
      connectionString: stand.ownerUrl,
      schema: 'queue_bench',
      supervise: false,
      schedule: false,
    })
    boss.on('error', (error) => print(String(error)))
    await boss.start()
    try {
      const contestants: Record<string, Contestant> = {
        'claim table': claimTable,
        groupConcurrency: jobs(boss, 'standard'),
        key_strict_fifo: jobs(boss, 'key_strict_fifo'),
      }
      for (const backlog of BACKLOGS) {
        const rates = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]))
        for (let round = 0; round <= ROUNDS; round++) {
          for (const [name, prepare] of Object.entries(contestants)) {
            const deliver = await prepare(stand, backlog)
            const started = performance.now()
            await deliver()
            if (round > 0) rates.get(name)?.push((ENDPOINTS * DELIVERIES * 1000) / (performance.now() - started))
          }
        }
        const own = median(rates.get('claim table') ?? [])
        for (const [name, each] of rates) {
          const rate = median(each)
          const ratio = (rate / own).toFixed(2)
          print(
            `${name.padEnd(18)} backlog ${String(backlog).padStart(6)}: ${rate.toFixed(0).padStart(6)}/s   ${ratio}`,
          )
        }
      }
    } finally {
      await boss.stop({ graceful: false })
    }
  })
}

const claimTable: Contestant = async ({ process, ownerUrl }, backlog) => {
  const { runtime } = process
  const organisationId = await foundOrganisation(runtime)
  const { webhooks } = process.createCaller(system(organisationId, 'test'))
  const register = async () => (await webhooks.create({ url: 'http://127.0.0.1:9000/hooks' })).id
  const dead = await register()
  const endpoints: string[] = []
  for (let n = 0; n < ENDPOINTS; n++) endpoints.push(await register())
  const eventId = newId()
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  // What earlier rounds left unfinished must not be claimed in this one.
  await owner.query(`update webhook_queues set due_at = 'infinity'`)
  await owner.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     values ($1, $2, 'test', 'payment_route.created', $1, '{}', now(), now())`,
    [eventId, organisationId],
  )
  const insert = (ids: readonly string[], count: number) =>
    owner.query(
      `insert into webhook_deliveries
         (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
       select gen_random_uuid(), $1, 'test', e, $2, 'payment_route.created', 'pending', now(), now(), now(), now()
         from generate_series(1, $4::int), unnest($3::uuid[]) e`,
      [organisationId, eventId, ids, count],
    )
  await insert([dead], backlog + CONCURRENCY)
  await owner.query('update webhook_queues set due_at = now() where endpoint_id = $1', [dead])
  await claimDeliveries(runtime.pool, CAPACITY)
  await insert(endpoints, DELIVERIES)
  await owner.query('update webhook_queues set due_at = now() where endpoint_id = any ($1)', [endpoints])
  await owner.query('analyze webhook_deliveries')
  await owner.end()
  return async () => {
    for (let left = ENDPOINTS * DELIVERIES; left > 0; ) {
      const deliveries = await claimDeliveries(runtime.pool, CAPACITY)
      if (deliveries.length === 0) throw new Error(`No delivery claimed, ${left} left`)
      await settleDeliveries(
        runtime.pool,
        deliveries.map((delivery) => ({
          ...{ delivery, status: 'delivered', delay: null, attempt: { responseStatus: 200 } },
          ...{ answered: true, gone: false, fast: true },
        })),
      )
      left -= deliveries.length
    }
  }
}

const jobs =
  (boss: PgBoss, policy: 'standard' | 'key_strict_fifo'): Contestant =>
  async ({ ownerUrl }, backlog) => {
    const strict = policy === 'key_strict_fifo'
    const name = `deliveries-${newId()}`
    await boss.createQueue(name, { policy, partition: false })
    const insert = async (endpointIds: readonly string[], count: number) => {
      for (let done = 0; done < count; done += 1000) {
        const size = Math.min(1000, count - done)
        const batch = Array.from({ length: size }, () => endpointIds).flat()
        await boss.insert(
          name,
          batch.map((id) => (strict ? { data: { id }, singletonKey: id } : { data: { id }, group: { id } })),
        )
      }
    }
    const options = { batchSize: BATCH, ...(strict ? {} : { groupConcurrency: CONCURRENCY }) }
    await insert([newId()], backlog + CONCURRENCY)
    await boss.fetch(name, options)
    await insert(
      Array.from({ length: ENDPOINTS }, () => newId()),
      DELIVERIES,
    )
    const owner = new Client({ connectionString: ownerUrl })
    await owner.connect()
    await owner.query('analyze queue_bench.job_common')
    await owner.end()
    return async () => {
      for (let left = ENDPOINTS * DELIVERIES; left > 0; ) {
        const fetched = await boss.fetch(name, options)
        if (fetched.length === 0) throw new Error(`No job fetched, ${left} left`)
        await boss.complete(
          name,
          fetched.map(({ id }) => id),
        )
        left -= fetched.length
      }
      await boss.deleteQueue(name)
    }
  }
