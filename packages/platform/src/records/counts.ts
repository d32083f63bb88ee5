import { defineEntity, p } from '@mikro-orm/core'
import { NIL_ID } from '@payments/kernel'
import type { SqlExecutor } from '../database/sql.ts'
import type { Counted, MigrationStep } from '../domain/data.ts'
import { inheritedTenant } from '../domain/entity.ts'

/** Whose the rows are that are counted for the installation. */
export const INSTALLATION = { organisationId: NIL_ID, environment: '' }

/** The exact numbers of rows of tables: see {@link countRows}. */
export const RecordCountEntity = defineEntity({
  name: 'RecordCount',
  tableName: 'record_counts',
  properties: {
    organisationId: inheritedTenant().organisationId.primary(),
    environment: inheritedTenant().environment.primary(),
    tableName: p.text().primary(),
    scope: p.text().primary(),
    slot: p.integer().primary(),
    count: p.bigint(),
  },
})

/**
 * Migration: the function of a trigger that adds what `counts` selects, the columns `keys` and `count`, to the counters in the table `into`.
 * Each number is the sum of a few rows, of which a transaction takes one that no other one holds; if there is none it adds one. Its
 * `slot` begins with the id of the backend, so no other transaction is inserting it now, and one that exists, which another may
 * hold, is not touched but another number is taken. So a writer never waits for another, and counters are in no deadlock.
 * @param sums the columns that are added up, where they are others than `count`
 */
export function countingFunction(
  name: string,
  into: string,
  keys: readonly string[],
  counts: string,
  sums: readonly string[] = ['count'],
): string {
  return `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    ${COUNTING}
  begin
    ${countingLoop(into, keys, counts, sums)}
    return null;
  end $$`
}

/** plpgsql: the variables that {@link countingLoop} needs. */
export const COUNTING = `counted record;
    free integer;`

/** plpgsql: adds what `counts` selects, or `execute`s, to counters: see {@link countingFunction}. */
export function countingLoop(
  into: string,
  keys: readonly string[],
  counts: string,
  sums: readonly string[] = ['count'],
): string {
  const added = sums.map((sum) => `${sum} = c.${sum} + counted.${sum}`).join(', ')
  const first = sums.map((sum) => `counted.${sum}`).join(', ')
  const same = keys.map((key) => `c.${key} = counted.${key}`).join(' and ')
  return `for counted in ${counts} loop
      select slot into free from ${into} c where ${same} limit 1 for update skip locked;
      if found then
        update ${into} c set ${added} where ${same} and slot = free;
      else
        loop
          insert into ${into} as c (${keys.join(', ')}, slot, ${sums.join(', ')}) values (${keys.map((key) => `counted.${key}`).join(', ')}, ${NEW_SLOT}, ${first})
          on conflict (${keys.join(', ')}, slot) do nothing;
          exit when found;
        end loop;
      end if;
    end loop;`
}

/** SQL: 22 bits of the backend's id, the most that Linux has, and 9 of a random number. */
const NEW_SLOT = '(pg_backend_pid() << 9) + floor(random() * 512)::int'

/**
 * A migration step whose triggers count the rows of a table in `record_counts`, so that a list has an exact total whatever its length:
 * counting a million rows costs a hundred times the page. Rows that exist are counted afterwards and lock nothing: a transaction changes
 * rows and counters together, so every snapshot since the triggers lacks the same number, the rows of before. One statement compares
 * both and adds the difference. A step that was interrupted anywhere is run again: then the difference is zero, or still to be added.
 */
export function countRows(table: string, counted: Counted = {}): Pick<MigrationStep, 'up' | 'concurrently'> {
  const counts = (from: string, sign: '' | '-') => signedCounts(table, from, sign, counted)
  const trigger = (event: 'insert' | 'delete', rows: 'new' | 'old', sign: '' | '-') => [
    countingFunction(`count_${table}_${event}`, 'record_counts', KEYS, counts('changed', sign)),
    `create or replace trigger ${table}_${event}_counted after ${event} on ${table}
       referencing ${rows} table as changed for each statement execute function count_${table}_${event}()`,
  ]
  const up = [
    ...trigger('insert', 'new', ''),
    ...trigger('delete', 'old', '-'),
    `insert into record_counts as c (${KEYS.join(', ')}, slot, count)
       select ${KEYS.join(', ')}, 0, coalesce(n.count, 0) - coalesce(known.count, 0)
         from (${counts(table, '')}) n
         full join (${sumsOf(`'${table}'`)}) known using (${KEYS.join(', ')})
        where coalesce(n.count, 0) <> coalesce(known.count, 0)
     on conflict (${KEYS.join(', ')}, slot) do update set count = c.count + excluded.count`,
  ]
  return { up, concurrently: true }
}

/** What identifies a counter, apart from its slots. */
export const KEYS = ['organisation_id', 'environment', 'table_name', 'scope']

/** SQL: what rows of `from` add to the counters of a table, or take from them. */
export const signedCounts = (table: string, from: string, sign: '' | '-', counted: Counted): string =>
  `select organisation_id, environment, '${table}' as table_name, scope, ${sign}count as count from (${countsOf(from, counted)}) n`

/** SQL: what the counters of a table say. */
const sumsOf = (table: string): string =>
  `select ${KEYS.join(', ')}, sum(count) as count from record_counts where table_name = ${table} group by ${KEYS.join(', ')}`

/** SQL: the numbers of rows by tenant and scope, as a subquery of `from`. */
const countsOf = (from: string, { scopes = ["''"], where = 'true', installation }: Counted): string => {
  const owner = installation
    ? `'${INSTALLATION.organisationId}'::uuid as organisation_id, '' as environment`
    : 'organisation_id, environment'
  return `select ${owner}, scope, count(*) from ${from} cross join lateral (values ${scopes.map((scope) => `(${scope})`).join(', ')}) s (scope)
    where (${where}) and scope is not null group by 1, 2, 3`
}

/** A counter that is not the number of rows. */
export interface CountProblem {
  readonly organisationId: string
  readonly environment: string
  readonly scope: string
  readonly counted: string
  readonly rows: string
}

/** Compares the counters of a table with its rows, in one snapshot. */
export async function countProblems(db: SqlExecutor, table: string, counted: Counted): Promise<CountProblem[]> {
  const { rows } = await db.query<CountProblem>(
    `select organisation_id as "organisationId", environment, scope, coalesce(c.count, 0)::text as counted, coalesce(n.count, 0)::text as rows
       from (${sumsOf('$1')}) c
       full join (${countsOf(table, counted)}) n using (organisation_id, environment, scope)
      where coalesce(c.count, 0) <> coalesce(n.count, 0)
      limit 1000`,
    [table],
  )
  return rows
}

/**
 * SQL: the exact number of rows of a table that {@link countRows} counts for a tenant, `$1` and `$2`, or for the {@link INSTALLATION}.
 * @param scopes SQL that names the scopes to sum; its first parameter is `$3`
 */
export const totalSql = (table: string, scopes = "scope = ''"): string =>
  `(select coalesce(sum(count), 0) from record_counts
     where organisation_id = $1 and environment = $2 and table_name = '${table}' and ${scopes})`

/** That number, read by itself. */
export async function countOf(
  db: SqlExecutor,
  { organisationId, environment }: { readonly organisationId: string; readonly environment: string },
  table: string,
  scopes?: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rows } = await db.query<{ total: string }>(`select ${totalSql(table, scopes)} as total`, [
    organisationId,
    environment,
    ...values,
  ])
  return Number(rows[0]?.total)
}
