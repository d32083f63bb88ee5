import { packageOf, production, type Source, type Text, type Tree } from '../tree.ts'

const CREATES = /\bcreate (?:unlogged )?table (?:if not exists )?"?(?!if not exists)([a-z_][a-z0-9_.]*)/g
const RENAMES = /\balter table "?[a-z_.]+"? rename to "?([a-z_]+)/g
const SQL =
  /\bselect\b[\s\S]*\bfrom\b|\binsert\s+into\b|\bupdate\s+\S+\s+(?:\w+\s+)?set\b|\bdelete\s+from\b|\b(?:create|alter|drop|lock)\s+(?:table|unique|index|trigger)\b|\btruncate\b|\bjoin\s+\S+[\s\S]*\bon\b|^\s*(?:from|exists)\b/i
/** Names that a statement gives to its own parts. */
const PARTS = /(?:\bwith(?:\s+recursive)?|,)\s+(\w+)\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/gi
/** Methods and properties that are given a table. */
const TAKES_TABLE = /^(selectFrom|insertInto|updateTable|deleteFrom|(inner|left|right|full)Join|table|tableName:|id)$/

/** Which package owns each table: the one whose sources create it. */
export function owners(tree: Tree): ReadonlyMap<string, string> {
  return new Map(
    production(tree).flatMap(({ file, texts }) =>
      texts.flatMap(({ value }) =>
        [...value.matchAll(CREATES), ...value.matchAll(RENAMES)].map(
          (match) => [match[1] as string, packageOf(tree, file)?.name ?? ''] as const,
        ),
      ),
    ),
  )
}

/** Tables that a package names in SQL and does not own. Foreign keys of migrations may refer to them. */
export function foreignTables(tree: Tree): string[] {
  const owned = owners(tree)
  return production(tree).flatMap((source) => {
    const own = packageOf(tree, source.file)?.name
    return tablesOf(source, owned)
      .filter(({ table }) => owned.get(table) !== own)
      .map(({ table, line }) => `${source.file}:${line} names ${table}, a table of ${owned.get(table)}`)
  })
}

function tablesOf({ texts }: Source, owned: ReadonlyMap<string, string>): { table: string; line: number }[] {
  return texts.flatMap((text) => namesIn(text).flatMap((table) => (owned.has(table) ? { table, line: text.line } : [])))
}

function namesIn({ value, givenTo }: Text): string[] {
  if (givenTo && TAKES_TABLE.test(givenTo)) return [value.split(/[\s.]/)[0] ?? '']
  if (!SQL.test(value)) return []
  const names = value
    .replace(/\breferences\s+[\w".]+|\bif\s+(?:not\s+)?exists\b/gi, '')
    .matchAll(
      /\b(?:from|join|into|update|table|only|truncate|on)\s+((?:"?[a-z_][\w.]*"?(?:\s+(?:as\s+)?[a-z_]\w*)?\s*,\s*)*"?[a-z_][\w.]*)/gi,
    )
  const parts = new Set([...value.matchAll(PARTS)].map((match) => match[1]))
  return [...names]
    .flatMap((match) =>
      (match[1] as string)
        .split(',')
        .map((part) => (part.trim().split(/\s/)[0] ?? '').replaceAll('"', '').toLowerCase()),
    )
    .filter((name) => !parts.has(name))
}
