import { port } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { connected, useService } from '#testing'
import type { Runtime } from '../../operations/context/context.ts'
import { pollTask } from './polls.ts'
import { pollBudget } from './rate-budget.ts'

const service = useService()
const tested = port('polled', 'Polls')
const ending: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(ending.map((end) => end())))

/** A task with `due` objects, whose polls end when the test says so; how many each claim had room for. */
function polling(due: number) {
  const rooms: number[] = []
  const ends: (() => void)[] = []
  const triggers: string[] = []
  const runtime = {
    ...service.runtime,
    trigger: (name: string) => void triggers.push(name),
    providers: {
      inUse: async (_port: unknown, environment: string) => (environment === 'test' ? [{ name: 'one' }] : []),
    },
  } as unknown as Runtime
  let left = due
  const task = pollTask({
    ...{ name: 'test.poll', because: 'tested', port: tested, object: 'object' },
    due: () => 'null::timestamptz',
    async claim(_runtime, _environment, _provider, limit) {
      rooms.push(limit)
      const taken = Math.min(left, limit)
      left -= taken
      return Array.from({ length: taken }, (_, index) => ({ id: `${left}-${index}` }))
    },
    poll: () => new Promise<void>((resolve) => ends.push(resolve)),
  })
  ending.push(async () => {
    for (const end of ends) end()
    await task.stop?.(runtime)
  })
  const end = (count: number) => {
    for (const each of ends.splice(0, count)) each()
  }
  return { task, runtime, rooms, triggers, end }
}

test('polls that end claim the next ones when half of the slots are free, and wake no other process', async () => {
  const { task, runtime, rooms, triggers, end } = polling(100)
  await task.run(runtime)
  expect(rooms).toEqual([8])
  end(3)
  await new Promise((resolve) => setImmediate(resolve))
  expect(rooms).toEqual([8])
  end(1)
  await expect.poll(() => rooms).toEqual([8, 4])
  end(8)
  await expect.poll(() => rooms.slice(2).reduce((sum, room) => sum + room, 0)).toBe(8)
  expect(triggers).toEqual([])
})

test('a trigger claims for any slot that is free, and what it finds nothing for is not asked for again', async () => {
  const { task, runtime, rooms, end } = polling(9)
  await task.run(runtime)
  end(1)
  await new Promise((resolve) => setImmediate(resolve))
  await task.run(runtime)
  expect(rooms).toEqual([8, 1])
  end(4)
  await expect.poll(() => rooms).toEqual([8, 1, 4])
  end(4)
  await new Promise((resolve) => setImmediate(resolve))
  expect(rooms).toEqual([8, 1, 4])
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Rows of a table that each step of a plan has read. */
const rowsRead = (plan: Plan): number[] => [
  ...(plan['Relation Name'] === 'polled'
    ? [plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0))]
    : []),
  ...(plan.Plans ?? []).flatMap(rowsRead),
]

test('a claim of a few polls reads few rows, however many are due', async () => {
  const owner = await connected(service)
  try {
    await owner.query(
      'create temp table polled (id uuid primary key, organisation_id uuid, environment text, provider text, poll_seconds integer, next_poll_at timestamptz)',
    )
    for (const [share, where] of [
      ['soon', 'poll_seconds <= 60'],
      ['later', 'poll_seconds > 60'],
    ]) {
      await owner.query(
        `create index polled_due_${share} on polled (provider, environment, next_poll_at) where ${where}`,
      )
      await owner.query(
        `create index polled_turns_${share} on polled (provider, environment, organisation_id, next_poll_at) where ${where}`,
      )
    }
    await owner.query(
      `insert into polled select gen_random_uuid(), '01936f2a-7c1e-7000-8000-000000000001', 'test', 'one', 5 + n % 2 * 3600, now() - n * interval '1 ms'
         from generate_series(1, 20000) n`,
    )
    await owner.query('analyze polled')
    const plans: Plan[] = []
    const explained = async (text: string, values: unknown[]) => {
      if (!text.includes('with budget')) return owner.query(text, values)
      const { rows } = await owner.query(`explain (analyze, timing off, format json) ${text}`, values)
      plans.push(rows[0]['QUERY PLAN'][0].Plan)
      return { rows: [], rowCount: 0 }
    }
    const budget = pollBudget({ bucket: 'test', polls: 'polled' })
    await budget.claim({ query: explained } as never, { provider: 'one', environment: 'test', callsPerMinute: 6000 }, 8)
    expect(plans).toHaveLength(1)
    expect(Math.max(...plans.flatMap(rowsRead))).toBeLessThanOrEqual(2000)
  } finally {
    await owner.query("delete from provider_budgets where provider = 'one'")
    await owner.end()
  }
})
