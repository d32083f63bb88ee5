import { newId, ownCell } from '@payments/kernel'
import { arrayOf, catalogueOf, type Runtime, type SqlExecutor } from '@payments/platform'
import { dueLater } from '../endpoints/changes.ts'
import type { Room } from '../queue/hand-over.ts'
import { ATTEMPT, type DeliveryAttempt, FULL_SLOTS, LEASE_SECONDS } from '../queue/queue.ts'

/** The event types that only endpoints with an allowlist receive. */
export const optInTypes = ({ domains }: Pick<Runtime, 'domains'>): string[] =>
  Object.entries(catalogueOf(domains)).flatMap(([type, { optIn }]) => (optIn ? [type] : []))

const PLACE = "lpad(to_hex(p.place), 6, '0')"

/**
 * SQL: a UUIDv7 (RFC 9562) of this cell and the transaction's time, with the row's place in the counter bits, so that deliveries of one
 * statement sort by place. PostgreSQL has `uuidv7()` from version 18 on only.
 */
const orderedId =
  (): string => `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || left(${PLACE}, 3)
  || '8' || right(${PLACE}, 3) || left(replace(gen_random_uuid()::text, '-', ''), 9) || '${ownCell()}')::uuid`

/**
 * SQL: when a delivery is due, as precisely as merchants see it. One that is returned is due then again: rounded up, it would come after the later ones of its
 * statement.
 */
const dueAs = (dueAt: string): string => `date_trunc('milliseconds', ${dueAt})`

/** What a source of deliveries selects of their events. */
export const EVENT_COLUMNS = 'e.id as event_id, e.organisation_id, e.environment, e.type as event_type'

/** What new deliveries become. */
interface Made {
  readonly deliveries: number
  /** Endpoints whose queues {@link dueLater} makes due. */
  readonly later: number
}

/**
 * Inserts deliveries inside the database and makes the queues of their endpoints due. `source` selects from events `e`:
 * {@link EVENT_COLUMNS}, `endpoint_id` and `place`, the order of the deliveries. It waits for no queue: one that another transaction holds
 * is due as soon as it is free. `dueAt` is SQL on a row `p` of the source.
 */
export async function insertDeliveries(
  client: SqlExecutor,
  source: string,
  values: unknown[],
  dueAt = 'now()',
): Promise<Made> {
  const { rows } = await client.query<Made>(
    `with ${picked(source)},
     inserted as (
       insert into webhook_deliveries (${COLUMNS}) select ${orderedId()}, ${OF_EVENT}, ${dueAs(dueAt)}, ${dueAs(dueAt)}, null, now(), now() from picked p
       returning 1),
     free as materialized (
       select endpoint_id from webhook_queues where endpoint_id = any (array(select endpoint_id from endpoints))
        order by endpoint_id for no key update skip locked),
     updated as (
       update webhook_queues q set due_at = least(q.due_at, now()) from free where q.endpoint_id = free.endpoint_id),
     ${LATER}
     select ${MADE}`,
    values,
  )
  return rows[0] ?? { deliveries: 0, later: 0 }
}

/**
 * {@link insertDeliveries} of which those to idle endpoints are claimed already, as many as there is `room` for, so that the caller sends them after its commit: a
 * claim would be the next transaction. Idle is an endpoint of which nothing is due, in flight or to be repeated, and that answered when it was called last; so
 * its deliveries stay in order, and of more than it has slots none is claimed.
 */
export async function insertAndClaim(
  client: SqlExecutor,
  source: string,
  values: unknown[],
  { deliveries, ofOrganisation, busy }: Room,
): Promise<Made & { readonly claimed: readonly DeliveryAttempt[] }> {
  const first = values.length + 1
  const [claim, room, own, occupied] = [`$${first}::uuid`, `$${first + 1}::int`, `$${first + 2}::int`, `$${first + 3}`]
  const lease = `now() + make_interval(secs => ${LEASE_SECONDS})`
  const dueAt = `case when r.endpoint_id is null then ${dueAs('now()')} else ${lease} end`
  const { rows } = await client.query<
    Made & { readonly [column in keyof DeliveryAttempt]: DeliveryAttempt[column] | null }
  >(
    `with ${picked(source)},
     free as materialized (
       select q.endpoint_id, q.organisation_id, q.slots, q.proven_at is not null as proven,
              q.due_at = 'infinity' and q.slots = ${FULL_SLOTS} and q.answered_at is not null and q.failing_since is null
                and not q.organisation_id = any (${arrayOf('uuid', occupied)})
                and not exists (select from webhook_changes c where c.endpoint_id = q.endpoint_id) as idle
         from webhook_queues q where q.endpoint_id = any (array(select endpoint_id from endpoints))
        order by q.endpoint_id for no key update skip locked),
     idle as (
       select f.endpoint_id, f.slots, f.proven, sum(e.deliveries) over (order by f.endpoint_id) as before,
              sum(e.deliveries) over (partition by f.organisation_id order by f.endpoint_id) as before_of_own
         from free f join endpoints e using (endpoint_id) where f.idle and e.deliveries <= f.slots),
     ready as materialized (select endpoint_id, slots, proven from idle where before <= ${room} and before_of_own <= ${own}),
     inserted as (
       insert into webhook_deliveries (${COLUMNS})
       select ${orderedId()}, ${OF_EVENT}, ${dueAs('now()')}, ${dueAt}, case when r.endpoint_id is not null then ${claim} end, now(), now()
         from picked p left join ready r using (endpoint_id)
       returning id, claim, organisation_id, environment, endpoint_id, event_id, 0 as made, false as over),
     updated as (
       update webhook_queues q set due_at = least(q.due_at, ${dueAt}), served_at = case when r.endpoint_id is null then q.served_at else clock_timestamp() end
         from free f left join ready r using (endpoint_id) where q.endpoint_id = f.endpoint_id),
     ${LATER}
     select n.*, a.* from (select ${MADE}) n left join (
       select ${ATTEMPT.columns}
         from inserted d join ready using (endpoint_id)
         ${ATTEMPT.from}
        where d.claim is not null) a on true order by a.id`,
    [...values, newId(), deliveries, ofOrganisation, busy],
  )
  const [made] = rows
  if (!made) return { deliveries: 0, later: 0, claimed: [] }
  const claimed = rows.filter(({ id }) => id !== null) as unknown as DeliveryAttempt[]
  return { deliveries: made.deliveries, later: made.later, claimed }
}

/** SQL: the deliveries to insert, and how many each endpoint gets. The count makes the source complete before the first delivery is inserted: where it asks which deliveries
 * there are, it would otherwise meet those that this statement has just written, and 10,000 took longer than a statement may. */
const picked = (source: string): string => `picked as materialized (select *, count(*) over () from (${source}) s),
     endpoints as materialized (select endpoint_id, environment, count(*)::int as deliveries from picked group by endpoint_id, environment)`

const COLUMNS =
  'id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, claim, created_at, updated_at'
const OF_EVENT = "p.organisation_id, p.environment, p.endpoint_id, p.event_id, p.event_type, 'pending'"

/** SQL: endpoints whose queues are not free become due later. */
const LATER = `later as (
       ${dueLater('select endpoint_id, environment from endpoints where endpoint_id not in (select endpoint_id from free)')}
       returning 1)`
const MADE = '(select count(*)::int from inserted) as deliveries, (select count(*)::int from later) as later'
