import type { Client } from 'pg'

/**
 * Larger tables keep their order: without statistics the planner expects every 200th row for each column of the tenant, which is more than
 * one from 60,000 rows on, and with them it knows better. A key of so many pages is made again within a second.
 */
const LARGEST_PAGES = 5000

/**
 * The indexes of the service's tables with their rank: a tenant's primary key is preferred to its other unique keys, and those to any other index.
 * An index is newer than another when its oid is higher, until the oids of an installation wrap around.
 */
const RANKED = `select x.indrelid, x.indexrelid, format('%I.%I', n.nspname, i.relname) as name,
         case when x.indisunique and x.indnkeyatts > 2 and tenant.columns = '{organisation_id,environment}'
              then 1 + x.indisprimary::int else 0 end as rank
    from pg_index x
    join pg_class c on c.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
   cross join lateral (select array_agg(a.attname::text order by place) as columns
                         from unnest(x.indkey::int2[]) with ordinality as k (number, place)
                         join pg_attribute a on a.attrelid = c.oid and a.attnum = number
                        where place <= 2) tenant
   where c.relkind = 'r' and n.nspname = 'public'
     and pg_relation_size(c.oid) < current_setting('block_size')::bigint * $1`

/** The keys of the tables that have a key which is older than an index of a lower rank, in the order in which they are renewed. */
const OLDER_KEYS = `with ranked as (${RANKED})
  select name from ranked key
   where rank > 0 and exists (select from ranked a join ranked b using (indrelid)
                               where indrelid = key.indrelid and a.rank < b.rank and a.indexrelid > b.indexrelid)
   order by indrelid, rank, indexrelid`

/** What an interrupted `reindex concurrently` left. */
const LEFTOVERS = `select format('%I.%I', n.nspname, i.relname) as name
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_namespace n on n.oid = i.relnamespace
   where not x.indisvalid and n.nspname = 'public' and i.relname ~ '_cc(new|old)[0-9]*$'`

/**
 * Makes the keys that begin with the tenant the newest indexes of their tables. While a table is nearly empty or not analysed, every index
 * that begins with the tenant costs the planner the same, and of equal ones it takes the newest; a connection keeps such a plan, and reads
 * all rows of an organisation once the table has grown. Keys are older in a new database, where a key is made with its table, after a
 * migration that adds an index, and in a restored database: pg_restore makes keys before other indexes. Writes go on meanwhile.
 */
export async function renewKeys(owner: Client): Promise<void> {
  const namesOf = async (sql: string, values?: unknown[]) =>
    (await owner.query<{ name: string }>(sql, values)).rows.map(({ name }) => name)
  for (const name of await namesOf(LEFTOVERS)) await owner.query(`drop index concurrently if exists ${name}`)
  for (const name of await namesOf(OLDER_KEYS, [LARGEST_PAGES])) await owner.query(`reindex index concurrently ${name}`)
}
