import type { Counted } from '../../domain/data.ts'
import { COUNTING, countingLoop, KEYS, signedCounts } from '../counts.ts'

/** Whole weeks after the migration that the rows of before, and those of until then, stay together in one partition. */
const WEEKS_OF_BEFORE = 4
/** For how many weeks after that partition the migration makes partitions; later ones are made by the scheduled job. */
const FIRST_WEEKS = 4

/** SQL: the first id (UUIDv7) of a time, as `firstIdOf`. */
const firstIds: readonly string[] = [
  `create or replace function first_id_of(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
     select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || repeat('0', 12))::uuid $$`,
]

/** SQL: the partitions of a table with their ranges of ids; null: from the first id on. The default partition has none. */
const rangesOf = (table: string): string =>
  `select c.oid, c.relname, bounds[1]::uuid as low, bounds[2]::uuid as high
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), $r$FROM \\((?:MINVALUE|'([^']+)')\\) TO \\('([^']+)'\\)$r$) bounds
    where i.inhparent = '${table}'::regclass and bounds is not null`

/** SQL: every partition of a table, with those ranges and its share of what is not in one. */
export const partitionsSql = (table: string): string =>
  `select c.relname as name, r.low as "from", r.high as "to"
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     left join (${rangesOf(table)}) r on r.oid = c.oid
    where i.inhparent = '${table}'::regclass
    order by r.high nulls last`

/**
 * Migration steps that partition a table by the time in its ids (UUIDv7), while it is written to. The table with the rows of before
 * becomes the first partition. A check of its ids, which is validated without a lock, spares the reading of it under one. The last step
 * takes the lock that excludes everybody, to change the catalogue alone. An interrupted step is run again.
 * @param stamp of the first step; the second is later by one
 */
export const partitionByWeek = (table: string, counted: Counted): readonly string[] => [
  ...firstIds,
  `do $$ begin
    execute format('alter table ${table} add constraint ${table}_bound check (id < %L)',
      first_id_of(date_trunc('week', now(), 'UTC') + interval '${WEEKS_OF_BEFORE + 1} weeks'));
  end $$`,
  addFunction(table),
  dropFunction(table, counted),
  `revoke all on function add_${table}_partition(date), drop_${table}_partition(text, timestamptz, bigint) from public`,
  swap(table),
]

/**
 * Makes a partitioned table of the same columns, constraints, indexes and triggers, with the same grants: processes of the release before
 * go on writing before the grants of the migration come.
 */
const swap = (table: string): string => `do $$
  declare
    bound text;
    ended timestamptz;
    statement text;
    made text[];
  begin
    lock table ${table} in access exclusive mode;
    select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into strict bound
      from pg_constraint where conrelid = '${table}'::regclass and conname = '${table}_bound';
    select array_agg(definition) into made from (
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = '${table}'::regclass and not indisprimary
      union all
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = '${table}'::regclass and not tgisinternal
      union all
      select format('grant %s on ${table} to %s', privilege_type, coalesce(quote_ident(rolname), 'public'))
        from pg_class c cross join aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
       where c.oid = '${table}'::regclass) d (definition);
    for statement in
      select format('drop trigger %I on ${table}', tgname) from pg_trigger where tgrelid = '${table}'::regclass and not tgisinternal
      union all
      select format('alter index %I rename to %I', relname, '${table}_before' || substr(relname, ${table.length + 1}))
        from pg_index join pg_class c on c.oid = indexrelid where indrelid = '${table}'::regclass
    loop execute statement; end loop;
    alter table ${table} rename to ${table}_before;
    create table ${table} (like ${table}_before including defaults including constraints) partition by range (id);
    alter table ${table} drop constraint ${table}_bound;
    alter table ${table} add primary key (id);
    foreach statement in array made loop execute statement; end loop;
    execute format('alter table ${table} attach partition ${table}_before for values from (minvalue) to (%L)', bound);
    alter table ${table}_before drop constraint ${table}_bound;
    create table ${table}_default partition of ${table} default;
    ended := to_timestamp(('x' || left(replace(bound, '-', ''), 12))::bit(48)::bigint / 1000);
    for n in 0..${FIRST_WEEKS - 1} loop
      perform add_${table}_partition((ended at time zone 'UTC')::date + 7 * n);
    end loop;
  end $$`

/**
 * A function that makes the partition of the week that begins on a Monday, as the owner of the table. False: it exists, another partition has the week, or
 * the default partition has rows of it, which stay there. The empty table is attached without a lock that excludes writers.
 */
const addFunction = (table: string): string =>
  `create or replace function add_${table}_partition(monday date) returns boolean language plpgsql security definer
     set search_path = public, pg_temp set lock_timeout = '1s' as $$
  declare
    from_id uuid := first_id_of(monday::timestamp at time zone 'UTC');
    to_id uuid := first_id_of((monday + 7)::timestamp at time zone 'UTC');
    name text := '${table}_' || to_char(monday, 'YYYYMMDD');
  begin
    if extract(isodow from monday) <> 1 then raise '% is not a Monday', monday; end if;
    perform pg_advisory_xact_lock(hashtext('${table}.partitions'));
    if exists (select from (${rangesOf(table)}) r where (r.low is null or r.low < to_id) and r.high > from_id)
       or exists (select from ${table}_default where id >= from_id and id < to_id) then
      return false;
    end if;
    execute format('create table %I (like ${table} including defaults including constraints)', name);
    execute format('alter table ${table} attach partition %I for values from (%L) to (%L)', name, from_id, to_id);
    return true;
  end $$`

/**
 * A function that drops a partition, as the owner of the table, and takes its rows from the counters in the same transaction. They are counted under a lock
 * that excludes writers of this partition alone; the lock that excludes everybody is taken last, and not waited for longer than half a second.
 *
 * `dropped`; `kept`: there is no such partition, or a row in it was created since `since`; `changed`: it has not the number of
 * rows that were archived. `archived` null: none had to be.
 */
const dropFunction = (table: string, counted: Counted): string =>
  `create or replace function drop_${table}_partition(name text, since timestamptz, archived bigint) returns text language plpgsql security definer
     set search_path = public, pg_temp set lock_timeout = '500ms' as $$
  declare
    part regclass;
    n bigint;
    newest timestamptz;
    ${COUNTING}
  begin
    perform pg_advisory_xact_lock(hashtext('${table}.partitions'));
    select r.oid into part from (${rangesOf(table)}) r where r.relname = name;
    if not found then return 'kept'; end if;
    execute format('lock table %s in share mode', part);
    perform set_config('enable_seqscan', 'on', true);
    execute format('select count(*), max(created_at) from %s', part) into n, newest;
    if newest >= since then return 'kept'; end if;
    if n <> archived then return 'changed'; end if;
    ${countingLoop('record_counts', KEYS, `execute replace($c$${signedCounts(table, 'the_partition', '-', counted)}$c$, 'the_partition', part::text)`)}
    execute format('drop table %s', part);
    return 'dropped';
  end $$`
