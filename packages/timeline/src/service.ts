import { isId, isoTime, type Tenant } from '@payments/kernel'
import {
  domainsOf,
  prepared,
  type QueryContext,
  type Runtime,
  type SqlExecutor,
  sqlOf,
  type TimelineEntry,
} from '@payments/platform'
import type { z } from 'zod'
import { errors } from './errors.ts'
import type { Timeline } from './schemas.ts'

const NEWEST = 200

/**
 * What happened to an object and its newest 200 parts, newest first. A merchant sees objects of the own organisation and
 * environment; operators those of every organisation, with more facts.
 * @throws ServiceError 404 when there is no such object.
 */
export async function timeline(
  context: QueryContext,
  id: string,
  { forOperators }: { readonly forOperators: boolean },
): Promise<z.input<typeof Timeline>> {
  const { runtime, actor, standby } = context
  // Most of what these statements took the server was to plan them.
  const db = standby ? sqlOf(context.em) : prepared(runtime.pool)
  const owner = isId(id) ? await ownerOf(runtime, db, id) : undefined
  const isOwn = owner?.organisationId === actor.organisationId && owner.environment === actor.environment
  if (!owner || !(forOperators || isOwn)) throw errors.timeline_not_found()
  const query = { ...owner, ids: [id, ...(await partsOf(runtime, db, id))], limit: NEWEST, forOperators }
  const entries: TimelineEntry[] = []
  let total = 0
  // One after another: a request uses one connection.
  for (const source of domainsOf(runtime).flatMap((domain) => domain.data?.timeline?.sources ?? [])) {
    const found = await source(db, query, runtime)
    entries.push(...found.entries)
    total += found.total
  }
  entries.sort((a, b) => b.at.getTime() - a.at.getTime())
  return { entries: entries.slice(0, NEWEST).map((each) => ({ ...each, at: isoTime(each.at) })), total }
}

/** The organisation and environment of any object of any domain, found by its primary key in one statement. */
async function ownerOf(runtime: Runtime, db: SqlExecutor, id: string): Promise<Tenant | undefined> {
  const each = objectTables(runtime).map((table) => `select organisation_id, environment from ${table} where id = $1`)
  const { rows } = await db.query<{ organisation_id: string; environment: Tenant['environment'] }>(
    `${each.join(' union all ')} limit 1`,
    [id],
  )
  return rows[0] && { organisationId: rows[0].organisation_id, environment: rows[0].environment }
}

/** The tables of all objects that have a timeline. */
export function objectTables(runtime: Runtime): string[] {
  const tables = domainsOf(runtime).flatMap(({ data }) => [
    ...(data?.resources ?? []).map(({ table }) => table),
    ...(data?.timeline?.objects ?? []),
  ])
  return [...new Set(tables)]
}

/** The newest parts of an object, such as the deposits of a payment route. */
export async function partsOf(runtime: Runtime, db: SqlExecutor, id: string): Promise<string[]> {
  const ids: string[] = []
  for (const { data } of domainsOf(runtime)) ids.push(...((await data?.timeline?.parts?.(db, id, NEWEST)) ?? []))
  return ids
}
