import { indexConcurrently, type MigrationStep } from '../domain/data.ts'

/** How long a step that exchanges a key waits for each lock: other locks that it has already keep requests waiting meanwhile. */
export const LOCK_WAIT = '300ms'

/** What the rows of a table were unique by, without the tenant: its primary key, or another unique key that takes its place. */
interface FormerKey {
  /** Its columns: they follow the tenant in the new key. */
  readonly columns?: readonly string[]
  /** The index that stays on them: `unique` where the release before has `on conflict` on them, `none` where nothing finds rows by them alone. */
  readonly stays?: 'unique' | 'plain' | 'none'
  /** The table has the unique index of the new key already, as `<table>_tenant_key`: foreign keys refer to it, so it cannot be created again. */
  readonly indexed?: boolean
}

/** The name of the index that stays on the columns of a former key. */
const formerKeyName = (table: string, columns: readonly string[] = ['id']): string => `${table}_${columns.join('_')}`

/**
 * Steps that let the primary key of an existing table begin with organisation and environment, while it is written to: indexes are created
 * concurrently, the keys are exchanged in one short transaction that reads no rows, and the foreign keys that refer to the table, which
 * move with it, are checked afterwards under locks for which no write waits. New rows are checked at any time.
 * @param stamp the names of the steps begin with it and a digit
 */
export function keyByTenant(
  table: string,
  stamp: string,
  { columns = ['id'], stays = 'plain', indexed = false }: FormerKey = {},
): MigrationStep[] {
  const name = formerKeyName(table, columns)
  return [
    {
      name: `${stamp}0_${table}_key_indexes`,
      concurrently: true,
      up: [
        ...(indexed
          ? []
          : indexConcurrently(
              `${table}_tenant_key`,
              `${table} (organisation_id, environment, ${columns.join(', ')})`,
              'unique',
            )),
        ...(stays === 'none'
          ? []
          : indexConcurrently(name, `${table} (${columns.join(', ')})`, stays === 'unique' ? 'unique' : '')),
      ],
    },
    { name: `${stamp}1_${table}_key`, up: [exchangeKeys(table)] },
    { name: `${stamp}2_${table}_references`, concurrently: true, up: [validateReferences(table)] },
  ]
}

/** The foreign keys that refer to a table, without the copies that partitions have. */
const REFERENCES = "from pg_constraint where contype = 'f' and conparentid = 0 and confrelid ="

/** Foreign keys depend on the index that they were created with. A partitioned table accepts none that is not valid before PostgreSQL 18. */
const exchangeKeys = (table: string): string => `do $$ declare
    reference record;
    kept text[] := '{}';
    created text;
    former text;
  begin
    -- Exchanged already, by an attempt that was interrupted before it was noted.
    if to_regclass('${table}_tenant_key') is null then return; end if;
    perform set_config('lock_timeout', '${LOCK_WAIT}', true);
    for reference in select conrelid::regclass as source, conname, pg_get_constraintdef(oid) as definition,
                            (select relkind from pg_class where oid = conrelid) as relkind
                       ${REFERENCES} '${table}'::regclass order by oid
    loop
      kept := kept || format('alter table %s add constraint %I %s%s', reference.source, reference.conname,
        replace(reference.definition, ' NOT VALID', ''), case when reference.relkind = 'r' then ' not valid' else '' end);
      execute format('alter table %s drop constraint %I', reference.source, reference.conname);
    end loop;
    for former in select conname from pg_constraint
                   where conrelid = '${table}'::regclass and (contype = 'p' or conname = '${table}_organisation_id_environment_id_key')
    loop execute format('alter table ${table} drop constraint %I', former); end loop;
    alter table ${table} add constraint ${table}_pkey primary key using index ${table}_tenant_key;
    foreach created in array kept loop execute created; end loop;
  end $$`

const validateReferences = (table: string): string => `do $$ declare reference record; begin
    for reference in select conrelid::regclass as source, conname ${REFERENCES} '${table}'::regclass and not convalidated
    loop execute format('alter table %s validate constraint %I', reference.source, reference.conname); end loop;
  end $$`

/**
 * Statements of a `concurrently` step that let a unique key have other columns while the table is written to. A constraint becomes an index.
 * Whenever they are interrupted, one index of the two keeps the key; an error names it as always, for a number at the end is that of a part.
 */
export const replaceUnique = (table: string, name: string, definition: string): string[] => [
  // Earlier versions dropped the former index before they gave its name to the next.
  `do $$ begin
    if to_regclass('${name}') is null then alter index if exists ${name}_next rename to ${name}; end if;
  end $$`,
  ...dropUnique(table, `${name}_1`),
  ...indexConcurrently(`${name}_next`, definition, 'unique'),
  `do $$ begin
    alter index if exists ${name} rename to ${name}_1;
    alter index ${name}_next rename to ${name};
  end $$`,
  ...dropUnique(table, `${name}_1`),
]

const dropUnique = (table: string, name: string): string[] => [
  `alter table ${table} drop constraint if exists ${name}`,
  `drop index concurrently if exists ${name}`,
]
