import type { SqlExecutor } from '@payments/platform'

/** The newest sessions of a link, invoice or checkout, and the hidden route and the deposits of a session: they belong to its timeline. */
export async function partIds(db: SqlExecutor, id: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `(select id from checkout_sessions where parent_id = $1 order by created_at desc, id desc limit $2)
     union all select route_id from checkout_sessions where id = $1
     union all select (p->>'id')::uuid from checkout_sessions, jsonb_array_elements(payments) as p where id = $1`,
    [id, limit],
  )
  return rows.map((row) => row.id)
}
