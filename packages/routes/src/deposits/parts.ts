import type { SqlExecutor } from '@payments/platform'

/** The newest deposits of a payment route: they belong to its timeline. */
export async function depositIds(db: SqlExecutor, routeId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from payment_route_deposits where payment_route_id = $1 order by relay_updated_at desc limit $2',
    [routeId, limit],
  )
  return rows.map(({ id }) => id)
}
