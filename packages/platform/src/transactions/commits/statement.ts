import { renumbered, type Statement } from '../../database/sql.ts'
import { isRow, type Written } from '../../database/written.ts'
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
export function joined({ written, calls, last }: Writes): Statement {
  const values: unknown[] = []
  const bound = (part: Statement): string => {
    const text = renumbered(part.text, values.length)
    values.push(...part.values)
    return text
  }
  const parts = [
    ...statementsOf(written).map((statement, index) => `e${index} as (${bound(statement)})`),
    ...calls.map(({ call, items }, index) => `c${index} as (select ${bound(call.expression(items))} as done)`),
    ...statementsOf(last).map((statement) => `last as (${bound(statement)})`),
  ]
  const read = [
    last.length > 0 ? bound({ text: '1 / ((select count(*) from last) = $1)::int', values: [last.length] }) : '1',
    ...calls.map((_, index) => `(select count(done) from c${index})`),
  ]
  return { text: `with ${parts.join(', ')} select ${read.join(', ')}`, values }
}

/** Rows that one statement inserts are where the first of them is. */
function statementsOf(written: readonly Written[]): Statement[] {
  const rows = Map.groupBy(written.filter(isRow), ({ into }) => into.key)
  return written.flatMap((each) => {
    if (!isRow(each)) return [each]
    const same = rows.get(each.into.key)
    if (same?.[0] !== each) return []
    return [{ text: each.into.text.join('$1'), values: [`[${same.map(({ json }) => json).join()}]`] }]
  })
}
