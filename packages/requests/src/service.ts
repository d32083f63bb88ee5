import { invalid, isoTime } from '@payments/kernel'
import { findRequest, listRequests, type QueryContext, type RequestRow, searchRequests } from '@payments/platform'
import type { z } from 'zod'
import { errors } from './errors.ts'
import type { Request, RequestList, RequestPage, RequestSearch, RequestWithBodies } from './schemas.ts'

const present = (row: RequestRow): z.infer<typeof Request> => ({
  id: row.id,
  method: row.method,
  path: row.path,
  status: row.status,
  durationMs: row.duration_ms,
  requestId: row.request_id,
  apiKeyId: row.key_id,
  ip: row.ip,
  userAgent: row.user_agent,
  idempotencyKey: row.idempotency_key,
  replayed: row.replayed,
  errorCode: row.error_code,
  resourceId: row.resource_id,
  createdAt: isoTime(new Date(row.created_at)),
})

/** The newest 200 requests of the caller's organisation and environment, and the exact number of all. */
export async function list(context: QueryContext): Promise<z.infer<typeof RequestList>> {
  const { rows, total } = await listRequests(context)
  return { requests: rows.map(present), total }
}

/** All statuses of a class such as `4xx`, or the one that is named. */
function statusesOf(text: string): number[] {
  if (!text.endsWith('xx')) return [Number(text)]
  const first = Number(text[0]) * 100
  return Array.from({ length: 100 }, (_, more) => first + more)
}

/**
 * A page of the requests that fit all filters, newest first. A page begins at a position in an index, so that the last one costs what the
 * first does.
 * @throws validation_failed 422 where `before` is of no request
 */
export async function search(
  context: QueryContext,
  { before, limit, statuses, ...filters }: z.output<typeof RequestSearch>,
): Promise<z.infer<typeof RequestPage>> {
  const found = await searchRequests(
    context,
    { ...filters, statuses: statuses?.flatMap(statusesOf) },
    { before, limit: limit + 1 },
  )
  if (!found) throw invalid({ before: errors.request_not_found.message })
  const requests = found.rows.slice(0, limit).map(present)
  return { requests, total: found.total, next: found.rows.length > limit ? (requests.at(-1)?.id ?? null) : null }
}

/** A request with its bodies, by its id or its `X-Request-Id`. @throws request_not_found 404 */
export async function get(context: QueryContext, id: string): Promise<z.infer<typeof RequestWithBodies>> {
  const row = await findRequest(context, id)
  if (!row) throw errors.request_not_found()
  return {
    ...present(row),
    requestBody: row.request_body as Record<string, unknown> | null,
    responseBody: row.response_body as Record<string, unknown> | null,
  }
}
