import { isId } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import type { SupportReport } from './schemas.ts'
import { objectTables, partsOf, timeline } from './service.ts'

type Objects = z.input<typeof SupportReport>['objects']

/**
 * Columns with texts that are shown: states, kinds, networks, chain addresses and hashes, references of providers. What a merchant or a
 * person wrote (names, emails, accounts, memos, metadata) is in none of them, and a new column is hidden until its name says what it is.
 */
const SHOWN =
  /(^|_)(status|state|kind|type|provider|outcome|attention|condition|reason|error|environment|direction|channel|asset|currency|chain_key|network|network_key|hash|address|provider_id|provider_reference|request_id|event|source)$/
/** Ends like a shown column, and is a person's. */
const PERSONAL = /email|phone|name|bank|account/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?$/

/**
 * Everything that this service knows about an object and its newest parts, for a request to a provider or to the maintainers of the
 * service: their rows, with what a person or merchant wrote replaced by its length, and the timeline as operators see it.
 * @throws ServiceError 404 when there is no such object
 */
export async function supportReport(context: QueryContext, id: string): Promise<z.input<typeof SupportReport>> {
  const { runtime } = context
  const db = sqlOf(context.em)
  const shown = await timeline(context, id, { forOperators: true })
  const ids = [id, ...(await partsOf(runtime, db, id))]
  const each = objectTables(runtime).map(
    (table) => `select '${table}' as kind, o.id, f.key, jsonb_typeof(f.value) as type, f.value #>> '{}' as value
                  from ${table} o cross join jsonb_each(to_jsonb(o)) f where o.id = any ($1::uuid[])`,
  )
  const { rows } = await db.query<{ kind: string; id: string; key: string; type: string; value: string | null }>(
    `${each.join(' union all ')} order by kind, id, key`,
    [ids],
  )
  const objects = new Map<string, { kind: string; id: string; fields: Record<string, string | null> }>()
  for (const row of rows) {
    const object = objects.get(row.id) ?? { kind: row.kind, id: row.id, fields: {} }
    objects.set(row.id, object)
    object.fields[row.key] = redacted(row.key, row.type, row.value)
  }
  return {
    objects: [...objects.values()].toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)) satisfies Objects,
    timeline: shown,
  }
}

function redacted(column: string, type: string, value: string | null): string | null {
  if (value === null || type === 'number' || type === 'boolean' || isId(value) || TIME.test(value)) return value
  if (type === 'string' && SHOWN.test(column) && !PERSONAL.test(column)) return value
  return `[${value.length} characters]`
}
