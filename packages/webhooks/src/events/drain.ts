import {
  arrayOf,
  BY_KEYS,
  IN_INDEX_ORDER,
  inTransaction,
  type RestoreDeclaration,
  type Runtime,
  type SqlExecutor,
} from '@payments/platform'
import type { Tenants, Waiting } from '../queue/tenants.ts'

/** Bounds of one transaction: events, and the deliveries that they may need, by the enabled endpoints of their tenants. */
interface Bounds {
  readonly events: number
  readonly deliveries: number
}

interface Taken {
  readonly id: string
  readonly organisationId: string
  readonly environment: Waiting['environment']
  readonly endpoints: number
  /** Events that could have been taken. */
  readonly free: number
}

/** The keys of events that were taken, as {@link takenEvents} reads them. */
export const keysOf = (taken: readonly Pick<Taken, 'id' | 'organisationId' | 'environment'>[]) => [
  taken.map(({ organisationId }) => organisationId),
  taken.map(({ environment }) => environment),
  taken.map(({ id }) => id),
]

/**
 * SQL: these keys, of which `first` is the number of the first parameter. By the id alone, which no index says is unique, the server would read the whole table while
 * it has no statistics of it.
 */
export const takenEvents = (first: number): string =>
  `unnest(${arrayOf('uuid', `$${first}`)}, ${arrayOf('text', `$${first + 1}`)}, ${arrayOf('uuid', `$${first + 2}`)}) as keys (organisation_id, environment, id)`

/** SQL: each tenant with events in the outbox, and its first one, by one index entry each, however many events a tenant has. */
export const WAITING_TENANTS = `with recursive tenants as (
    (select environment, organisation_id, id from events where drained_at is null order by environment, organisation_id, id limit 1)
    union all
    select n.* from tenants t cross join lateral (
      select environment, organisation_id, id from events
       where drained_at is null and (environment, organisation_id) > (t.environment, t.organisation_id)
       order by environment, organisation_id, id limit 1) n)`

const WAITING = `${WAITING_TENANTS}
  select environment, organisation_id as "organisationId" from tenants order by environment, id`

/** SQL: events of these tenants, one of each in turn, and of live ones first; none of a tenant with an endpoint that another transaction holds. */
const TAKE = `with candidates as materialized (
    select n.id, n.turn from unnest(${arrayOf('text', '$3')}, ${arrayOf('uuid', '$4')}) as t (environment, organisation_id) cross join lateral (
      select e.id, row_number() over (order by e.id) as turn from (
        select id from events where drained_at is null and environment = t.environment and organisation_id = t.organisation_id
         order by id limit (select $1::int)) e) n
     order by t.environment, n.turn, n.id limit (select $1::int)),
  due as materialized (
    select id, organisation_id, environment from events
     where id = any (array(select id from candidates)) and drained_at is null order by id for no key update skip locked),
  enabled as materialized (
    select id, organisation_id, environment from webhook_endpoints
     where status = 'enabled' and (organisation_id, environment) in (select organisation_id, environment from due)),
  held as materialized (
    select id from webhook_endpoints where id in (select id from enabled) for key share skip locked),
  fans as (
    select organisation_id, environment, count(*) as endpoints, count(*) = count(h.id) as free
      from enabled e left join held h using (id) group by organisation_id, environment),
  sized as (
    select d.id, d.organisation_id, d.environment, coalesce(f.endpoints, 0) as endpoints,
           row_number() over w as place, sum(coalesce(f.endpoints, 0)) over w as deliveries
      from due d join candidates c using (id) left join fans f using (organisation_id, environment)
     where coalesce(f.free, true) window w as (order by d.environment, c.turn, d.id))
  select id, organisation_id as "organisationId", environment, endpoints::int, (select count(*)::int from sized) as free
    from sized where place = 1 or deliveries <= $2 order by id`

/**
 * SQL: marks events as drained and gives them their places, oldest first. Under a lock that is held until the commit, so that a reader that has
 * seen one place has seen all that are before it.
 */
const DRAIN = `with held as materialized (select pg_advisory_xact_lock(hashtextextended('events.position', 0))),
  batch as materialized (select nextval('events_position') * 1000 as first from held),
  places as materialized (select *, row_number() over (order by id) as place from ${takenEvents(1)})
  update events e set drained_at = now(), position = b.first + p.place from batch b, places p
   where (e.organisation_id, e.environment, e.id) = (p.organisation_id, p.environment, p.id)`

/**
 * Hands new events to `distribute` in batches, oldest first within a tenant, in the transaction that marks them as drained; so each event
 * is distributed exactly once, at any moment a process dies. Callers hold the task's lock.
 * Events are found by `drained_at is null`, never by a cursor: commits overtake each other.
 * It waits for no row. Tenants that cannot be served now are left out, so that they hold up no other: see {@link Tenants}.
 * @returns true when there may be more events.
 */
export async function drain(
  runtime: Runtime,
  tenants: Tenants,
  { events, deliveries }: Bounds,
  distribute: (client: SqlExecutor, taken: readonly Taken[]) => Promise<void>,
): Promise<boolean> {
  return inTransaction(
    runtime.pool,
    async (client) => {
      // With an empty list of parameters it is prepared.
      const { rows: waiting } = await client.query<Waiting>(WAITING, [])
      const served = await tenants.served(client, waiting, events)
      if (served.length === 0) return false
      const { rows: taken } = await client.query<Taken>(TAKE, [
        events,
        deliveries,
        served.map(({ environment }) => environment),
        served.map(({ organisationId }) => organisationId),
      ])
      const [first] = taken
      if (!first) return false
      await distribute(client, taken)
      await client.query(DRAIN, keysOf(taken))
      tenants.took(taken)
      return taken.length === events || taken.length < first.free
    },
    BY_KEYS,
    IN_INDEX_ORDER,
  )
}

/** So many batches of places are left out after a restore: more than are taken in the time that one can forget. */
const LEFT_OUT = 1_000_000

/**
 * Events after a restore to an earlier point have places behind all that were taken since that point: a stream that a merchant
 * resumes leaves none of them out.
 */
export const restore: RestoreDeclaration = {
  async lastChange(db) {
    const { rows } = await db.query<{ at: Date | string }>(
      'select created_at as at from events order by id desc limit 1',
    )
    return rows[0] ? new Date(rows[0].at) : null
  },
  async secure(db) {
    await db.query("select setval('events_position', (select last_value from events_position) + $1)", [LEFT_OUT])
    return []
  },
}
