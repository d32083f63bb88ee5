import { type QueryContext, readAuditLog, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import type { AuditFilter, AuditLog } from '../schemas.ts'

/** The newest 200 entries of the audit log that match, and the exact number of all that do. */
export async function auditLog(
  context: QueryContext,
  { email, ...filter }: z.output<typeof AuditFilter>,
): Promise<z.input<typeof AuditLog>> {
  const { entries, total } = await readAuditLog(sqlOf(context.em), { ...filter, email: email?.toLowerCase() }, 200)
  return { entries: entries.map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() })), total }
}
