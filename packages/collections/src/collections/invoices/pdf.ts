import { type Cells, type PdfPage, pdf } from '@payments/pdf'
import type { Log } from '@payments/platform'
import { askedText, decimal, invoiceNumberText, NUMBER_TO_COME } from '../api/present.ts'
import type { CollectionRow } from '../entity.ts'

/** Widths of the four columns: description, quantity, price, sum. */
const COLUMNS = [220, 64, 98, 101] as const

/** Who an invoice is from and for. */
export interface InvoiceParties {
  readonly merchant: string
  readonly customer: { readonly name: string; readonly email: string } | null
}

/** An invoice as a PDF. A character that the font does not have is replaced by a box and named in the log. */
export async function invoicePdf(invoice: CollectionRow, parties: InvoiceParties, log: Log): Promise<Buffer> {
  const number = invoiceNumberText(invoice.invoiceNumber) ?? NUMBER_TO_COME
  const info = { title: `Invoice ${number}`, author: parties.merchant, createdAt: invoice.createdAt }
  const { file, replaced } = await pdf(info, (page) => write(page, invoice, parties, number))
  if (replaced.length > 0)
    log.warn(
      { collectionId: invoice.id, characters: replaced.map((character) => `U+${hex(character)}`) },
      'invoice characters replaced',
    )
  return file
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

const day = (time: Date): string => time.toISOString().slice(0, 10)

function write(page: PdfPage, invoice: CollectionRow, { merchant, customer }: InvoiceParties, number: string): void {
  page.text(merchant, { bold: true, size: 12, gap: 12 })
  page.text(`Invoice ${number}`, { tag: 'H1', bold: true, size: 22, gap: 4 })
  if (number === NUMBER_TO_COME)
    page.text('Preview, not an invoice: it gets its number and its address when it is created.', {
      bold: true,
      gap: 10,
    })
  page.text(invoice.title, { size: 12, gap: 10 })
  page.text(`Date: ${day(invoice.createdAt)}`)
  if (invoice.dueAt) page.text(`Due: ${day(invoice.dueAt)}`)
  page.text(`Status: ${invoice.status}`)
  if (customer) page.text(`Bill to: ${customer.name}, ${customer.email}`)
  if (invoice.description) page.text(invoice.description, { muted: true })
  page.space(14)
  page.table(linesOf(invoice), COLUMNS)
  page.space(10)
  const { currency } = invoice
  const sums: [string, bigint | null | undefined][] = [
    ['Subtotal', invoice.subtotal],
    ['Tax', invoice.tax],
    ['Total', invoice.amount],
  ]
  if (invoice.pricing) page.text(`Total: ${askedText(invoice)}, paid in ${currency}`, { bold: true })
  for (const [name, units] of sums)
    if (units !== null && units !== undefined)
      page.text(`${name}: ${decimal(units, currency)} ${currency}`, { bold: name === 'Total' })
  page.space(14)
  if (invoice.status === 'open' || invoice.status === 'overdue') {
    page.text('Pay online:', { gap: 0 })
    page.text(invoice.payUrl)
  }
}

function linesOf(invoice: CollectionRow): Cells[] {
  const { items, title, amount, pricing } = invoice
  const currency = pricing?.currency ?? invoice.currency
  const head: Cells = ['Description', 'Quantity', 'Unit price', `Sum (${currency})`]
  if (items.length === 0) {
    const whole = pricing?.amount ?? decimal(amount ?? 0n, currency)
    return [head, [title, '1', whole, whole]]
  }
  return [
    head,
    ...items.map(
      ({ description, quantity, unitAmount, taxPercent, subtotal }): Cells => [
        taxPercent > 0 ? `${description} (tax ${taxPercent} %)` : description,
        String(quantity),
        unitAmount,
        subtotal,
      ],
    ),
  ]
}
