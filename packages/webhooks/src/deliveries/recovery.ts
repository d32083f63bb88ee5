import { LockMode } from '@mikro-orm/core'
import type { Tenant } from '@payments/kernel'
import { actingFor, type SqlExecutor, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { acceptsDeliveries, find, taking } from '../endpoints/service.ts'
import { EndpointEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { EVENT_COLUMNS, insertDeliveries, optInTypes } from '../events/new-deliveries.ts'
import { DELIVER, OVER } from '../queue/queue.ts'
import { MAX_PENDING, pendingOf } from '../queue/tenants.ts'
import type { Recovered, Recovery } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

/** Maximum number of deliveries that one call creates. */
const RECOVER_BATCH = 10_000
/** Deliveries that an organisation may have repeated on a UTC day, in each environment. */
export const RECOVERED_PER_DAY = 100_000
/** Deliveries of one event to one endpoint within 24 hours, its first one included, before it is no longer repeated. */
export const OF_EVENT_PER_DAY = 5
/** Repeated deliveries per minute to a receiver that has not proven that it is the merchant's, and so many at once. */
const UNPROVEN_PER_MINUTE = 10

/**
 * Queues the events since the given time that match this endpoint and have no delivered or pending delivery: failed ones, and
 * those that occurred while it was disabled. A dry run only counts them, and locks nothing.
 * @throws webhook_recovery_limit 429 when there are such events and none of them may be queued now
 */
export async function recover(unit: UnitOfWork, input: z.output<typeof Recovery>): Promise<z.infer<typeof Recovered>> {
  const { found, queued } = await recoverSome(unit, input, RECOVER_BATCH)
  if (!input.dryRun && found > 0 && queued === 0) throw limited()
  return { found, queued, dryRun: input.dryRun }
}

/** {@link recover} for every enabled endpoint of an organisation, for operators, as many as one call creates. They are locked in order of id, as their queues are. */
export async function replay(unit: UnitOfWork, tenant: Tenant, since: string) {
  const own = actingFor(unit, tenant)
  const endpoints = await own.em.find(
    EndpointEntity,
    { status: 'enabled' },
    { fields: ['id'], orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true },
  )
  const sum = { endpoints: endpoints.length, found: 0, queued: 0 }
  for (const { id: webhookEndpointId } of endpoints) {
    const input = { webhookEndpointId, since, dryRun: false }
    const { found, queued } = await recoverSome(own, input, RECOVER_BATCH - sum.queued)
    sum.found += found
    sum.queued += queued
  }
  if (sum.found > 0 && sum.queued === 0) throw limited()
  return sum
}

const limited = () => errors.webhook_recovery_limit({ retryAfter: 3600 })

async function recoverSome(
  unit: UnitOfWork,
  { webhookEndpointId: endpointId, since, dryRun }: z.output<typeof Recovery>,
  limit: number,
): Promise<{ found: number; queued: number }> {
  const endpoint = dryRun ? acceptsDeliveries(await find(unit, endpointId)) : await taking(unit, endpointId)
  // One lookup for each event, whatever its deliveries say: a join would depend on statistics, which lag behind a queue.
  const missed = `from events e
    cross join lateral (
      select bool_or(d.status = 'delivered' or (d.status = 'pending' and not ${OVER})) as has,
          count(*) filter (where d.created_at > now() - interval '1 day') as today
        from webhook_deliveries d where d.event_id = e.id and d.endpoint_id = $6) sent
    where e.organisation_id = $1 and e.environment = $2 and e.created_at >= $3 and e.drained_at is not null
      and e.type <> '${TEST_EVENT}' and (e.type = any($4) or ($4::text[] is null and not e.type = any($5)))
      and sent.has is not true and sent.today < ${OF_EVENT_PER_DAY}`
  const from = new Date(Math.max(Date.parse(since), endpoint.createdAt.getTime()))
  const values = [
    endpoint.organisationId,
    endpoint.environment,
    from,
    endpoint.events,
    optInTypes(unit.runtime),
    endpointId,
  ]
  const client = sqlOf(unit.em)
  const { rows } = await client.query<{ found: number }>(`select count(*)::int as found ${missed}`, values)
  const found = rows[0]?.found ?? 0
  if (dryRun || found === 0) return { found, queued: 0 }
  const most = Math.min(limit, await leftToday(client, endpoint), MAX_PENDING - (await pendingOf(client, endpoint)))
  if (most <= 0) return { found, queued: 0 }
  const pace = await paceOf(client, endpointId)
  const { deliveries: queued } = await insertDeliveries(
    client,
    `select ${EVENT_COLUMNS}, $6::uuid as endpoint_id, row_number() over (order by e.created_at, e.id) as place
       ${missed} order by e.created_at, e.id limit ${most}`,
    pace ? [...values, pace] : values,
    pace ? PACED : 'now()',
  )
  await countRecovered(client, endpoint, queued)
  if (pace)
    await client.query(
      'update webhook_queues set recovering_until = $2::timestamptz + make_interval(secs => $3) where endpoint_id = $1',
      [endpointId, pace, (queued * 60) / UNPROVEN_PER_MINUTE],
    )
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
  return { found, queued }
}

/** SQL: when the delivery at a place is due: ten at once, then one every six seconds, also over several recoveries. */
const PACED = `greatest(now(), $7::timestamptz + make_interval(secs => (p.place - ${UNPROVEN_PER_MINUTE}) * ${60 / UNPROVEN_PER_MINUTE}))`

/** From when on repeated deliveries of an endpoint are paced; null when its receiver has proven that it is the merchant's. */
async function paceOf(client: SqlExecutor, endpointId: string): Promise<string | null> {
  const { rows } = await client.query<{ pace: string | null }>(
    `select case when proven_at is null then greatest(now(), recovering_until)::text end as pace
       from webhook_queues where endpoint_id = $1 for no key update`,
    [endpointId],
  )
  return rows[0]?.pace ?? null
}

/** How many deliveries the organisation may still have repeated today. Recoveries of one tenant wait for each other. */
async function leftToday(client: SqlExecutor, { organisationId, environment }: Tenant): Promise<number> {
  const { rows } = await client.query<{ deliveries: number }>(
    `insert into webhook_recoveries as r (organisation_id, environment, day, deliveries) values ($1, $2, ${TODAY}, 0)
     on conflict (organisation_id, environment, day) do update set deliveries = r.deliveries returning deliveries`,
    [organisationId, environment],
  )
  return RECOVERED_PER_DAY - (rows[0]?.deliveries ?? 0)
}

const TODAY = "(now() at time zone 'utc')::date"

const countRecovered = (client: SqlExecutor, { organisationId, environment }: Tenant, count: number) =>
  client.query(
    `update webhook_recoveries set deliveries = deliveries + $3 where organisation_id = $1 and environment = $2 and day = ${TODAY}`,
    [organisationId, environment, count],
  )
