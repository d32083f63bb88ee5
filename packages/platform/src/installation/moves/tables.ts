import type { SqlExecutor } from '../../database/sql.ts'
import type { FoundBy, MoveDeclaration } from '../../domain/data.ts'
import type { Domain } from '../../domain/domain.ts'

/** What becomes of a table's rows: see {@link MoveDeclaration}. */
type Fate = 'moved' | 'copied' | 'merged' | 'ended'

/** A table with rows of the organisation that moves. */
export interface MovedTable {
  readonly name: string
  readonly fate: Fate
  readonly columns: readonly string[]
  /** SQL: the condition of its rows; `$1` is the organisation, `$2` the move. Also true once the rows by which it finds them are packed. */
  readonly where: string
  /** Of a merged table: the column that says who is who. */
  readonly same?: string
  /** Columns that name rows of a merged table. */
  readonly people: readonly string[]
  /** Columns that the database numbers. */
  readonly numbered: readonly string[]
}

/** A table as the catalogue has it. */
interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly numbered: readonly string[]
}

/** The jobs of pg-boss that name an organisation. */
const JOBS = 'pgboss.job'
const JOB_OF_ORGANISATION = "data ->> 'organisationId' = $1::uuid::text"

const TABLES = `select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name,
    array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
    coalesce(array_agg(a.attname::text) filter (where a.attidentity <> ''), '{}') as numbered
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relkind in ('r', 'p') and not c.relispartition and (n.nspname = 'public' or (n.nspname, c.relname) = ('pgboss', 'job'))
 group by n.nspname, c.relname order by 1`

/** A foreign key of one table to another, in columns. */
export interface Reference {
  readonly name: string
  readonly from: string
  readonly columns: readonly string[]
  readonly to: string
  readonly referenced: readonly string[]
}

const REFERENCES = `select k.conname as name, k.conrelid::regclass::text as from, k.confrelid::regclass::text as to,
    array(select a.attname::text from unnest(k.conkey) with ordinality u (n, i) join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by i) as columns,
    array(select a.attname::text from unnest(k.confkey) with ordinality u (n, i) join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by i) as referenced
  from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0 order by 1`

export const referencesOf = async (db: SqlExecutor): Promise<readonly Reference[]> =>
  (await db.query<Reference>(REFERENCES)).rows

/** What the domains declare, as one. */
export const declarationOf = (domains: readonly Domain[]) => {
  const all = domains.flatMap(({ data }) => (data?.moves ? [data.moves] : []))
  const merge = <K extends keyof MoveDeclaration>(key: K) =>
    Object.assign({}, ...all.map((each) => each[key] ?? {})) as NonNullable<MoveDeclaration[K]>
  return {
    found: merge('found'),
    merged: merge('merged'),
    stays: merge('stays'),
    obstacles: merge('obstacles'),
    present: merge('present'),
    compared: merge('compared'),
    copied: new Set(all.flatMap(({ copied = [] }) => copied)),
    ended: new Set(all.flatMap(({ ended = [] }) => ended)),
    left: all.flatMap(({ left = [] }) => left),
    stayed: all.flatMap(({ stayed = [] }) => stayed),
    ownSecrets: all.flatMap(({ ownSecrets = [] }) => ownSecrets),
    addressed: all.flatMap(({ addressed = [] }) => addressed),
    arrived: all.flatMap(({ arrived = [] }) => arrived),
  }
}

/** SQL: rows of a table that are packed already, as a relation. */
export const packedRows = (table: string): string =>
  `(select (packed.r).* from (select row::${table} as r from moved_rows where move_id = $2::uuid and table_name = '${table}' offset 0) packed)`

/**
 * The tables with rows of an organisation, as the catalogue and the declarations have them; those of which others are found come last.
 * @throws Error that names a table of which neither says whether it has any
 */
export async function movedTables(db: SqlExecutor, domains: readonly Domain[]): Promise<readonly MovedTable[]> {
  const { found, merged, stays, copied, ended } = declarationOf(domains)
  const { rows: tables } = await db.query<Table>(TABLES)
  const references = await referencesOf(db)
  const byOrganisation = ({ columns }: Table) => columns.includes('organisation_id')
  const unknown = tables.filter(
    (table) =>
      !byOrganisation(table) &&
      !(table.name in found || table.name in stays || table.name in merged) &&
      table.name !== JOBS,
  )
  if (unknown.length > 0)
    throw new Error(
      `Nothing says whose the rows of ${unknown.map(({ name }) => name).join(', ')} are: see MoveDeclaration`,
    )

  const people = Object.keys(merged)
  const namesPeople = peopleColumns(references, people)
  const conditions = new Map<string, string>()
  const conditionOf = (name: string): string => {
    const known = conditions.get(name)
    if (known !== undefined) return known
    const by = name === JOBS ? JOB_OF_ORGANISATION : (found[name] ?? 'organisation_id = $1')
    const condition = typeof by === 'string' ? by : by.map((each) => foundBy(each, conditionOf(each.of))).join(' or ')
    conditions.set(name, condition)
    return condition
  }
  const moving = tables.filter(({ name }) => !(name in stays || name in merged))
  const described = moving.map((table): MovedTable => {
    const fate = copied.has(table.name) ? 'copied' : ended.has(table.name) ? 'ended' : 'moved'
    return { ...table, fate, where: conditionOf(table.name), people: namesPeople.get(table.name) ?? [] }
  })
  const persons = tables
    .filter(({ name }) => name in merged)
    .map((table): MovedTable => {
      const by = described.flatMap(({ name, fate, people: columns }) =>
        fate === 'ended'
          ? []
          : columns.map((column) => foundBy({ column: 'id', of: name, key: column }, conditionOf(name))),
      )
      return { ...table, fate: 'merged', where: by.join(' or ') || 'false', same: merged[table.name] ?? '', people: [] }
    })
  // Rows that others find come after them; what is found by what is found comes first.
  const depth = (name: string): number => {
    const by = found[name]
    return by === undefined || typeof by === 'string' ? 0 : 1 + Math.max(...by.map(({ of }) => depth(of)))
  }
  return [...described.toSorted((a, b) => depth(b.name) - depth(a.name)), ...persons]
}

const foundBy = ({ column, of, key }: FoundBy, where: string): string =>
  `${column} in (select ${key} from ${of} where ${where} union all select ${key} from ${packedRows(of)} t)`

/** The columns of each table that name a row of a table of people: its foreign keys to it, and to columns that do. */
function peopleColumns(
  references: readonly Reference[],
  people: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (let more = true; more; ) {
    more = false
    for (const { from, columns, to, referenced } of references)
      columns.forEach((column, place) => {
        const name = referenced[place] ?? ''
        const isPerson = people.includes(to) ? name === 'id' : found.get(to)?.has(name)
        if (!isPerson || found.get(from)?.has(column)) return
        found.set(from, (found.get(from) ?? new Set()).add(column))
        more = true
      })
  }
  return new Map([...found].map(([table, columns]) => [table, [...columns]]))
}
