import { defineEntity, p } from '@mikro-orm/core'
import { type Environment, newId } from '@payments/kernel'
import type { SqlExecutor } from '../database/sql.ts'
import { index } from '../domain/entity.ts'
import type { UnitOfWork } from '../operations/context/context.ts'
import type { TimelineSource } from '../operations/context/timeline.ts'
import { countOf, INSTALLATION } from './counts.ts'

/** What an operator did. The service's role may add entries, and neither change nor delete one. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    /** The operator, by id and by the address at that time; null for the service itself. */
    userId: p.uuid().nullable(),
    email: p.text().nullable(),
    sessionId: p.uuid().nullable(),
    /** The internal token of that operator that a tool used. */
    tokenId: p.uuid().nullable(),
    /** The operator who requested what this one approved. */
    requestedBy: p.uuid().nullable(),
    /** Method and path pattern: `POST /admin/ops/swaps/{swapId}/process`. */
    operation: p.text(),
    summary: p.text(),
    reason: p.text().nullable(),
    organisationId: p.uuid().nullable(),
    environment: p.text().nullable(),
    resourceId: p.uuid().nullable(),
    input: p.json().$type<object>(),
    before: p.json().$type<object>().nullable(),
    after: p.json().$type<object>().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    index('audit_log_newest', ['createdAt desc', 'id desc']),
    index('audit_log_of_resource', ['resourceId', 'createdAt desc'], 'resource_id is not null'),
    index('audit_log_of_organisation', ['organisationId', 'createdAt desc', 'id desc']),
    index('audit_log_of_operator', ['email', 'createdAt desc', 'id desc']),
    index('audit_log_of_operation', ['operation', 'createdAt desc', 'id desc']),
  ],
})

/** Adds an entry to the commit of an operator's command. */
export function auditEntry(
  unit: UnitOfWork,
  done: {
    readonly operation: string
    readonly summary: string
    readonly input: { readonly reason?: string }
    readonly reply: unknown
    readonly subject?: { readonly id: string; readonly organisationId?: string; readonly environment?: Environment }
    readonly before?: object
    readonly after?: object
  },
): void {
  const { actor } = unit
  const { reason, ...input } = done.input
  const before = done.before ?? null
  const after = done.after ?? (done.reply as object)
  const organisationId = done.subject?.organisationId ?? null
  const environment = done.subject?.environment ?? null
  unit.audited?.({ organisationId, environment, before, after })
  unit.insert(AuditEntryEntity, {
    id: newId(),
    userId: actor.userId ?? null,
    email: actor.email ?? null,
    sessionId: actor.sessionId ?? null,
    tokenId: actor.tokenId ?? null,
    requestedBy: unit.requestedBy ?? null,
    operation: done.operation,
    summary: done.summary,
    reason: reason ?? null,
    organisationId,
    environment,
    resourceId: done.subject?.id ?? null,
    input,
    before,
    after,
    createdAt: new Date(),
  })
}

/** SQL of the ids of entries after an id, newest first and at most so many: for what watches for new ones. */
export const newestAuditIds = (after: string, most: number): string =>
  `select id from audit_log where id > ${after} order by id desc limit ${most}`

/** What a search of the audit log asks for. `before`: only entries from before that time. */
export interface AuditQuery {
  readonly resourceId?: string | undefined
  readonly organisationId?: string | undefined
  readonly email?: string | undefined
  readonly operation?: string | undefined
  readonly before?: string | undefined
}

/** An entry as it was written. */
export interface AuditEntry {
  readonly id: string
  readonly at: Date | string
  readonly userId: string | null
  readonly email: string | null
  readonly tokenId: string | null
  readonly requestedBy: string | null
  readonly operation: string
  readonly summary: string
  readonly reason: string | null
  readonly organisationId: string | null
  readonly environment: Environment | null
  readonly resourceId: string | null
  readonly input: Record<string, unknown>
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** The newest entries that match, at most `limit`, and the exact number of all that do. */
export async function readAuditLog(
  db: SqlExecutor,
  { resourceId, organisationId, email, operation, before }: AuditQuery,
  limit: number,
): Promise<{ entries: AuditEntry[]; total: number }> {
  const conditions = Object.entries({
    'resource_id =': resourceId,
    'organisation_id =': organisationId,
    'email =': email,
    'operation =': operation,
    'created_at <': before,
  }).filter(([, value]) => value !== undefined)
  const where = ['true', ...conditions.map(([condition], index) => `${condition} $${index + 1}`)].join(' and ')
  const values = conditions.map(([, value]) => value)
  const { rows: entries } = await db.query<AuditEntry>(
    `select id, created_at as at, user_id as "userId", email, token_id as "tokenId", requested_by as "requestedBy", operation, summary, reason,
            organisation_id as "organisationId", environment, resource_id as "resourceId", input, before, after
       from audit_log where ${where} order by created_at desc, id desc limit $${values.length + 1}`,
    [...values, limit],
  )
  if (conditions.every(([condition]) => condition === 'organisation_id ='))
    return {
      entries,
      total: await countOf(db, INSTALLATION, 'audit_log', 'scope = $3', [organisationId?.toLowerCase() ?? '']),
    }
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from audit_log where ${where}`,
    values,
  )
  return { entries, total: rows[0]?.total ?? 0 }
}

interface Row {
  id: string
  created_at: string
  resource_id: string
  summary: string
  reason: string | null
  email: string | null
  operation: string
}

/** What operators did to an object. A merchant learns that an operator did it, and neither who nor why. */
export const auditTimeline: TimelineSource = async (db, { organisationId, ids, limit, forOperators }) => {
  const where = 'where resource_id = any ($1::uuid[]) and organisation_id = $2'
  const values = [ids, organisationId]
  const { rows } = await db.query<Row>(
    `select id, created_at, resource_id, summary, reason, email, operation from audit_log ${where}
      order by created_at desc, id desc limit $3`,
    [...values, limit],
  )
  const { rows: counted } = await db.query<{ total: number }>(
    `select count(*)::int as total from audit_log ${where}`,
    values,
  )
  const entries = rows.map((row) => ({
    kind: 'operator_action' as const,
    at: new Date(row.created_at),
    id: row.id,
    resourceId: row.resource_id,
    summary: `By an operator: ${row.summary}`,
    details: detailsOf(row, forOperators),
  }))
  return { entries, total: counted[0]?.total ?? 0 }
}

const detailsOf = ({ operation, reason, email }: Row, forOperators: boolean): Record<string, string | null> =>
  forOperators ? { operation, reason, operator: email } : {}
