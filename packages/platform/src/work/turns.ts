/** What waits in a table, for a claim that takes some of it. */
export interface Turns {
  readonly table: string
  /** The column with the time from which a row is due. */
  readonly at: string
  /** A condition on the table's columns. An index on (…, `organisation_id`, `at`) has the rows that fulfil it. */
  readonly where: string
  /** SQL: how many rows are taken. */
  readonly limit: string
  /** Where an index on (…, `at`) exists as well: as long as fewer than {@link FEW} rows are due, they are ranked without a look at each organisation. */
  readonly few?: boolean
}

/** Few enough due rows to rank all of them each time. */
const FEW = 2000

/**
 * SQL: the ids of what is due, locked: one of each organisation in turn, and the longest due first within each, so that no
 * organisation delays another. Each organisation is found by one step on the index, so that however much one has waiting, it costs the
 * others nothing; of those that wait, the first `limit` are looked at closely, because no more can have a turn. Rows
 * are locked one by one, by their ids: as a join, statistics of before a burst would have all that is due compared with all that is ranked. For the same
 * reason a claim names what it takes as `id = any (array(select id from …))`: a join, whose number of rows nobody can guess, reads the whole table.
 */
export function dueInTurns({ table, at, where, limit, few = false }: Turns): string {
  const due = `${where} and ${at} <= now()`
  // Compared as a pair, which only the index by organisation has: by the other, one with little due would be looked for among all that is.
  const dueOf = (id: string): string =>
    `${where} and (organisation_id, ${at}) >= (${id}, '-infinity') and (organisation_id, ${at}) <= (${id}, now()) order by organisation_id, ${at}`
  const isMany = few ? `(select count(*) from few) = ${FEW}` : 'true'
  return `
  with recursive ${few ? `few as materialized (select id, organisation_id, ${at} as at from ${table} where ${due} order by ${at} limit ${FEW}), ` : ''}owners (id) as (
    (select organisation_id from ${table} where ${where} and ${isMany} order by organisation_id limit 1)
    union all
    select (select n.organisation_id from ${table} n where ${where} and n.organisation_id > o.id order by n.organisation_id limit 1)
      from owners o where o.id is not null
  ), waiting as (
    select o.id from owners o
     cross join lateral (select ${at} as at from ${table} where ${dueOf('o.id')} limit 1) f
     order by f.at limit ${limit}
  ), ranked as (
    select d.id, d.at, row_number() over (partition by w.id order by d.at) as turn
      from waiting w
     cross join lateral (select id, ${at} as at from ${table} where ${dueOf('w.id')} limit ${limit}) d${
       few
         ? `
    union all
    select id, at, row_number() over (partition by organisation_id order by at) from few where not ${isMany}`
         : ''
     }
  )
  select t.id from (select id from ranked order by turn, at) r
   cross join lateral (select c.id from ${table} c where c.id = r.id and c.${at} <= now() for update skip locked) t
   limit ${limit}`
}
