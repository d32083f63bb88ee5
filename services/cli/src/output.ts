import { isPaymentsError } from '@payments/sdk'

/** Exit codes: 1 the service refused, 2 the command was not understood, 3 no or wrong credentials, 4 no service, 130 interrupted. */
export const EXIT = { failed: 1, usage: 2, credentials: 3, unreachable: 4, interrupted: 130 } as const

/** Something that the caller must do first or differently. The message says what. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Where results and messages go: results alone to `out`, so that programs can read them. */
export interface Output {
  readonly json: boolean
  out(text: string): void
  err(text: string): void
}

const CONTROL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu

/** Text of others never controls the terminal: what would is shown as its code. */
export const safe = (text: string): string =>
  text.replace(CONTROL, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Prints a result: JSON for programs, lines or a table for people. */
export function print({ json, out }: Output, value: unknown, list?: string): void {
  const rows = list ? (value as Record<string, unknown[]>)[list] : undefined
  if (json) out(JSON.stringify(value))
  else if (rows) out(`${tableOf(rows)}\n${rows.length} of ${(value as { total: number }).total}`)
  else out(linesOf(value))
}

function linesOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return safe(String(value))
  const entries = Object.entries(value)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, each]) => `${name.padEnd(width)}  ${cellOf(each)}`).join('\n')
}

const cellOf = (value: unknown): string =>
  safe(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''))

/** The fields that say most about a record, in columns. */
function tableOf(rows: readonly unknown[]): string {
  const FIRST = [
    'id',
    'kind',
    'type',
    'name',
    'title',
    'status',
    'amount',
    'email',
    'url',
    'key',
    'code',
    'createdAt',
    'created',
  ]
  const records = rows.map((row) =>
    typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : { value: row },
  )
  const known = FIRST.filter((name) => records.some((record) => name in record))
  const names = known.length > 1 ? known : Object.keys(records[0] ?? {}).slice(0, 5)
  const lines = [names, ...records.map((record) => names.map((name) => cellOf(record[name])))]
  const widths = names.map((_name, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Prints an error on standard error, and returns the exit code. */
export function fail(error: unknown, { json, err }: Output, isInterrupted: boolean): number {
  if (isInterrupted) return EXIT.interrupted
  if (error instanceof UsageError) {
    err(json ? JSON.stringify({ error: { code: 'usage', message: error.message } }) : error.message)
    return EXIT.usage
  }
  if (!isPaymentsError(error)) throw error
  const { code, message, status, requestId, fields, retryAfter, documentation } = error
  if (json) err(JSON.stringify({ error: { code, message, status, requestId, fields, retryAfter } }))
  else {
    err(safe(`${message} (${code}${requestId ? `, request ${requestId}` : ''})`))
    if (documentation) err(documentation)
  }
  return status === 0 ? EXIT.unreachable : [401, 403].includes(status) ? EXIT.credentials : EXIT.failed
}
