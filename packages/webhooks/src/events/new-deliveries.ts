import { ownCell } from '@payments/kernel'
import { catalogueOf, type Runtime, type SqlExecutor } from '@payments/platform'
import { dueLater } from '../endpoints/changes.ts'

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

/** What a source of deliveries selects of their events. */
export const EVENT_COLUMNS = 'e.id as event_id, e.organisation_id, e.environment, e.type as event_type'

/**
 * Inserts deliveries inside the database and makes the queues of their endpoints due. `source` selects from events `e`:
 * {@link EVENT_COLUMNS}, `endpoint_id` and `place`, the order of the deliveries. It waits for no queue: one that another transaction holds
 * is due as soon as it is free. `dueAt` is SQL on a row `p` of the source.
 * @returns the number of deliveries, and of endpoints whose queues {@link dueLater} makes due
 */
export async function insertDeliveries(
  client: SqlExecutor,
  source: string,
  values: unknown[],
  dueAt = 'now()',
): Promise<{ deliveries: number; later: number }> {
  // The count makes the source complete before the first delivery is inserted: where it asks which deliveries there are, it would
  // otherwise meet those that this statement has just written, and 10,000 took longer than a statement may.
  const { rows } = await client.query<{ deliveries: number; later: number }>(
    `with picked as materialized (select *, count(*) over () from (${source}) s),
     inserted as (
       insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
       select ${orderedId()}, organisation_id, environment, endpoint_id, event_id, event_type, 'pending', ${dueAt}, ${dueAt}, now(), now()
         from picked p
       returning 1),
     endpoints as materialized (select distinct endpoint_id, environment from picked),
     free as materialized (
       select endpoint_id from webhook_queues where endpoint_id = any (array(select endpoint_id from endpoints))
        order by endpoint_id for no key update skip locked),
     updated as (
       update webhook_queues q set due_at = least(q.due_at, now()) from free where q.endpoint_id = free.endpoint_id),
     later as (
       ${dueLater('select endpoint_id, environment from endpoints where endpoint_id not in (select endpoint_id from free)')}
       returning 1)
     select (select count(*)::int from inserted) as deliveries, (select count(*)::int from later) as later`,
    values,
  )
  return rows[0] ?? { deliveries: 0, later: 0 }
}
