/**
 * One record of a CSV file (RFC 4180). A cell that a spreadsheet would read as a formula (first character `=`, `+`, `-`,
 * `@`, tab or carriage return) is prefixed with an apostrophe. A negative amount is a number and stays one.
 */
export const csvRecord = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A negative number as amounts are written: no exponent, no thousands, nothing around it. */
const NEGATIVE = /^-\d+(\.\d+)?$/

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  const text =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !NEGATIVE.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
