import type { Environment } from '@payments/kernel'
import { newId } from '@payments/kernel'
import { arrayOf, BY_KEYS, inTransaction, SKIPPING_DEAD_ENTRIES, WITHOUT_FLUSH } from '@payments/platform'
import type { Pool, PoolClient } from 'pg'
import { type Capacity, type Due, share } from './fair-share.ts'
import { PACED_ROOM, paced, pacedAfter } from './pace.ts'

/** Name of the task that attempts deliveries. */
export const DELIVER = 'webhooks.deliver'

/** Maximum attempts in flight to a healthy endpoint, and to one whose last attempt failed or was slow. */
export const FULL_SLOTS = 5
const FEW_SLOTS = 1
/** Endpoints read beyond the room, because some of those read may get no slot. */
const READ_AHEAD = 200

/** Longer than an attempt and settling it can take. Claims of a dead process are attempted again after it. */
export const LEASE_SECONDS = 30

/** The input of one attempt. */
export interface DeliveryAttempt {
  readonly id: string
  readonly claim: string
  readonly organisationId: string
  readonly environment: Environment
  readonly endpointId: string
  /** The endpoint had few slots when this was claimed. */
  readonly impaired: boolean
  readonly status: 'enabled' | 'disabled' | 'revoked'
  readonly url: string
  /** Encrypted; the newest first. */
  readonly secrets: readonly string[]
  readonly eventId: string
  readonly eventType: string
  readonly body: string
  /** Attempts made before this one. */
  readonly made: number
  /** It was pending when its endpoint was disabled or deleted, and is not sent. */
  readonly over: boolean
  /** The receiver has proven that it is the merchant's. */
  readonly proven: boolean
}

/** SQL: a delivery `d` was pending when its endpoint was disabled or deleted, and only has to be ended. */
export const OVER = `exists (select from webhook_changes c
  where c.endpoint_id = d.endpoint_id and c.kind = 'end' and d.created_at <= c.created_at)`

/**
 * SQL: the columns of a {@link DeliveryAttempt}, of a claimed delivery `d` with a `ready` row that says how its endpoint fares, and where they are from. What is claimed is little
 * whatever the planner expects: it would join all deliveries and events, where queues are long.
 */
export const ATTEMPT = {
  columns: `d.id, d.claim, d.organisation_id as "organisationId", d.environment, d.endpoint_id as "endpointId", d.made, d.over,
           ready.slots < ${FULL_SLOTS} as impaired, ready.proven, w.status, w.url, e.id as "eventId", e.type as "eventType", e.payload::text as body,
           array[w.secret] || array(select p.value ->> 'secret' from jsonb_array_elements(w.previous_secrets) with ordinality p
             where (p.value ->> 'until')::timestamptz > now() order by p.ordinality) as secrets`,
  from: `cross join lateral (select * from webhook_endpoints where organisation_id = d.organisation_id and environment = d.environment and id = d.endpoint_id limit 1) w
           cross join lateral (select * from events where organisation_id = d.organisation_id and environment = d.environment and id = d.event_id limit 1) e`,
} as const

/** When an endpoint is due again: at the end of its oldest lease while its slots are taken, else with its earliest due delivery. */
const NEXT_DUE = `coalesce((
  select case when r.taken >= q.slots then r.first_end
    else (select min(d.due_at) from webhook_deliveries d where d.endpoint_id = q.endpoint_id and d.status = 'pending') end
    from (select count(*) as taken, min(d.due_at) as first_end from webhook_deliveries d
           where d.endpoint_id = q.endpoint_id and d.claim is not null and d.due_at > now()) r), 'infinity')`

/**
 * Claims due deliveries, in order of creation within an endpoint, as many as there is room for. Capacity is shared by
 * organisation, then by endpoint: endpoints are read one of each organisation in turn, those of organisations with few
 * attempts in flight first, and {@link share} gives them slots. The cost depends on the number of endpoints with due
 * deliveries, not on the length of their queues: an endpoint whose slots are taken is not read until one is free.
 *
 * Of the endpoints of `capacity.ahead` more than their slots are claimed, but only while no other process has claimed of them: that
 * process sends no more than {@link FULL_SLOTS} at a time, and nobody else sends any.
 */
export async function claim(pool: Pool, capacity: Capacity): Promise<readonly DeliveryAttempt[]> {
  return inTransaction(
    pool,
    async (client) => {
      const { rows: due } = await client.query<Due>(
        // Locked one by one, in their order: as a join, all that are due would be compared with each other in a burst.
        `with due as materialized (
           select q.endpoint_id, q.served_at,
                  coalesce(b.attempts, 0) + row_number() over (partition by q.organisation_id order by q.served_at) as turn
             from (
               select endpoint_id, organisation_id, served_at from webhook_queues q where q.due_at <= now() and ${PACED_ROOM} > 0
               union all
               select endpoint_id, organisation_id, served_at from webhook_queues q where q.endpoint_id = any(${arrayOf('uuid', '$4')}) and q.due_at > now()) q
             left join unnest($2::uuid[], $3::int[]) as b (organisation_id, attempts) on b.organisation_id = q.organisation_id)
         select q.endpoint_id as "endpointId", q.organisation_id as "organisationId", q.slots
           from (select endpoint_id from due order by turn, served_at) d
          cross join lateral (select q.* from webhook_queues q
             where q.endpoint_id = d.endpoint_id and (q.due_at <= now() and ${PACED_ROOM} > 0 or q.endpoint_id = any($4)) for update skip locked) q
          limit $1`,
        [
          READ_AHEAD + capacity.room,
          [...capacity.busy.keys()],
          [...capacity.busy.values()].map(({ all }) => all),
          [...(capacity.ahead?.endpoints.keys() ?? [])],
        ],
      )
      const shares = share(due, capacity, ({ slots }) => slots < FULL_SLOTS)
      if (shares.length === 0) return []
      const endpoints = shares.map(({ endpointId }) => endpointId)
      const { rows } = await client.query<DeliveryAttempt>(
        `with ready as materialized (
           select picked.id, q.slots, q.proven_at is not null as proven from unnest(${arrayOf('uuid', '$1')}, $2::int[], $5::int[]) as s (endpoint_id, room, ahead)
             join webhook_queues q on q.endpoint_id = s.endpoint_id
             cross join lateral (
               select p.id from webhook_deliveries p
                where p.endpoint_id = s.endpoint_id and p.status = 'pending' and p.due_at <= now()
                order by p.due_at, p.id
                limit greatest(0, least(s.room, ${PACED_ROOM}, (
                  select q.slots + case when bool_or(r.claim <> all ($6::uuid[])) then 0 else s.ahead end - count(*)
                    from webhook_deliveries r
                   where r.endpoint_id = s.endpoint_id and r.claim is not null and r.due_at > now())))
                for no key update of p skip locked) picked),
         claimed as (
           update webhook_deliveries d set claim = $3, due_at = now() + make_interval(secs => $4)
            where d.id = any (array(select id from ready))
           returning d.id, d.claim, d.organisation_id, d.environment, d.endpoint_id, d.event_id, jsonb_array_length(d.attempts) as made,
             ${OVER} as over)
         select ${ATTEMPT.columns}
           from claimed d join ready on ready.id = d.id
           ${ATTEMPT.from}
         order by d.id`,
        [
          endpoints,
          shares.map((each) => each.room),
          newId(),
          LEASE_SECONDS,
          shares.map((each) => each.ahead),
          capacity.ahead?.claims ?? [],
        ],
      )
      const attempts = endpoints.map((id) => rows.filter(({ endpointId }) => endpointId === id).length)
      await client.query(
        `update webhook_queues q set served_at = clock_timestamp(), paced_until = n.paced_until,
            due_at = ${paced(NEXT_DUE, 'q.answered_at is not null', 'n.paced_until')}
           from (select q.endpoint_id, case when q.answered_at is null then ${pacedAfter('s.attempts')} else q.paced_until end as paced_until
                   from unnest(${arrayOf('uuid', '$1')}, $2::int[]) as s (endpoint_id, attempts) join webhook_queues q on q.endpoint_id = s.endpoint_id) n
          where q.endpoint_id = n.endpoint_id`,
        [endpoints, attempts],
      )
      return rows
    },
    // A claim that a crash of the database loses is claimed again.
    WITHOUT_FLUSH,
    BY_KEYS,
    SKIPPING_DEAD_ENTRIES,
  )
}

/** The result of an attempt, for the queue. */
export interface Outcome {
  readonly delivery: DeliveryAttempt
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Seconds until the next attempt, with `pending`. */
  readonly delay: number | null
  /** Null when the delivery is returned, as due as before. */
  readonly attempt: object | null
  /** False: the endpoint failed. Null: it was not called. */
  readonly answered: boolean | null
  /** The receiver wants no more events. */
  readonly gone: boolean
  readonly fast: boolean
  /** The receiver has proven with this answer that it is the merchant's. */
  readonly proven?: boolean
}

/** An endpoint that is failing since a time; `notices` counts the notifications sent. */
export interface Failing {
  readonly endpointId: string
  readonly seconds: number
  readonly notices: number
}

/**
 * Settles a batch of attempts: writes their results, and when each endpoint is due again, in one transaction. An attempt whose
 * claim has expired meanwhile changes nothing; an endpoint that was disabled meanwhile gets no further attempt. A trigger of the
 * table enforces the transitions of the state machine. It waits for no queue: `waiting` receives the attempts whose endpoint's queue
 * another transaction holds, for a later batch. `due` receives the endpoints of the batch that have deliveries which are due.
 * @returns the endpoints of the batch that are failing.
 */
export async function settle(
  pool: Pool,
  all: readonly Outcome[],
  waiting: Outcome[] = [],
  due: string[] = [],
): Promise<readonly Failing[]> {
  const write = async (client: PoolClient): Promise<readonly Failing[]> => {
    const { rows: free } = await client.query<{ id: string }>(
      `select endpoint_id as id from webhook_queues where endpoint_id = any(${arrayOf('uuid', '$1')}) order by endpoint_id for no key update skip locked`,
      [[...new Set(all.map(({ delivery }) => delivery.endpointId))]],
    )
    const endpoints = free.map(({ id }) => id)
    const outcomes = all.filter(({ delivery }) => endpoints.includes(delivery.endpointId))
    waiting.push(...all.filter(({ delivery }) => !endpoints.includes(delivery.endpointId)))
    if (outcomes.length === 0) return []
    const last = lastOf(outcomes)
    await client.query(
      `update webhook_deliveries d set attempts = d.attempts || coalesce(r.attempt, '[]'), claim = null,
          status = case when r.again then 'pending' when r.status = 'pending' then 'failed' else r.status end,
          due_at = case when r.attempt is null then least(d.next_attempt_at, now()) else r.next end,
          next_attempt_at = case when r.attempt is null then d.next_attempt_at else r.next end, updated_at = greatest(now(), d.updated_at + interval '1 millisecond')
         from (select r.*, r.attempt is null or r.status = 'pending' and w.status = 'enabled' as again,
                      case when r.status = 'pending' and w.status = 'enabled' then date_trunc('milliseconds', now() + make_interval(secs => r.delay)) end as next
                 from unnest($1::uuid[], $2::uuid[], $3::jsonb[], $4::text[], $5::float8[], $6::uuid[]) as r (id, claim, attempt, status, delay, endpoint_id)
                 join webhook_endpoints w on w.id = r.endpoint_id) r
        where d.id = r.id and d.claim = r.claim and d.status = 'pending'`,
      [
        outcomes.map(({ delivery }) => delivery.id),
        outcomes.map(({ delivery }) => delivery.claim),
        outcomes.map(({ attempt }) => attempt && JSON.stringify(attempt)),
        outcomes.map(({ status }) => status),
        outcomes.map(({ delay }) => delay),
        outcomes.map(({ delivery }) => delivery.endpointId),
      ],
    )
    const { rows } = await client.query<Omit<Failing, 'seconds'> & { seconds: number | null; due: boolean }>(
      `with r as (select * from unnest(${arrayOf('uuid', '$1')}, $2::boolean[], $3::int[], $4::boolean[]) as r (endpoint_id, alive, slots, proven)),
        settled as (
          update webhook_queues q set slots = coalesce(r.slots, q.slots),
              due_at = ${paced(NEXT_DUE, 'q.answered_at is not null or r.alive is true')},
              answered_at = case when r.alive then coalesce(q.answered_at, now()) else q.answered_at end,
              proven_at = case when r.proven then coalesce(q.proven_at, now()) else q.proven_at end,
              failing_since = case when r.alive then null when r.alive is null then q.failing_since else coalesce(q.failing_since, now()) end,
              notices = case when r.alive then 0 else q.notices end
            from r where q.endpoint_id = r.endpoint_id
          returning q.endpoint_id, q.failing_since, q.notices, q.due_at <= now() as due)
       select endpoint_id as "endpointId", extract(epoch from now() - failing_since)::float8 as seconds, notices, due
         from settled where failing_since is not null or due`,
      [
        endpoints,
        endpoints.map((id) => last.get(id)?.alive ?? null),
        endpoints.map((id) => last.get(id)?.slots ?? null),
        endpoints.map((id) => last.get(id)?.proven ?? false),
      ],
    )
    due.push(...rows.flatMap((row) => (row.due ? [row.endpointId] : [])))
    return rows.flatMap(({ endpointId, seconds, notices }) =>
      seconds === null ? [] : [{ endpointId, seconds, notices }],
    )
  }
  return inTransaction(pool, write, BY_KEYS, SKIPPING_DEAD_ENTRIES)
}

/** What the attempts of a batch say together about each endpoint that was called. */
function lastOf(outcomes: readonly Outcome[]) {
  const last = new Map<string, { alive: boolean; slots: number; proven: boolean }>()
  for (const { delivery, answered, fast, proven = false } of outcomes) {
    if (answered === null) continue
    const before = last.get(delivery.endpointId)
    const slots = answered && fast ? FULL_SLOTS : FEW_SLOTS
    last.set(delivery.endpointId, {
      alive: answered || before?.alive === true,
      slots,
      proven: proven || before?.proven === true,
    })
  }
  return last
}

/** The last entry of a delivery that ends without an attempt. */
export const notMade = (error: string) => ({
  attemptedAt: new Date().toISOString(),
  responseStatus: null,
  responseBody: null,
  error,
  durationMs: 0,
})
