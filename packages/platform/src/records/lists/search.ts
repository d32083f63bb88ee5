import type { EntityDictionary, EntitySchema, InferEntity } from '@mikro-orm/core'
import { count, givenTime, invalid, isId, pageSize, text } from '@payments/kernel'
import { z } from 'zod'
import { sqlOf } from '../../database/sql.ts'
import type { QueryContext } from '../../operations/context/context.ts'
import { totalSql } from '../counts.ts'
import { columnsOf, rowMapper } from './rows.ts'

/** The filters of a search by the time at which its rows were created. */
export const createdFilters = {
  from: givenTime.meta({ description: 'Created at this time or later', example: '2026-01-01T00:00:00Z' }).optional(),
  to: givenTime.meta({ description: 'Created before this time', example: '2027-01-01T00:00:00Z' }).optional(),
}

/** A bound of the amounts of a search: decimal text, which is compared exactly. */
export const amountBound = (description: string, example: string) =>
  z
    .string()
    .regex(/^\d{1,20}(\.\d{1,18})?$/, 'Must be a decimal amount as a string, like "12.50"')
    .meta({ description, example })
    .optional()

/** The text of a search: what it finds, an example, and how many characters it has at most. */
export const searchedText = (description: string, example: string, longest = 200) =>
  z.string().trim().min(1).max(longest).meta({ description, example }).optional()

/** Which page of a search is read. `thing` is what is searched, `example` the id of one. */
export const pageFields = (thing: string, example: string) => ({
  before: z
    .string()
    .max(64)
    .meta({ description: `Begin after the ${thing} with this id: \`next\` of the page before`, example })
    .optional(),
  limit: pageSize,
})

/** Where the next page of a search begins. */
export const nextPage = (example: string) => text('`before` of the next page; null on the last', example).nullable()

/** So many rows that a text finds are counted: each must be read, and those of a common word are most of the table. */
const COUNTABLE = 10_000

/** `total` of a search with a text. */
export const foundTotal = count(
  `Exact number of all that fit; null where \`text\` finds more than ${COUNTABLE.toLocaleString('en')}`,
  42,
).nullable()

/** A filter that takes any of several values. */
export const anyOf = <T extends z.ZodType>(value: T, description: string, example: readonly string[]) =>
  z.array(value).min(1).max(40).meta({ description, example }).optional()

/** Makes SQL over the row `t`; `value` makes the placeholder of a value. Undefined leaves nothing out. */
export type SearchCondition = ((value: (of: unknown) => string) => string) | undefined

/** A column of text must have one of several values. */
export const columnIn = (column: string, values: readonly string[] | undefined): SearchCondition =>
  values && ((value) => `t.${column} = any (${value(values)}::text[])`)

/** SQL of a number must be at least one bound, and at most the other. */
export const numberBetween = (
  number: string,
  from: string | undefined,
  to: string | undefined,
): readonly SearchCondition[] => [
  from === undefined ? undefined : (value) => `${number} >= ${value(from)}::numeric`,
  to === undefined ? undefined : (value) => `${number} <= ${value(to)}::numeric`,
]

/**
 * SQL: a text without capitals and marks, so that "ola" finds "Ọlá". The collation is the root of ICU, which PostgreSQL has whatever the
 * locale of the database is: one that is made with the locale C folds ASCII alone.
 */
const folded = (expression: string): string =>
  `regexp_replace(normalize(lower((${expression}) collate "und-x-icu"), nfkd), '[\\u0300-\\u036f]', '', 'g')`

/**
 * SQL for an index (`gin`) and for {@link beginsWords}: the words of a text expression. ASCII punctuation separates words, here and in what
 * is searched for, so that the parts of an email address and of a reference are words.
 */
export const wordsOf = (expression: string): string =>
  `to_tsvector('simple'::regconfig, regexp_replace(${folded(expression)}, '[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]', ' ', 'g'))`

/** How many words of a text are looked for: each is read from the index by itself. */
const MOST_WORDS = 8

/** The words of a text that are looked for: each once, none that another begins with, and of many the longest. */
export function searchedPrefixes(text: string): string[] {
  const words = text.split(/[\s!-/:-@[-`{-~]+/).filter(Boolean)
  // By their letters in lower case; the database folds those that it looks for itself.
  const all = new Map(words.map((word) => [word.toLowerCase(), word]))
  return [...all]
    .filter(([word]) => !all.keys().some((other) => other !== word && other.startsWith(word)))
    .map(([, word]) => word)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_WORDS)
}

/**
 * The words of a text, see {@link searchedPrefixes}, must each begin a word of `words`, SQL of {@link wordsOf}, in any order and letter case.
 * A text without a word finds nothing.
 */
export const beginsWords =
  (words: string, searched: string): NonNullable<SearchCondition> =>
  (value) => {
    const prefixes = searchedPrefixes(searched)
    const query = value(prefixes.map((word) => `'${word}':*`).join(' & '))
    return `${words} @@ to_tsquery('simple'::regconfig, ${folded(`${query}::text`)})`
  }

/** Which rows a search asks for, and which page of them: {@link createdFilters} and {@link pageFields}, and conditions. */
interface Search {
  /** SQL over the row `t`: which rows are listed at all, where the counters of the table count these. */
  readonly listed?: string
  readonly conditions: readonly SearchCondition[]
  /** What an error calls a row; default the name of the entity. */
  readonly thing?: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
  /** So many rows are found by the index that counts them: in the order of the list, those before them would be read one by one. */
  readonly byIndex?: number
  /** What a text that is searched for asks. */
  readonly text?: SearchCondition
}

/** A page of what a search finds. */
interface Page<E extends EntitySchema, Total extends number | null> {
  rows: InferEntity<E>[]
  total: Total
  next: string | null
}

/**
 * A page of the rows of the actor's tenant that fit all conditions, newest first, and the exact number of all; null where a text
 * finds more than {@link COUNTABLE}. A page begins at a position in an index and not after a number of rows, so that the last one costs what the first does.
 * Without conditions the number comes from the counters of the table, less the rows since `to`: a list that ends now counts few.
 * The rows are plain, as those of `newestAndTotal`.
 * @throws validation_failed 422 where `before` is of no row of the tenant
 */
export function searchRows<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  search: Search & { readonly text?: never },
): Promise<Page<E, number>>
export function searchRows<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  search: Search,
): Promise<Page<E, number | null>>
export async function searchRows<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  { listed = 'true', conditions, byIndex = 0, text: searched, thing, from, to, before, limit }: Search,
): Promise<Page<E, number | null>> {
  const { actor, em, runtime } = context
  const meta = runtime.orm.getMetadata().get<InferEntity<E>>(entity.meta.class)
  const last =
    before === undefined ? undefined : await positionOf(context, meta.tableName, thing ?? meta.className, before)
  const values: unknown[] = [actor.organisationId, actor.environment]
  const value = (of: unknown): string => `$${values.push(of)}`
  const own = `t.organisation_id = $1 and t.environment = $2 and ${listed}`
  const end = to && `${value(to)}::timestamptz`
  const others = [
    ...(from ? [`t.created_at >= ${value(from)}::timestamptz`] : []),
    ...[...conditions, searched].flatMap((condition) => condition?.(value) ?? []),
  ]
  const rowsWhere = (...where: readonly string[]) => `from ${meta.tableName} t where ${[own, ...where].join(' and ')}`
  const fitting = rowsWhere(...others, ...(end ? [`t.created_at < ${end}`] : []))
  const counted = () => {
    if (others.length === 0)
      return `${totalSql(meta.tableName)} - ${end ? `(select count(*) ${rowsWhere(`t.created_at >= ${end}`)})` : '0'}`
    return `(select count(*) from (select 1 ${fitting} ${searched ? `limit ${COUNTABLE + 1}` : ''}) c)`
  }
  const counter = await sqlOf(em).query<{ total: string }>(`select ${counted()} as total`, [...values])
  const total = Number(counter.rows[0]?.total)
  if (total === 0) return { rows: [], total, next: null }
  const isCounted = !searched || total <= COUNTABLE
  // What was counted is rare: it is found by its own index, not looked for among all rows in their order.
  const fence = (searched ? isCounted : total <= byIndex) ? 'offset 0' : ''
  const behind =
    last && `where (f.created_at, f.id) < (${value(last.created_at)}::timestamptz, ${value(last.id)}::uuid)`
  // Ids first: an index may have all that the conditions need, and rows are wide.
  const ids = `select f.id from (select t.id, t.created_at ${fitting} ${fence}) f ${behind ?? ''}
    order by f.created_at desc, f.id desc limit ${limit + 1}`
  const found = await sqlOf(em).query<EntityDictionary<InferEntity<E>>>(
    `select ${columnsOf(runtime, entity)} from ${meta.tableName} t where t.id = any (array(${ids})) order by t.created_at desc, t.id desc`,
    values,
  )
  const rows = found.rows.slice(0, limit)
  const next = found.rows.length > limit ? (rows.at(-1) as { readonly id: string }).id : null
  return { rows: rows.map(rowMapper(runtime, entity)), total: isCounted ? total : null, next }
}

async function positionOf(
  { em, actor }: QueryContext,
  tableName: string,
  thing: string,
  id: string,
): Promise<{ id: string; created_at: string }> {
  const { rows } = await sqlOf(em).query<{ id: string; created_at: string }>(
    `select id, created_at::text from ${tableName} where id = $1 and organisation_id = $2 and environment = $3`,
    [isId(id) ? id : null, actor.organisationId, actor.environment],
  )
  if (!rows[0]) throw invalid({ before: `${thing} not found` })
  return rows[0]
}
