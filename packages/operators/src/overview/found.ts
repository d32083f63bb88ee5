import { amountText, isId, isoTime } from '@payments/kernel'
import {
  domainsOf,
  type OperatedObject,
  type QueryContext,
  type SearchedKind,
  spellingsOf,
  sqlOf,
} from '@payments/platform'
import type { z } from 'zod'
import type { Everything } from '../schemas.ts'
import { objectsOf } from './objects.ts'

type Found = z.input<typeof Everything>['results'][number]

interface Row {
  readonly id: string
  readonly status?: string
  readonly createdAt: Date
}

/**
 * What a text finds among the objects of the actor's tenant, by kind: by their id and what operators find them by, and by the words,
 * number or amount that their domain names. Of each kind at most `limit`, newest first; `total` counts all, and is null where a kind has too
 * many to be counted. Every part of it by an index.
 */
export async function searchEverything(
  context: QueryContext,
  text: string,
  limit: number,
): Promise<z.input<typeof Everything>> {
  const { runtime } = context
  const kinds = objectsOf(runtime)
  const searched = new Map(domainsOf(runtime).flatMap(({ data }) => (data?.searched ?? []).map((of) => [of.kind, of])))
  const byKey = await idsByKey(context, text, kinds)
  const results: Found[] = []
  let total: number | null = 0
  // One after another: a request uses one connection.
  for (const kind of kinds) {
    const of = searched.get(kind.kind)
    const ids = byKey.get(kind.kind) ?? []
    const exact = ids.length > 0 ? await rowsOf(context, kind, ids, limit) : []
    // A key is no word: what has it is what was meant.
    const isKey = byKey.size > 0 || !of?.find
    const words = isKey ? undefined : await of.find?.(context, text, limit)
    const rows = new Map(([...exact, ...(words?.rows ?? [])] as Row[]).map((row) => [row.id, row]))
    results.push(...[...rows.values()].slice(0, limit).map((row) => shown(context, kind, of, row)))
    const more = words ? words.total : 0
    total = total === null || more === null ? null : total + exact.length + more
  }
  return { results, total }
}

/** The ids of the objects that have a key: their own id, a hash, an address, a reference, an email address. One statement. */
async function idsByKey(
  { runtime, actor, em }: QueryContext,
  text: string,
  kinds: readonly OperatedObject[],
): Promise<ReadonlyMap<string, string[]>> {
  const spelled = spellingsOf(text)
  const id = spelled.find(isId)
  const own = 'organisation_id = $2 and environment = $3'
  const selects = domainsOf(runtime)
    .flatMap(({ operators }) => operators?.search ?? [])
    .flatMap(({ kind, from, by }) =>
      Object.values(by).map(
        (column) =>
          `(select '${kind}' as kind, id from ${from} where ${column} = any ($1::text[]) and ${own} limit 50)`,
      ),
    )
  if (id)
    selects.push(...kinds.map(({ kind, table }) => `select '${kind}', id from ${table} where id = '${id}' and ${own}`))
  const { rows } = await sqlOf(em).query<{ kind: string; id: string }>(selects.join(' union '), [
    spelled,
    actor.organisationId,
    actor.environment,
  ])
  const ids = new Map<string, string[]>()
  for (const row of rows) ids.set(row.kind, [...(ids.get(row.kind) ?? []), row.id])
  return ids
}

/** Rows by their ids, newest first. Those of another tenant, and parts of other objects that merchants do not see, are left out. */
const rowsOf = async ({ em }: QueryContext, { entity }: OperatedObject, ids: readonly string[], limit: number) =>
  (await em.find(
    entity,
    { id: { $in: ids } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit, disableIdentityMap: true },
  )) as Row[]

function shown({ runtime }: QueryContext, kind: OperatedObject, of: SearchedKind | undefined, row: Row): Found {
  const own = of?.show(row)
  const resources = domainsOf(runtime).flatMap(({ data }) => data?.resources ?? [])
  const entry = own
    ? undefined
    : resources
        .find(
          ({ table, variant }) => table === kind.table && (!variant || columnOf(row, variant.column) === variant.value),
        )
        ?.entry?.(row)
  return {
    resource: kind.kind,
    id: row.id,
    title: own?.title ?? titleOf(entry?.kind ?? kind.kind),
    subtitle: own?.subtitle ?? entry?.destination ?? '',
    amount: own?.amount ?? (entry ? amountText(entry) : null),
    status: row.status ?? null,
    createdAt: isoTime(row.createdAt),
  }
}

const columnOf = (row: Row, column: string): unknown => (row as unknown as Record<string, unknown>)[column]

/** `cngn_payout` as `cNGN payout`. */
const titleOf = (kind: string): string =>
  kind
    .replaceAll('_', ' ')
    .replace(/^./, (first) => first.toUpperCase())
    .replace(/^Cngn/, 'cNGN')
