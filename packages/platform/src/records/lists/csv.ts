/**
 * One record of a CSV file (RFC 4180). A cell that a spreadsheet would read as a formula (first character `=`, `+`, `-`,
 * `@`, tab or carriage return) is prefixed with an apostrophe. A negative amount is a number and stays one.
 */
export const csvRecord = (cells: readonly (string | number | SpreadsheetText | null)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

/** A negative number as amounts are written: no exponent, no thousands, nothing around it. */
const NEGATIVE = /^-\d+(\.\d+)?$/

/** What spreadsheet programs read as a number or a date, and write back as another: 007, 90467565020001, 1234e5, 1-2. */
const REWRITTEN = /^(0\d+|\d{12,}|\d+(\.\d+)?e[+-]?\d+|\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?)$/i

/**
 * An identifier for a file that a spreadsheet program opens: one that it would read as a number or a date is written as a formula with a text, which
 * it shows as it is. Any other stays as it is.
 */
export const spreadsheetText = (text: string): SpreadsheetText | string =>
  REWRITTEN.test(text) ? { formula: `="${text}"` } : text

/** A formula of ours: the only one that a file has. */
interface SpreadsheetText {
  readonly formula: string
}

function csvCell(value: string | number | SpreadsheetText | null): string {
  if (value === null) return ''
  if (typeof value === 'object') return quoted(value.formula)
  const text =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !NEGATIVE.test(value) ? `'${value}` : String(value)
  return quoted(text)
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
