import type { Counted } from '../../domain/data.ts'
import { COUNTING, countingLoop, KEYS, signedCounts } from '../counts.ts'

/** For how many weeks after the current one the migration makes partitions; later ones are made by the scheduled job. */
const FIRST_WEEKS = 4

/** SQL: the first id (UUIDv7) of a time, as `firstIdOf`. */
const firstIdFunction = `create or replace function first_id_of(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
     select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || repeat('0', 12))::uuid $$`

/** SQL: the partitions of a table with their ranges of ids. The default partition has none. */
const rangesOf = (table: string): string =>
  `select c.oid, c.relname, bounds[1]::uuid as low, bounds[2]::uuid as high
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), $r$FROM \\('([^']+)'\\) TO \\('([^']+)'\\)$r$) bounds
    where i.inhparent = '${table}'::regclass and bounds is not null`

/** SQL: every partition of a table, with those ranges, the default partition last. */
export const partitionsSql = (table: string): string =>
  `select c.relname as name, r.low as "from", r.high as "to"
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     left join (${rangesOf(table)}) r on r.oid = c.oid
    where i.inhparent = '${table}'::regclass
    order by r.high nulls last`

/**
 * Statements of a migration that give a table, which is partitioned by the time in its ids (UUIDv7), its first partitions: the default one, which
 * has what is of no week, and those of this week and the next. Others are made and dropped by the functions that the statements create.
 */
export const partitionByWeek = (table: string, counted: Counted): readonly string[] => [
  firstIdFunction,
  addFunction(table),
  `revoke all on function add_${table}_partition(date) from public`,
  ...dropPartitions(table, counted),
  `create table ${table}_default partition of ${table} default`,
  `select add_${table}_partition(date_trunc('week', now() at time zone 'UTC')::date + 7 * n) from generate_series(0, ${FIRST_WEEKS}) n`,
]

/** Statements that create the function which drops partitions, or replace it. */
export const dropPartitions = (table: string, counted: Counted): readonly string[] => [
  dropFunction(table, counted),
  `revoke all on function drop_${table}_partition(text, timestamptz) from public`,
]

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
    if exists (select from (${rangesOf(table)}) r where r.low < to_id and r.high > from_id)
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
 * False: there is no such partition, or a row in it was created since `since`.
 */
const dropFunction = (table: string, counted: Counted): string =>
  `create or replace function drop_${table}_partition(name text, since timestamptz) returns boolean language plpgsql security definer
     set search_path = public, pg_temp set lock_timeout = '500ms' as $$
  declare
    part regclass;
    newest timestamptz;
    ${COUNTING}
  begin
    perform pg_advisory_xact_lock(hashtext('${table}.partitions'));
    select r.oid into part from (${rangesOf(table)}) r where r.relname = name;
    if not found then return false; end if;
    execute format('lock table %s in share mode', part);
    perform set_config('enable_seqscan', 'on', true);
    execute format('select max(created_at) from %s', part) into newest;
    if newest >= since then return false; end if;
    ${countingLoop('record_counts', KEYS, `execute replace($c$${signedCounts(table, 'the_partition', '-', counted)}$c$, 'the_partition', part::text)`)}
    execute format('drop table %s', part);
    return true;
  end $$`
