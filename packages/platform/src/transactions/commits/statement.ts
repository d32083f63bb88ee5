import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { isRow, type Written } from '../../database/new-row.ts'
import { kyselyOver } from '../../database/transaction.ts'
import type { GatheredCall } from '../../operations/context/context.ts'

/** A call, and what it is for. */
export interface Gathered {
  readonly call: GatheredCall<unknown>
  readonly items: readonly unknown[]
}

/** What units of work write with one statement. */
export interface Writes {
  readonly written: readonly Written[]
  readonly calls: readonly Gathered[]
  /** Each must return a row, or the statement fails with `division_by_zero`. */
  readonly last: readonly Written[]
}

/**
 * Joins all of it into one statement, so that it shares a round trip: `with e0 as (…), e1 as (…) select …`. PostgreSQL runs every
 * data-modifying part once, whatever the final select reads; a call runs because the final select counts its value. Rows of
 * the same columns are one part, so the text does not depend on their number.
 */
export function joined({ written, calls, last }: Writes): CompiledQuery {
  const parts = [
    ...statementsOf(written).map((statement, index) => sql`${sql.raw(`e${index}`)} as (${statement})`),
    ...calls.map(
      ({ call, items }, index) => sql`${sql.raw(`c${index}`)} as (select ${call.expression(items)} as done)`,
    ),
    ...statementsOf(last).map((statement) => sql`last as (${statement})`),
  ]
  const read = [
    last.length > 0 ? sql`1 / ((select count(*) from last) = ${last.length})::int` : sql`1`,
    ...calls.map((_, index) => sql.raw(`(select count(done) from c${index})`)),
  ]
  return sql`with ${sql.join(parts)} select ${sql.join(read)}`.compile(compiler)
}

/** Rows that one statement inserts are where the first of them is. */
function statementsOf(written: readonly Written[]): RawBuilder<unknown>[] {
  const rows = Map.groupBy(written.filter(isRow), ({ into }) => into.key)
  return written.flatMap((each) => {
    if (!isRow(each)) return [each]
    const same = rows.get(each.into.key)
    if (same?.[0] !== each) return []
    const [before, after] = each.into.text
    return [sql`${sql.raw(before)}${`[${same.map(({ json }) => json).join()}]`}${sql.raw(after)}`]
  })
}

const compiler = kyselyOver(() => Promise.reject(new Error('It only compiles')))
