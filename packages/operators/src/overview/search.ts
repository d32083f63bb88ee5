import { isId } from '@payments/kernel'
import {
  domainsOf,
  type QueryContext,
  type Runtime,
  type SearchSource,
  type SqlExecutor,
  spellingsOf,
  sqlOf,
} from '@payments/platform'
import type { z } from 'zod'
import type { Found } from '../schemas.ts'
import { objectsOf } from './objects.ts'

const OF_EACH = 50

type Objects = z.input<typeof Found>['objects']

/**
 * Objects of any organisation that have the text as their id, or as what their domain declares: an id of a provider, a
 * transaction hash, an address, a reference, an email address. The whole text must match, as `spellingsOf` spells it. One statement for each kind, each by an index.
 */
export async function search(context: QueryContext, text: string): Promise<z.input<typeof Found>> {
  const { runtime } = context
  const db = sqlOf(context.em)
  const spelled = spellingsOf(text)
  const id = spelled.find(isId)
  const objects: Objects = id ? await byId(runtime, db, id.toLowerCase()) : []
  for (const source of domainsOf(runtime).flatMap(({ operators }) => operators?.search ?? []))
    objects.push(...(await bySource(db, source, spelled)))
  return { objects, total: objects.length }
}

async function byId(runtime: Runtime, db: SqlExecutor, id: string): Promise<Objects> {
  const kinds = new Map<string, string>()
  for (const { data } of domainsOf(runtime)) {
    for (const { table } of data?.resources ?? []) kinds.set(table, table)
    for (const table of data?.timeline?.objects ?? []) kinds.set(table, table)
  }
  for (const { table, kind } of objectsOf(runtime)) kinds.set(table, kind)
  const each = [...kinds].map(
    ([table, kind]) =>
      `select '${kind}' as kind, id, organisation_id as "organisationId", environment, 'id' as matched from ${table} where id = $1`,
  )
  return (await db.query<Objects[number]>(each.join(' union all '), [id])).rows
}

async function bySource(
  db: SqlExecutor,
  { kind, from, by }: SearchSource,
  spelled: readonly string[],
): Promise<Objects> {
  const each = Object.entries(by).map(
    ([name, column]) =>
      `(select id, organisation_id as "organisationId", environment, '${name}' as matched from ${from} where ${column} = any ($1::text[]) limit ${OF_EACH})`,
  )
  const { rows } = await db.query<Omit<Objects[number], 'kind'>>(each.join(' union all '), [spelled])
  return rows.slice(0, OF_EACH).map((row) => ({ kind, ...row }))
}
