import type { TimelineSource } from '../../operations/context/timeline.ts'

interface Row {
  id: string
  created_at: string
  resource_id: string
  method: string
  path: string
  status: number
  duration_ms: number
  request_id: string
  key_id: string | null
  session_id: string | null
  replayed: boolean
  error_code: string | null
}

/** The requests that created, changed or named an object, from the request log: without reads that succeeded. */
export const requestTimeline: TimelineSource = async (db, { organisationId, environment, ids, limit }) => {
  const where = `where resource_id = any ($1::uuid[]) and (method <> 'GET' or status >= 400)
    and organisation_id = $2 and environment = $3`
  const values = [ids, organisationId, environment]
  const { rows } = await db.query<Row>(
    `select id, created_at, resource_id, method, path, status, duration_ms, request_id, key_id, session_id, replayed, error_code
       from request_log ${where} order by created_at desc, id desc limit $4`,
    [...values, limit],
  )
  const { rows: counted } = await db.query<{ total: number }>(
    `select count(*)::int as total from request_log ${where}`,
    values,
  )
  const entries = rows.map((row) => ({
    kind: 'request' as const,
    at: new Date(row.created_at),
    id: row.id,
    resourceId: row.resource_id,
    summary: `${row.method} ${row.path}: ${row.status}`,
    details: {
      method: row.method,
      path: row.path,
      status: row.status,
      durationMs: row.duration_ms,
      requestId: row.request_id,
      apiKeyId: row.key_id,
      sessionId: row.session_id,
      replayed: row.replayed,
      error: row.error_code,
    },
  }))
  return { entries, total: counted[0]?.total ?? 0 }
}
