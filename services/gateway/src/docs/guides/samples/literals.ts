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
}

/** As many characters as a block of code of a page shows. */
export const LINE = 78

/** A JSON value as a literal of a language: on one line where it fits, else one line for each part. */
export function literal(value: unknown, notation: Notation): string {
  const { brackets, separator, padding, text, name, none, booleans, emptyMap, hasShorthand } = notation
  if (value === null) return none
  if (typeof value === 'boolean') return booleans[value ? 1 : 0]
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((each) => literal(each, notation))
    : Object.entries(value).map(([key, each]) => {
        const written = literal(each, notation)
        return hasShorthand && written === key ? key : `${name(key)}${separator}${written}`
      })
  if (parts.length === 0 && !isList && emptyMap !== undefined) return emptyMap
  return group(parts, isList ? ['[', ']'] : brackets, notation, isList ? '' : padding)
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
