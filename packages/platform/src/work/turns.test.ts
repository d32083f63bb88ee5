import { expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { dueInTurns } from './turns.ts'

const service = useService()

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Rows that each step of a plan has handled, in all of its runs. */
const handled = (plan: Plan): number[] => [
  plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Join Filter'] ?? 0)),
  ...(plan.Plans ?? []).flatMap(handled),
]

test.each([true, false])(
  'a claim looks at what can have a turn, however much became due since the statistics were taken (few: %s)',
  async (few) => {
    const owner = await connected(service)
    const add = (rows: number, at: string) =>
      owner.query(
        `insert into orders select gen_random_uuid(), '01936f2a-7c1e-7000-8000-000000000001', ${at} from generate_series(1, $1::int) n`,
        [rows],
      )
    try {
      await owner.query('create temp table orders (id uuid primary key, organisation_id uuid, due_at timestamptz)')
      await owner.query('create index on orders (due_at)')
      await owner.query('create index on orders (organisation_id, due_at)')
      await add(3000, "now() + interval '1 hour'")
      await owner.query('analyze orders')
      await add(20_000, "now() - n * interval '1 ms'")
      const claim = dueInTurns({ table: 'orders', at: 'due_at', where: 'true', limit: '100', few })
      const { rows } = await owner.query(`explain (analyze, timing off, format json) ${claim}`)
      const plan: Plan = rows[0]['QUERY PLAN'][0].Plan
      expect(plan['Actual Rows']).toBe(100)
      expect(Math.max(...handled(plan))).toBeLessThan(25_000)
    } finally {
      await owner.end()
    }
  },
)
