import { expect } from 'vitest'
import type { TestService } from './service.ts'

/**
 * Enablements: tests store customers that are enabled. Deliveries: each attempt is kept with the delivery and shown in the timeline of its object, and a line for each would be half of the log
 * under load.
 */
const WITHOUT_LINES = ['cngn_enablements', 'webhook_deliveries']

/** The tables of the database whose rows obey a table of states. */
const GUARDED = `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where t.tgname like '%\\_status\\_moves' and not c.relispartition and c.relname <> all ($1) order by 1`

interface Line {
  readonly msg: string
  readonly object: string
  readonly id: string
  readonly from: string | null
  readonly to: string
}

/**
 * What the log does not explain of the statuses in the database: each object has to have a line for its creation, and for each move up to the
 * status that it has. A move that has no line leaves a gap in the way.
 */
export async function withoutLine({ runtime, logs }: Pick<TestService, 'runtime' | 'logs'>): Promise<string[]> {
  const { rows: tables } = await runtime.pool.query<{ name: string }>(GUARDED, [WITHOUT_LINES])
  expect(tables.length).toBeGreaterThan(10)
  const rows: { table: string; id: string; status: string }[] = []
  for (const { name } of tables)
    rows.push(...(await runtime.pool.query(`select '${name}' as table, id, status from ${name}`)).rows)
  // Read after the rows: what was committed before has its line by then, or a moment later.
  const lines = logs.filter((line) => line.includes('"status changed"')).map((line): Line => JSON.parse(line))
  const moves = Map.groupBy(lines, ({ object, id }) => `${object} ${id}`)
  return rows.flatMap(({ table, id, status }) => {
    const found = (moves.get(`${table} ${id}`) ?? []).map(({ from, to }) => `${from ?? ''}>${to}`)
    return isWay(found, status) ? [] : [`${table} ${id} is ${status}; its lines say ${found.join(' ') || 'nothing'}`]
  })
}

/** Do these moves lead from nothing to the status? Every other state is left as often as it is entered. */
function isWay(moves: readonly string[], status: string): boolean {
  const balance = new Map<string, number>([
    ['', 1],
    [status, -1],
  ])
  const add = (state: string, change: number) => balance.set(state, (balance.get(state) ?? 0) + change)
  for (const move of moves) {
    const [from = '', to = ''] = move.split('>')
    add(from, -1)
    add(to, 1)
  }
  return [...balance.values()].every((value) => value === 0)
}
