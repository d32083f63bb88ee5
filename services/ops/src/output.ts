import { styleText } from 'node:util'
import type { Terminal } from './terminal.ts'

const NOTHING = '-'
const GAP = '  '

type Row = Readonly<Record<string, unknown>>

/**
 * Writes a result to stdout: JSON for programs, else text for people. The text comes from merchants and providers, too, so
 * control characters never reach the terminal as such.
 */
export function show({ stdout, stderr }: Terminal, result: unknown, json: boolean): void {
  if (json) {
    stdout.write(`${escaped(JSON.stringify(result, null, 2) ?? 'null')}\n`)
    return
  }
  const width = stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY
  const heading = (text: string) => (stdout.isTTY ? styleText('bold', text, { stream: stdout }) : text)
  const list = listOf(result)
  const lines = list
    ? [...blockOf(list.rest, width, heading), ...tableOf(list.rows, width, heading)]
    : blockOf(result, width, heading)
  stdout.write(`${lines.join('\n')}${lines.length > 0 ? '\n' : ''}`)
  if (list)
    stderr.write(`${list.name}: ${list.rows.length}${list.total > list.rows.length ? ` of ${list.total}` : ''}\n`)
}

/** A result, as lines for people. */
export const textOf = (value: unknown): readonly string[] => blockOf(value, Number.POSITIVE_INFINITY, (text) => text)

/** A result with one array of objects is a list: its rows, and what else it says. */
function listOf(result: unknown): { name: string; rows: readonly Row[]; total: number; rest: Row } | undefined {
  if (!isRow(result)) return undefined
  const [array, ...others] = Object.entries(result).filter(([, value]) => Array.isArray(value))
  const plain = Object.entries(result).every(([, value]) => Array.isArray(value) || !isRow(value))
  if (!array || others.length > 0 || !plain || !('total' in result || Object.keys(result).length === 1))
    return undefined
  const [name, value] = array
  const rows = value as readonly unknown[]
  if (!rows.every(isRow)) return undefined
  const { [name]: _rows, total, ...rest } = result
  return { name, rows, total: typeof total === 'number' ? total : rows.length, rest }
}

/** Names and values side by side, then what is nested, under its name. */
function blockOf(value: unknown, width: number, heading: (text: string) => string): readonly string[] {
  if (Array.isArray(value))
    return value.every(isRow) ? tableOf(value, width, heading) : value.map((each) => cellOf(each))
  if (!isRow(value)) return [cellOf(value)]
  const entries = Object.entries(value)
  const nested = entries.filter(([, each]) => isRow(each) || isTable(each))
  const plain = entries.filter(([, each]) => !isRow(each) && !isTable(each))
  const wide = Math.max(0, ...plain.map(([name]) => name.length))
  return [
    ...plain.map(([name, each]) => `${heading(name.padEnd(wide))}${GAP}${cellOf(each)}`),
    ...nested.flatMap(([name, each]) => [
      heading(`${name}:`),
      ...blockOf(each, width - GAP.length, heading).map((line) => `${GAP}${line}`),
    ]),
  ]
}

/** An aligned table; where the terminal is too narrow for it, a block for each row. Columns without any value are left out. */
function tableOf(rows: readonly Row[], width: number, heading: (text: string) => string): readonly string[] {
  const wide = manyFieldsIn(rows)
  const flat = rows.map((row) => flattened(row, wide))
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))]
  const columns = names
    .filter((name) => flat.some((row) => row[name] !== undefined && row[name] !== null))
    .map((name) => {
      const cells = flat.map((row) => cellOf(row[name]))
      const size = Math.max(name.length, ...cells.map((cell) => cell.length))
      const numeric = flat.every((row) => typeof row[name] === 'number')
      const pad = (text: string) => (numeric ? text.padStart(size) : text.padEnd(size))
      return { name, size, title: pad(name), cells: cells.map(pad) }
    })
  const total = columns.reduce((sum, { size }) => sum + size + GAP.length, -GAP.length)
  if (total > width)
    return flat.flatMap((row, index) => [
      ...(index > 0 ? [''] : []),
      ...blockOf(Object.fromEntries(columns.map(({ name }) => [name, row[name]])), width, heading),
    ])
  const line = (cells: readonly string[]) => cells.join(GAP).trimEnd()
  return rows.length === 0
    ? []
    : [
        heading(line(columns.map(({ title }) => title))),
        ...rows.map((_row, index) => line(columns.map(({ cells }) => cells[index] ?? ''))),
      ]
}

const MOST_COLUMNS = 4

/** The names under which the rows have objects with more different fields than a table has room for. */
function manyFieldsIn(rows: readonly Row[]): ReadonlySet<string> {
  const fields = new Map<string, Set<string>>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (isRow(value)) fields.set(name, new Set([...(fields.get(name) ?? []), ...Object.keys(value)]))
  return new Set([...fields].flatMap(([name, inner]) => (inner.size > MOST_COLUMNS ? [name] : [])))
}

/** Objects in a row become columns of their own, `bankAccount.accountNumber`, or one column with their fields where these are many. */
const flattened = (row: Row, wide: ReadonlySet<string>): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (!isRow(value)) return [[name, value]]
      const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
      return wide.has(name)
        ? [[name, given.map(([inner, each]) => `${inner}=${cellOf(each)}`).join(' ')]]
        : Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each])
    }),
  )

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTable = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isRow)

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING
  if (Array.isArray(value) && value.every((each) => !isRow(each) && !Array.isArray(each)))
    return value.length === 0 ? NOTHING : value.map(cellOf).join(', ')
  return escaped(typeof value === 'object' ? JSON.stringify(value) : String(value), /[\p{Cc}\p{Bidi_Control}]/gu)
}

/** Control characters as `\u009b`, which JSON reads as the same text. Those of JSON itself are its own line breaks. */
const escaped = (text: string, pattern = /[\u007f-\u009f\p{Bidi_Control}]/gu): string =>
  text.replace(pattern, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
