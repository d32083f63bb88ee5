/** How a language writes maps, lists and constants. */
export interface Notation {
  /** The brackets of a map. */
  readonly brackets: readonly [string, string]
  /** Between a name and its value. */
  readonly separator: string
  readonly indentation: string
  /** Inside the brackets of a map on one line. */
  readonly padding: string
  text(value: string): string
  name(name: string): string
  readonly none: string
  readonly booleans: readonly [no: string, yes: string]
  /** May a name stand alone where its value is written the same? */
  readonly hasShorthand?: boolean
  /** A map without names, where it is not just the brackets. */
  readonly emptyMap?: string
  /** The brackets of a list, where they are not just brackets. */
  readonly listBrackets?: readonly [string, string]
  /** Are the values of a map in one column, as gofmt has them? */
  readonly isAligned?: boolean
}

/** As many characters as a block of code of a page shows. */
export const LINE = 78

/** A JSON value as a literal of a language: on one line where it fits, else one line for each part. `before` is what else is on its line. */
export function literal(value: unknown, notation: Notation, before = 0): string {
  const { brackets, listBrackets = ['[', ']'], separator, padding, text, name, none, booleans, emptyMap } = notation
  if (value === null) return none
  if (typeof value === 'boolean') return booleans[value ? 1 : 0]
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value))
    return group(
      value.map((each) => literal(each, notation)),
      listBrackets,
      notation,
    )
  const entries = Object.entries(value).map(([key, each]) => [key, literal(each, notation)] as const)
  if (entries.length === 0 && emptyMap !== undefined) return emptyMap
  const parts = entries.map(([key, written]) =>
    notation.hasShorthand && written === key ? key : `${name(key)}${separator}${written}`,
  )
  const whole = group(parts, brackets, notation, padding, before)
  if (!notation.isAligned || !whole.includes('\n')) return whole
  const rows = columns(entries.map(([key, written]) => [`${name(key)}:`, written]))
  return [brackets[0], ...rows.map((row) => `${indented(row, notation.indentation)},`), brackets[1]].join('\n')
}

/** Names and values in two columns, where lines follow one another: a value of several lines ends a column. */
export function columns(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const isApart = rows.map(([, value]) => value.includes('\n'))
  return rows.map(([name, value], row) => {
    if (isApart[row]) return `${name} ${value}`
    const first = isApart.lastIndexOf(true, row) + 1
    const next = isApart.indexOf(true, row)
    const widths = rows.slice(first, next < 0 ? rows.length : next).map(([each]) => each.length)
    return `${name.padEnd(Math.max(...widths))} ${value}`
  })
}

/** Parts between brackets: on one line where they fit behind `before`, else one line for each. */
export function group(
  parts: readonly string[],
  [open, close]: readonly [string, string],
  { indentation }: Pick<Notation, 'indentation'>,
  padding = '',
  before = 0,
): string {
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${padding}${parts.join(', ')}${padding}${close}`
  if (before + line.length <= LINE && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${indented(part, indentation)},`).join('\n')}\n${close}`
}

/** Every line of a text moved to the right. */
export const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)
