import type { Environment } from '@payments/kernel'
import { type PdfPage, type PdfRequest, pdf } from '@payments/pdf'
import { csvRecord } from '@payments/platform'
import type { z } from 'zod'
import { kindWords } from '../model/kinds.ts'
import type { Statement } from './schemas.ts'

type Found = z.output<typeof Statement>
type Balance = Found['statements'][number]

const HEADINGS = ['asset', 'date', 'kind', 'in', 'out', 'fees', 'balance'] as const
/** Widths of the columns of the document: date, kind, in, out, fees, balance. */
const COLUMNS = [66, 93, 81, 81, 70, 92] as const

/** The balance of a line where it ends its day; empty on those before, between which there was none. */
const balanceOf = (lines: Balance['lines'], place: number): string => {
  const [line, next] = [lines[place], lines[place + 1]]
  return line && line.date !== next?.date ? line.balance : ''
}

/** A statement as CSV: for each asset its opening balance, its lines with the balance at the end of each day, and its closing balance. */
export function statementCsv({ from, to, statements }: Found): string {
  const rows = statements.flatMap(({ asset, openingBalance, closingBalance, lines, in: received, out, fees }) => [
    [asset, from, 'opening_balance', '', '', '', openingBalance],
    ...lines.map((line, place) => [
      ...[asset, line.date, line.kind, line.in, line.out, line.fees],
      balanceOf(lines, place),
    ]),
    [asset, to, 'closing_balance', received, out, fees, closingBalance],
  ])
  return [HEADINGS, ...rows].map((row) => csvRecord(row)).join('')
}

/** A statement for people. @throws busy 503 when too many documents are being made */
export async function statementPdf(
  found: Found,
  merchant: { readonly name: string; readonly environment: Environment },
  request: PdfRequest,
): Promise<Buffer> {
  const { from, to } = found
  const info = { title: `Statement ${from} to ${to}`, author: merchant.name, createdAt: beginningOfDay() }
  const { file } = await pdf(info, (page) => write(page, found, merchant), request)
  return Buffer.from(file)
}

/** Of the day on which a file is made: until the next one, the same statement is the same file. */
export const beginningOfDay = (now = Date.now()): Date => new Date(now - (now % 86_400_000))

function write(
  page: PdfPage,
  found: Found,
  { name, environment }: { readonly name: string; readonly environment: Environment },
): void {
  const { from, to, timeZone, customerId, statements } = found
  page.text(name, { bold: true, size: 12, gap: 12 })
  page.text('Statement', { tag: 'H1', bold: true, size: 22, gap: 4 })
  page.text(`${from} to ${to} (${timeZone})`, { size: 12, gap: 6 })
  if (customerId) page.text(`Customer: ${customerId}`)
  if (environment === 'test') page.text('Test: no money moved')
  page.text('What the service held: money that is reserved for a payment is part of the balance until it leaves.', {
    muted: true,
    gap: 10,
  })
  if (statements.length === 0) page.text('There was no balance.')
  for (const each of statements) writeBalance(page, each, found)
}

function writeBalance(page: PdfPage, of: Balance, { from, to }: Found): void {
  page.space(8)
  page.text(of.asset, { tag: 'H2', bold: true, size: 14, gap: 6 })
  page.table(
    [
      ['Date', 'Kind', 'In', 'Out', 'Fees', 'Balance'],
      [from, 'Opening balance', '', '', '', of.openingBalance],
      ...of.lines.map((line, place) => [
        ...[line.date, kindWords(line.kind), line.in, line.out, line.fees],
        balanceOf(of.lines, place),
      ]),
      [to, 'Closing balance', of.in, of.out, of.fees, of.closingBalance],
    ],
    COLUMNS,
  )
}
