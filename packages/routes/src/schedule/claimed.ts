import type { Tenant } from '@payments/kernel'
import { arrayOf, columnsOf, groupedBy, type Runtime, rowMapper } from '@payments/platform'
import { RouteEntity, type RouteRow } from '../entity.ts'

/** Claimed routes, hidden ones too. The rows are plain: a poll changes none of them by itself. */
export async function claimedRoutes(runtime: Runtime, ids: readonly string[]): Promise<RouteRow[]> {
  const { rows } = await runtime.pool.query(
    `select ${columnsOf(runtime, RouteEntity)} from payment_routes t where id = any (${arrayOf('uuid', '$1')})`,
    [ids],
  )
  return rows.map(rowMapper(runtime, RouteEntity))
}

/** A claimed route of a tenant; those that are polled at the same time share the statement. */
export const claimedRoute = groupedBy(
  async (
    runtime: Runtime,
    claimed: readonly (Tenant & { readonly id: string })[],
  ): Promise<(RouteRow | undefined)[]> => {
    const rows = await claimedRoutes(
      runtime,
      claimed.map(({ id }) => id),
    )
    return claimed.map(({ id, organisationId, environment }) =>
      rows.find((row) => row.id === id && row.organisationId === organisationId && row.environment === environment),
    )
  },
)
