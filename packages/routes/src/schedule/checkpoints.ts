import { arrayOf, groupedBy, isContradictedSql, type Runtime, type SqlExecutor } from '@payments/platform'
import type { DepositQuery } from '../provider/provider.ts'

/** What the provider need not send again, and since when the oldest deposit is pending. */
export interface Checkpoint extends Pick<DepositQuery, 'since' | 'pendingRequests'> {
  readonly pendingSince: Date | null
  /** What was told before contradicts what is stored, and is not settled. */
  readonly isContradicted: boolean
}

interface Row {
  readonly id: string
  readonly since: string | null
  readonly requests: string[]
  readonly pending_since: string | null
  readonly contradicted: boolean
}

/**
 * The checkpoints of routes, in one statement. `since`: the newest change that is stored or the oldest deposit that is not final,
 * whichever was first, less an hour, so that reports that overtook each other and clocks that differ lose nothing; null, for
 * everything, while nothing is stored. `pendingRequests`: the deposits that are not final.
 */
export async function checkpoints(db: SqlExecutor, routeIds: readonly string[]): Promise<Map<string, Checkpoint>> {
  const { rows } = await db.query<Row>(
    `select r.id, (case when newest.at is not null then least(now(), newest.at, pending.oldest) - interval '1 hour' end)::text as since,
            pending.requests, pending.since::text as pending_since, ${isContradictedSql('r')} as contradicted
       from unnest(${arrayOf('uuid', '$1')}) as r (id),
    lateral (select max(relay_updated_at) as at from payment_route_deposits where payment_route_id = r.id) as newest,
    lateral (select min(relay_updated_at) as oldest, min(created_at) as since, coalesce(array_agg(relay_request_id), '{}') as requests
               from payment_route_deposits where payment_route_id = r.id and status = 'pending') as pending`,
    [routeIds],
  )
  return new Map(
    rows.map(({ id, since, requests, pending_since, contradicted }) => [
      id,
      {
        since: since === null ? null : new Date(since),
        pendingRequests: requests,
        pendingSince: pending_since === null ? null : new Date(pending_since),
        isContradicted: contradicted,
      },
    ]),
  )
}

/** The checkpoint of a route; routes that are polled at the same time share the statement. */
export const checkpointOf = groupedBy(async (pool: Runtime['pool'], routeIds: readonly string[]) => {
  const found = await checkpoints(pool, routeIds)
  return routeIds.map((id) => found.get(id) as Checkpoint)
})
