import { expect, test } from 'vitest'
import { connected, newMerchant, pause, samples, startService, useService } from '#testing'
import { everyDomain } from './process.ts'

const service = useService()
const tasks = everyDomain.flatMap(({ work }) => work?.tasks ?? [])
const jobs = everyDomain.flatMap(({ work }) => work?.jobs ?? [])
/** What a process asks, by what for. */
const questions = (): (readonly [string, string])[] => [
  ...tasks.flatMap(({ name, due }) => (due ? [[name, due(service.runtime)] as const] : [])),
  ...jobs.flatMap(({ name, due }) => (due ? [[name, due] as const] : [])),
]

/** Queues that are read up to their first row: what they hold is what is due. */
const QUEUES = ['ledger_unsealed', 'webhook_changes']

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('each task that a process runs says when there is work for it, or at which interval it runs', () => {
  expect(tasks.length).toBeGreaterThan(10)
  for (const task of tasks)
    expect([task.name, Boolean(task.due) !== Boolean(task.intervalMs)]).toEqual([task.name, true])
})

test('whether there is work for a task is read by an index, without a sort: it costs the same however many rows there are', async () => {
  const db = await connected(service)
  try {
    // Whatever the statistics of small tables say: what has another way than an index takes it only where there is none.
    await db.query('set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off')
    expect(questions().length).toBeGreaterThan(10)
    for (const [name, due] of questions()) {
      const { rows } = await db.query(`explain (format json) select (${due})::timestamptz`)
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
      const slow = nodes.filter((node) => ['Seq Scan', 'Sort', 'Bitmap Heap Scan'].includes(node['Node Type']))
      expect([name, slow.filter((node) => !QUEUES.includes(node['Relation Name'] ?? ''))]).toEqual([name, []])
    }
  } finally {
    await db.end()
  }
})

test('a job that recurs where something is due runs then, once for all processes and once a minute at the most', {
  timeout: 240_000,
}, async () => {
  const merchant = await newMerchant(service)
  const { pool, boss } = service.runtime
  const ran = async () =>
    (
      await pool.query(
        "select count(*)::int as count from pgboss.job where name = 'collections.due' and state = 'completed'",
      )
    ).rows[0].count
  const others = await startService({ worker: true, database: service.database })
  try {
    await service.process.startWorker()
    expect((await boss.getSchedules('collections.due')).length).toBe(0)
    const before = await ran()
    const body = samples.collection.body({ expiresAt: new Date(Date.now() + 20_000).toISOString() })
    const { data: link } = (await merchant.call('POST /v1/collections', { body })).body
    await pause(8000)
    expect(await ran()).toBe(before)
    await expect
      .poll(async () => (await merchant.call(`GET /v1/collections/${link.id}`)).body.data.status, { timeout: 130_000 })
      .toBe('expired')
    expect((await ran()) - before).toBeLessThanOrEqual(2)
  } finally {
    await others.stop()
  }
})
