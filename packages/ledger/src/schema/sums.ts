import { countingFunction, type MigrationStep, type SqlExecutor } from '@payments/platform'

/** A table of sums that triggers keep. Each sum is in several rows, so that no writer waits for another. */
export interface Sums {
  readonly table: string
  /** What the sums are of; the first two are the tenant. */
  readonly keys: readonly string[]
  readonly sums: readonly string[]
  /** The columns of the table, without `slot`. */
  readonly columns: string
  /** SQL: what each row of the source adds, as keys and sums. */
  readonly source: string
  readonly triggers: readonly {
    readonly name: string
    /** The event and the transition tables of a statement trigger. */
    readonly on: string
    /** SQL: what its rows add. */
    readonly changes: string
  }[]
}

/** SQL: sums of rows with the keys, without those that are all zero. */
const summed = ({ keys, sums }: Sums, rows: string): string =>
  `select ${keys.join(', ')}, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')} from (${rows}) n
    group by ${keys.join(', ')} having ${sums.map((sum) => `sum(${sum}) <> 0`).join(' or ')}`

/** SQL: a sum of the table or of the source, zero where there is none. */
const orZero = (of: 'kept' | 'actual', sum: string): string => `coalesce(${of}.${sum}, 0)`

/** SQL: what the table holds (`kept`) and what the rows are (`actual`), where the two differ. */
const differing = (of: Sums): string =>
  `(${summed(of, `select ${of.keys.join(', ')}, ${of.sums.join(', ')} from ${of.table}`)}) kept
   full join (${summed(of, of.source)}) actual using (${of.keys.join(', ')})
   where ${of.sums.map((sum) => `${orZero('kept', sum)} <> ${orZero('actual', sum)}`).join(' or ')}`

/**
 * A migration step that makes the table and its triggers. As with `countRows` of the platform, rows that exist are added afterwards and
 * lock nothing: source and sums change in one transaction, so every snapshot since the triggers lacks the same, and one statement
 * compares both and adds the difference. The step can be repeated.
 */
export function keepSums(of: Sums): Pick<MigrationStep, 'up' | 'concurrently'> {
  const keys = of.keys.join(', ')
  return {
    up: [
      `create table if not exists ${of.table} (${of.columns}, slot integer not null, primary key (${keys}, slot)) with (fillfactor = 50)`,
      ...of.triggers.flatMap(({ name, on, changes }) => [
        countingFunction(name, of.table, of.keys, summed(of, changes), of.sums),
        `create or replace trigger ${name} after ${on} for each statement execute function ${name}()`,
      ]),
      `insert into ${of.table} as c (${keys}, slot, ${of.sums.join(', ')})
         select ${keys}, 0, ${of.sums.map((sum) => `${orZero('actual', sum)} - ${orZero('kept', sum)}`).join(', ')} from ${differing(of)}
       on conflict (${keys}, slot) do update set ${of.sums.map((sum) => `${sum} = c.${sum} + excluded.${sum}`).join(', ')}`,
    ],
    concurrently: true,
  }
}

/** A sum that is not what the rows are. */
export interface SumProblem {
  readonly organisationId: string
  readonly environment: string
  /** The keys after the tenant. */
  readonly part: string
  readonly kept: string
  readonly actual: string
}

/** Compares the sums with the rows, in one snapshot. */
export async function sumProblems(db: SqlExecutor, of: Sums): Promise<SumProblem[]> {
  const shown = (side: 'kept' | 'actual') =>
    `concat_ws(', ', ${of.sums.map((sum) => `'${sum} ' || trim_scale(${orZero(side, sum)})`).join(', ')}) as ${side}`
  const { rows } = await db.query<SumProblem>(
    `select organisation_id as "organisationId", environment, concat_ws(' ', ${of.keys.slice(2).join(', ')}) as part,
            ${shown('kept')}, ${shown('actual')} from ${differing(of)} limit 1000`,
    [],
  )
  return rows
}
