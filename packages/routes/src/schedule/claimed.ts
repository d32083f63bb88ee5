import type { Tenant } from '@payments/kernel'
import { arrayOf, columnsOf, groupedBy, type Runtime, rowMapper } from '@payments/platform'
import { type PollRow, RouteEntity, type RouteRow } from '../entity.ts'

/** A claimed route, and how it is polled. */
export type ClaimedRoute = RouteRow & Pick<PollRow, 'pollSeconds' | 'watchedUntil'>

/** Claimed routes, hidden ones too. The rows are plain: a poll changes none of them by itself. */
export async function claimedRoutes(runtime: Runtime, ids: readonly string[]): Promise<ClaimedRoute[]> {
  const { rows } = await runtime.pool.query(
    `select ${columnsOf(runtime, RouteEntity)}, seconds, watched
       from payment_routes t,
    lateral (select poll_seconds as seconds, watched_until::text as watched from payment_route_polls q where q.id = t.id) as q
      where id = any (${arrayOf('uuid', '$1')})`,
    [ids],
  )
  const toRoute = rowMapper(runtime, RouteEntity)
  return rows.map((row) => ({
    ...toRoute(row),
    pollSeconds: row.seconds,
    watchedUntil: row.watched === null ? null : new Date(row.watched),
  }))
}

/** A claimed route of a tenant; those that are polled at the same time share the statement. */
export const claimedRoute = groupedBy(
  async (
    runtime: Runtime,
    claimed: readonly (Tenant & { readonly id: string })[],
  ): Promise<(ClaimedRoute | undefined)[]> => {
    const rows = await claimedRoutes(
      runtime,
      claimed.map(({ id }) => id),
    )
    return claimed.map(({ id, organisationId, environment }) =>
      rows.find((row) => row.id === id && row.organisationId === organisationId && row.environment === environment),
    )
  },
)
