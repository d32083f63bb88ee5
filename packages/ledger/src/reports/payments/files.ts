import { dayIn, type Environment } from '@payments/kernel'
import { type PdfPage, type PdfRequest, pdf } from '@payments/pdf'
import { csvRecord } from '@payments/platform'
import type { z } from 'zod'
import { kindWords } from '../../model/kinds.ts'
import { beginningOfDay } from '../statement-files.ts'
import type { Payments } from './schemas.ts'

type Found = z.output<typeof Payments>
type Amount = Found['payments'][number]['fees'][number]

const HEADINGS = [
  'createdAt',
  'id',
  'kind',
  'status',
  'number',
  'title',
  'amount',
  'asset',
  'fees',
  'returned',
] as const
/** Widths of the columns of the document: payment, status, amount, fees, sent back. */
const COLUMNS = [211, 58, 88, 63, 63] as const
const TOTAL_COLUMNS = [58, 58, 75, 75, 75, 71, 71] as const

/** `0.1 USDC; 5 NGN`; empty for nothing. */
const amounts = (all: readonly Amount[]): string => all.map(({ amount, asset }) => `${amount} ${asset}`).join('; ')

/** What succeeded, by where it went: nobody adds what came in to what went out. */
const movesOf = ({ inAmount, outAmount, exchangedAmount }: Found['totals'][number]) =>
  [
    ['in', inAmount],
    ['out', outAmount],
    ['exchanged', exchangedAmount],
  ] as const

/** The payments of a customer as CSV: a row for each, then for each asset one with its totals, and one for each way in which some of it moved. */
export function paymentsCsv({ payments, totals, to }: Found): string {
  const rows = [
    ...payments.map((each) => [
      each.createdAt,
      each.id,
      each.kind,
      each.status,
      each.number,
      each.title,
      each.amount,
      each.asset,
      amounts(each.fees),
      amounts(each.returned),
    ]),
    ...totals.map(({ asset, amount, fees, returned }) => [
      to,
      '',
      'total',
      '',
      '',
      '',
      amount,
      asset,
      `${fees} ${asset}`,
      `${returned} ${asset}`,
    ]),
    ...totals.flatMap((total) =>
      movesOf(total)
        .filter(([, amount]) => amount !== '0')
        .map(([way, amount]) => [to, '', `total ${way}`, '', '', '', amount, total.asset, '', '']),
    ),
  ]
  return [HEADINGS, ...rows].map((row) => csvRecord(row)).join('')
}

/** The payments of a customer for people. @throws busy 503 when too many documents are being made */
export async function paymentsPdf(
  found: Found,
  merchant: { readonly name: string; readonly environment: Environment },
  request: PdfRequest,
): Promise<Buffer> {
  const { from, to, customerName } = found
  const info = {
    title: `Payments of ${customerName}, ${from} to ${to}`,
    author: merchant.name,
    createdAt: beginningOfDay(),
  }
  const { file } = await pdf(info, (page) => write(page, found, merchant), request)
  return Buffer.from(file)
}

function write(
  page: PdfPage,
  { from, to, timeZone, customerId, customerName, payments, totals }: Found,
  { name, environment }: { readonly name: string; readonly environment: Environment },
): void {
  page.text(name, { bold: true, size: 12, gap: 12 })
  if (environment === 'test') page.text('Test: no money moved', { bold: true, gap: 4 })
  page.text('Statement of payments', { tag: 'H1', bold: true, size: 22, gap: 4 })
  page.text(`${from} to ${to} (${timeZone})`, { size: 12, gap: 6 })
  page.facts([
    ['Customer', customerName],
    ['Customer number', customerId],
  ])
  page.space(8)
  if (payments.length === 0) {
    page.text('There was no payment.')
    return
  }
  page.table(
    [
      ['Payment', 'Status', 'Amount', 'Fees', 'Sent back'],
      ...payments.map((each) => [
        [
          [dayIn(timeZone, new Date(each.createdAt)), kindWords(each.kind), each.number].filter(Boolean).join(' '),
          each.title,
          each.id,
        ]
          .filter(Boolean)
          .join('\n'),
        each.status.replaceAll('_', ' '),
        `${each.amount} ${each.asset}`,
        amounts(each.fees),
        amounts(each.returned),
      ]),
    ],
    COLUMNS,
  )
  page.space(10)
  page.text('Totals', { tag: 'H2', bold: true, size: 14, gap: 6 })
  page.table(
    [
      ['Asset', 'Payments', 'In', 'Out', 'Exchanged', 'Fees', 'Sent back'],
      ...totals.map((total) => [
        total.asset,
        String(total.count),
        ...movesOf(total).map(([, amount]) => amount),
        total.fees,
        total.returned,
      ]),
    ],
    TOTAL_COLUMNS,
  )
}
