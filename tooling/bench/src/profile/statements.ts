import type { Client } from 'pg'

/** A statement that a request sends, as PostgreSQL normalises it. */
export interface SentStatement {
  readonly text: string
  /** How often in a request, on average. */
  readonly times: number
  /** Its time in the server, for a request, planning included. */
  readonly microseconds: number
  /** How much of it the planning takes. */
  readonly planning: number
}

/** Characters of a statement that are shown. */
const TEXT = Number(process.env.BENCH_TEXT ?? 150)

/** What is sent less often is no part of the request: tasks and checks of the process. */
const RARE = 0.02

/** For the server's settings: it counts every statement, and how long it is planned, which is most of what one that is sent once in a while takes. */
export const COUNTING = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.max=10000',
  'pg_stat_statements.track_planning=on',
]

/** Counts the statements of all sessions on the client's database but the client's own, while `work` sends a number of requests. */
export async function statementsOf(
  client: Client,
  requests: number,
  work: () => Promise<unknown>,
): Promise<SentStatement[]> {
  await client.query('create extension if not exists pg_stat_statements')
  await client.query('select pg_stat_statements_reset()')
  await work()
  const { rows } = await client.query<{ text: string; calls: string; milliseconds: number; planning: number }>(
    `select query as text, calls, total_exec_time + total_plan_time as milliseconds, total_plan_time as planning from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat_statements%'
      order by calls desc, query`,
  )
  return rows
    .map(({ text, calls, milliseconds, planning }) => ({
      text: text.replaceAll(/\s+/g, ' ').trim(),
      times: Number(calls) / requests,
      microseconds: (milliseconds * 1000) / requests,
      planning: (planning * 1000) / requests,
    }))
    .filter(({ times }) => times >= RARE)
}

/** Shows them by their number, and what each takes. */
export function showStatements(print: (line: string) => void, statements: readonly SentStatement[]): void {
  const times = statements.reduce((sum, each) => sum + each.times, 0)
  const microseconds = statements.reduce((sum, each) => sum + each.microseconds, 0)
  print(`    ${times.toFixed(1)} statements, ${Math.round(microseconds)} µs in the server`)
  for (const each of statements)
    print(
      `      ${each.times.toFixed(2)} × ${Math.round(each.microseconds / each.times)} µs (planned in ${Math.round(each.planning / each.times)})  ${each.text.slice(0, TEXT)}`,
    )
}
