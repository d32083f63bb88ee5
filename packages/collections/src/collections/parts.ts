import type { SqlExecutor } from '@payments/platform'

/**
 * The newest sessions of a link, invoice or checkout, and the hidden route, the deposits and the hidden onramps of a session: they belong to its
 * timeline.
 */
export async function partIds(db: SqlExecutor, id: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `(select id from checkout_sessions where parent_id = $1 order by created_at desc, id desc limit $2)
     union select route_id from checkout_sessions where id = $1
     union select (p->>'id')::uuid from checkout_sessions, jsonb_array_elements(payments || bank_accounts) as p where id = $1`,
    [id, limit],
  )
  return rows.map((row) => row.id)
}
