import { isId } from '@payments/kernel'
import { domainsOf, type QueryContext, type SearchSource, spellingsOf, sqlOf } from '@payments/platform'
import { ADDRESS, UNITS } from '../schema/list.ts'
import type { TransactionFilters } from './search-schemas.ts'

/** Of one object, for example a payment link, so many transactions are found at most. */
const MOST = 100_000

/** SQL with placeholders, and their values. */
export interface Conditions {
  readonly sql: string
  readonly values: readonly unknown[]
}

/**
 * SQL over the list `t`: what the filters ask for, in the actor's tenant. What a text finds is looked up here, so that the database knows
 * how many there are when it decides how to read the list.
 * @param first the number of the first placeholder
 */
export async function conditionsOf(context: QueryContext, filters: TransactionFilters, first = 1): Promise<Conditions> {
  const { organisationId, environment } = context.actor
  const values: unknown[] = []
  const value = (of: unknown): string => {
    values.push(of)
    return `$${first + values.length - 1}`
  }
  const parts = [`t.organisation_id = ${value(organisationId)}::uuid and t.environment = ${value(environment)}`]
  const { text, kinds, statuses, assets, networks, customerId, amountFrom, amountTo, from, to } = filters
  if (text !== undefined) {
    const { objects, ids } = await found(context, text)
    const ways = [
      `t.id = any (${value(ids)}::uuid[])`,
      `t.customer_id = any (${value(objects)}::uuid[])`,
      `${ADDRESS.replace('destination', 't.destination')} = any (${value(spellingsOf(text))}::text[])`,
    ]
    parts.push(`(${ways.join(' or ')})`)
  }
  if (kinds) parts.push(`t.kind = any (${value(kinds)}::text[])`)
  if (statuses) parts.push(`t.status = any (${value(statuses)}::text[])`)
  if (assets) parts.push(`t.currency = any (${value(assets)}::text[])`)
  if (networks) {
    const keys = `${value(networks)}::text[]`
    const legs = ['origin', 'source', 'destination'].map((leg) => `t.receipt #>> '{${leg},network}' = any (${keys})`)
    parts.push(`(${legs.join(' or ')})`)
  }
  if (customerId) parts.push(`t.customer_id = ${value(customerId)}::uuid`)
  if (amountFrom) parts.push(`${UNITS} >= ${value(amountFrom)}::numeric`)
  if (amountTo) parts.push(`${UNITS} <= ${value(amountTo)}::numeric`)
  if (from) parts.push(`t.created_at >= ${value(from)}::timestamptz`)
  if (to) parts.push(`t.created_at < ${value(to)}::timestamptz`)
  return { sql: parts.join(' and '), values }
}

/**
 * The objects of the tenant that have a text, as their id or in a column of which their domain says so, and with these the ids of their
 * parts: the deposits of a route, the sessions of a link. One statement each, every part of it by an index.
 */
async function found(
  { runtime, actor, em }: QueryContext,
  text: string,
): Promise<{ objects: string[]; ids: string[] }> {
  const own = 'organisation_id = $1 and environment = $2'
  const tenant = [actor.organisationId, actor.environment]
  const sources = domainsOf(runtime).flatMap(({ operators }) => operators?.search ?? [])
  const idsOf = async (selects: readonly string[], wanted: readonly string[]): Promise<string[]> => {
    const { rows } = await sqlOf(em).query<{ id: string }>(`${selects.join(' union all ')} limit ${MOST}`, [
      ...tenant,
      wanted,
    ])
    return rows.map(({ id }) => id)
  }
  const matching = sources.flatMap(({ from, by }) =>
    Object.values(by).map((column) => `select id from ${from} where ${column} = any ($3::text[]) and ${own}`),
  )
  const spelled = spellingsOf(text)
  const objects = [...spelled.filter(isId), ...(await idsOf(matching, spelled))]
  if (objects.length === 0) return { objects, ids: [] }
  const parts = sources
    .filter((source): source is SearchSource & { partOf: string } => source.partOf !== undefined)
    .map(({ from, partOf }) => `select id from ${from} where ${partOf} = any ($3::uuid[]) and ${own}`)
  return { objects, ids: [...objects, ...(await idsOf(parts, objects))] }
}
