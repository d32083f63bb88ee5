import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, newId } from '@payments/kernel'
import {
  atOnceIf,
  inTransaction,
  isDatabaseUnavailable,
  type Runtime,
  type SqlExecutor,
  type Task,
} from '@payments/platform'
import { DELIVER, FULL_SLOTS, notMade } from '../queue/queue.ts'

/** Name of the task that makes changes of queues and deliveries. */
export const CHANGES = 'webhooks.changes'

/** Deliveries that one transaction changes. */
const BATCH = 1000
/** Transactions in a row, so that the task sees that the process stops. */
const ROUND = 50
/** How soon a queue that was locked is looked at again, ms: a worker's own transactions hold it for less. */
const LOCKED_MS = 20

const LATER = 'update webhook_changes set turn = turn + 1 where id = $1'

interface Change {
  readonly id: string
  readonly endpointId: string
  readonly kind: 'due' | 'advance' | 'end'
  readonly seconds: number
  readonly reason: string | null
  readonly after: { due: string; id: string } | null
}

/** SQL that selects endpoints becomes SQL that says later that they have deliveries that are due. */
export const dueLater = (endpoints: string): string =>
  `insert into webhook_changes (id, endpoint_id, environment, kind, created_at)
   select gen_random_uuid(), s.endpoint_id, s.environment, 'due', now() from (${endpoints}) s`

/** Moves the due times of an endpoint's queue and deliveries closer. Waits for no lock. */
export const advanceLater = (
  client: SqlExecutor,
  endpoints: readonly string[],
  environment: Environment,
  seconds: number,
) =>
  client.query(
    `insert into webhook_changes (id, endpoint_id, environment, kind, seconds, created_at)
     select s.id, s.endpoint_id, $3, 'advance', $4, now() from unnest($1::uuid[], $2::uuid[]) as s (id, endpoint_id)`,
    [endpoints.map(() => newId()), endpoints, environment, seconds],
  )

/** Ends the deliveries of an endpoint that are pending now. Waits for no lock. */
export const endLater = (client: SqlExecutor, endpointId: string, environment: Environment, reason: string) =>
  client.query(
    `insert into webhook_changes (id, endpoint_id, environment, kind, reason, created_at) values ($1, $2, $3, 'end', $4, now())`,
    [newId(), endpointId, environment, reason],
  )

/**
 * Makes the changes that {@link dueLater}, {@link advanceLater} and {@link endLater} asked for: each batch in a transaction, under the lock
 * of the endpoint's queue, in which its progress is written too. So a change is made exactly once, whenever a process dies. An endpoint
 * whose queue another transaction holds comes later, and soon where it has new deliveries; live ones come first, and those with many deliveries take turns.
 */
export const changesTask: Task = {
  name: CHANGES,
  because: 'An endpoint that is paused or repaired changes its deliveries within a second, a batch under its lock',
  due: () => atOnceIf('select from webhook_changes'),
  runsIn: 'one-process',
  async run(runtime) {
    let made = 0
    let last: Made = 'made'
    while (made < ROUND && last === 'made') {
      last = await makeOne(runtime)
      if (last === 'made') made++
    }
    if (made > 0) runtime.trigger(DELIVER)
    if (last === 'none' && (await isDueLater(runtime))) {
      await sleep(LOCKED_MS)
      return true
    }
    return last === 'made'
  },
}

/** Is there an endpoint with new deliveries whose queue was locked? */
async function isDueLater({ pool }: Runtime): Promise<boolean> {
  const { rows } = await pool.query<{ locked: boolean }>(
    "select exists (select from webhook_changes join webhook_queues using (endpoint_id) where kind = 'due') as locked",
  )
  return rows[0]?.locked ?? false
}

type Made = 'made' | 'none' | 'failed'

/** One transaction. A change that fails comes after the others. */
async function makeOne(runtime: Runtime): Promise<Made> {
  let change: Change | undefined
  try {
    await inTransaction(runtime.pool, async (client) => {
      change = await next(client, null)
      if (change) await make(client, change, BATCH)
    })
    return change ? 'made' : 'none'
  } catch (error) {
    if (!change || isDatabaseUnavailable(error)) throw error
    runtime.log.warn({ err: error, endpoint: change.endpointId, kind: change.kind }, 'change of a webhook queue failed')
    await runtime.pool.query(LATER, [change.id])
    return 'failed'
  }
}

/** Makes the changes of these endpoints as far as a batch goes and no lock is in the way, inside a transaction of the caller. */
export async function makeSome(client: SqlExecutor, endpoints: readonly string[]): Promise<void> {
  for (let room = BATCH; room > 0; ) {
    const change = await next(client, endpoints)
    if (!change) return
    room -= await make(client, change, room)
  }
}

async function next(client: SqlExecutor, endpoints: readonly string[] | null): Promise<Change | undefined> {
  const { rows } = await client.query<Change & { afterDue: string | null; afterId: string | null }>(
    `select c.id, c.endpoint_id as "endpointId", c.kind, c.seconds, c.reason, c.after_due_at::text as "afterDue", c.after_id as "afterId"
       from webhook_changes c join webhook_queues q on q.endpoint_id = c.endpoint_id
      where ($1::uuid[] is null or c.endpoint_id = any ($1))
        and not exists (select from webhook_changes b where b.endpoint_id = c.endpoint_id and b.kind = c.kind and b.id < c.id)
      order by c.environment, c.turn, c.id limit 1 for no key update of c, q skip locked`,
    [endpoints],
  )
  const [row] = rows
  if (!row) return undefined
  const { afterDue: due, afterId: id } = row
  return { ...row, after: due === null || id === null ? null : { due, id } }
}

/** Makes a change, or as much of it as `room` deliveries are. @returns the number of deliveries it changed, at least 1 */
async function make(client: SqlExecutor, change: Change, room: number): Promise<number> {
  if (change.kind === 'due') {
    await client.query('update webhook_queues set due_at = least(due_at, now()) where endpoint_id = $1', [
      change.endpointId,
    ])
    await client.query("delete from webhook_changes where endpoint_id = $1 and kind = 'due'", [change.endpointId])
    return 1
  }
  const changed = change.kind === 'end' ? await end(client, change, room) : await move(client, change, room)
  if (changed === room) {
    await client.query(LATER, [change.id])
    return changed
  }
  if (change.kind === 'advance')
    await client.query(
      `update webhook_queues set due_at = least(due_at, now()), failing_since = failing_since - make_interval(secs => $2),
          paced_until = paced_until - make_interval(secs => $2) where endpoint_id = $1`,
      [change.endpointId, change.seconds],
    )
  await client.query('delete from webhook_changes where id = $1', [change.id])
  return changed + 1
}

/** Attempts in flight keep their outcome. */
async function end(client: SqlExecutor, { id, endpointId, reason }: Change, room: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `with ended as (
       update webhook_deliveries d set status = 'failed', due_at = null, next_attempt_at = null, attempts = attempts || $3::jsonb,
           updated_at = greatest(now(), updated_at + interval '1 millisecond')
        where d.id = any (array(select p.id from webhook_deliveries p
           where p.endpoint_id = $2 and p.status = 'pending' and p.claim is null
             and p.created_at <= (select created_at from webhook_changes where id = $1)
           order by p.due_at, p.id limit $4 for no key update skip locked)) returning 1)
     select count(*)::int as count from ended`,
    [id, endpointId, JSON.stringify(notMade(reason ?? '')), room],
  )
  return rows[0]?.count ?? 0
}

/**
 * Moves what is not due yet, in order of its due time: what was moved is then before the place that was reached, so nothing is moved
 * twice. What was due before stays before it.
 */
async function move(client: SqlExecutor, { id, endpointId, seconds, after }: Change, room: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `with far as materialized (
       select p.id, p.due_at from webhook_deliveries p
        where p.endpoint_id = $2 and p.status = 'pending' and p.claim is null and p.due_at > now()
          and ($4::timestamptz is null or (p.due_at, p.id) > ($4, $5::uuid))
        order by p.due_at, p.id limit $6 for no key update skip locked),
     moved as (
       update webhook_deliveries d set due_at = greatest(d.due_at - make_interval(secs => $3), now())
        where d.id = any (array(select far.id from far)) returning 1),
     reached as (
       update webhook_changes c set after_due_at = last.due_at, after_id = last.id
         from (select due_at, id from far order by due_at desc, id desc limit 1) last where c.id = $1)
     select count(*)::int as count from moved`,
    [id, endpointId, seconds, after?.due ?? null, after?.id ?? null, room],
  )
  return rows[0]?.count ?? 0
}

/** Resets the failures of an endpoint: it is due at once, with all its slots. A new receiver has not answered yet. */
export const reopenQueue = (client: SqlExecutor, endpointId: string, isNew: boolean) =>
  client.query(
    `update webhook_queues set slots = $2, failing_since = null, notices = 0, due_at = now(),
        answered_at = case when $3 then null else answered_at end, proven_at = case when $3 then null else proven_at end
      where endpoint_id = $1`,
    [endpointId, FULL_SLOTS, isNew],
  )
