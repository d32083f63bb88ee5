import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Log } from '@payments/platform'
import type PDFDocument from 'pdfkit'
import { askedText, decimal, invoiceNumberText } from '../api/present.ts'
import type { CollectionRow } from '../entity.ts'

const require = createRequire(import.meta.url)
/** Both fonts, read once. They have ₦ and €; the fonts that PDF readers contain have neither. */
let fonts: { readonly regular: Buffer; readonly bold: Buffer } | undefined

/** Shown for a character that the font does not have. */
const REPLACEMENT = '\u25a1'
const MARGIN = 56
const ROW = 18
const MUTED = '#555555'
/** Width of the four columns: description, quantity, price, sum. */
const COLUMNS = [220, 64, 98, 101] as const
/** Below this a page has no room for another row. */
const BOTTOM = 730

/** Who an invoice is from and for. */
export interface InvoiceParties {
  readonly merchant: string
  readonly customer: { readonly name: string; readonly email: string } | null
}

type Doc = InstanceType<typeof PDFDocument>

/** The part of the font that pdfkit has loaded that tells which characters it has. */
interface LoadedFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(point: number): boolean } }
}

/**
 * An invoice as a PDF: tagged, so that a screen reader reads it in order, with embedded fonts. A character that they do not have
 * is replaced by a box, named in the log, and a line of the document says so.
 */
export async function invoicePdf(invoice: CollectionRow, parties: InvoiceParties, log: Log): Promise<Buffer> {
  // Loaded with the first invoice that is printed.
  const { default: Document } = await import('pdfkit')
  fonts ??= {
    regular: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  }
  const number = invoiceNumberText(invoice.invoiceNumber) ?? ''
  const doc = new Document({
    size: 'A4',
    margin: MARGIN,
    tagged: true,
    lang: 'en',
    displayTitle: true,
    pdfVersion: '1.7',
    info: { Title: `Invoice ${number}`, Author: parties.merchant, CreationDate: invoice.createdAt },
    font: fonts.regular as unknown as string,
  })
  doc.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold).font('regular')
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  const missing = new Set<string>()
  write(doc, invoice, parties, number, (text) => withGlyphs(doc, text, missing))
  if (missing.size > 0)
    log.warn(
      { collectionId: invoice.id, characters: [...missing].map((character) => `U+${hex(character)}`) },
      'invoice characters replaced',
    )
  doc.end()
  return done
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

function withGlyphs(doc: Doc, text: string, missing: Set<string>): string {
  const { font } = (doc as unknown as LoadedFont)._font
  return [...text]
    .map((character) => {
      if (/\s/.test(character) || font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return character
      missing.add(character)
      return REPLACEMENT
    })
    .join('')
}

const day = (time: Date): string => time.toISOString().slice(0, 10)

function write(
  doc: Doc,
  invoice: CollectionRow,
  { merchant, customer }: InvoiceParties,
  number: string,
  clean: (text: string) => string,
): void {
  const root = doc.struct('Document')
  doc.addStructure(root)
  let replaced = false
  const known = (text: string) => {
    const result = clean(text)
    replaced ||= result !== text
    return result
  }
  const paragraph = (
    tag: string,
    text: string,
    style: { font?: string; size?: number; color?: string; gap?: number } = {},
  ) => {
    root.add(
      doc.struct(tag, {}, () => {
        doc
          .font(style.font ?? 'regular')
          .fontSize(style.size ?? 10)
          .fillColor(style.color ?? '#000000')
        doc.text(known(text), MARGIN, doc.y, { width: COLUMNS.reduce((sum, width) => sum + width, 0) })
      }),
    )
    doc.y += style.gap ?? 2
  }
  paragraph('P', merchant, { font: 'bold', size: 12, gap: 12 })
  paragraph('H1', `Invoice ${number}`, { font: 'bold', size: 22, gap: 4 })
  paragraph('P', invoice.title, { size: 12, gap: 10 })
  paragraph('P', `Date: ${day(invoice.createdAt)}`)
  if (invoice.dueAt) paragraph('P', `Due: ${day(invoice.dueAt)}`)
  paragraph('P', `Status: ${invoice.status}`)
  if (customer) paragraph('P', `Bill to: ${customer.name}, ${customer.email}`)
  if (invoice.description) paragraph('P', invoice.description, { color: MUTED })
  doc.y += 14
  table(doc, root, linesOf(invoice), known)
  doc.y += 10
  const { currency } = invoice
  const sums: [string, bigint | null | undefined][] = [
    ['Subtotal', invoice.subtotal],
    ['Tax', invoice.tax],
    ['Total', invoice.amount],
  ]
  if (invoice.pricing) paragraph('P', `Total: ${askedText(invoice)}, paid in ${currency}`, { font: 'bold' })
  for (const [name, units] of sums)
    if (units !== null && units !== undefined)
      paragraph('P', `${name}: ${decimal(units, currency)} ${currency}`, {
        font: name === 'Total' ? 'bold' : 'regular',
      })
  doc.y += 14
  if (invoice.status === 'open' || invoice.status === 'overdue') {
    paragraph('P', 'Pay online:', { gap: 0 })
    paragraph('P', invoice.payUrl)
  }
  if (replaced)
    paragraph('P', `${REPLACEMENT} stands for a character that cannot be printed here.`, { size: 8, color: MUTED })
  root.end()
}

type Cells = readonly [string, string, string, string]

function linesOf({ items, title, amount, currency }: CollectionRow): Cells[] {
  const head: Cells = ['Description', 'Quantity', 'Unit price', `Sum (${currency})`]
  if (items.length === 0) {
    const whole = decimal(amount ?? 0n, currency)
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

function table(
  doc: Doc,
  root: PDFKit.PDFStructureElement,
  lines: readonly Cells[],
  known: (text: string) => string,
): void {
  const element = doc.struct('Table')
  root.add(element)
  for (const [index, cells] of lines.entries()) {
    if (doc.y > BOTTOM) doc.addPage()
    doc
      .font(index === 0 ? 'bold' : 'regular')
      .fontSize(9)
      .fillColor('#000000')
    const texts = cells.map(known)
    const top = doc.y
    const heights = texts.map((text, column) => doc.heightOfString(text, { width: (COLUMNS[column] ?? 0) - 8 }))
    const row = doc.struct('TR')
    element.add(row)
    let left = MARGIN
    for (const [column, text] of texts.entries()) {
      const width = COLUMNS[column] ?? 0
      const at = left
      row.add(
        doc.struct(index === 0 ? 'TH' : 'TD', {}, () => {
          doc.text(text, at, top, { width: width - 8, align: column === 0 ? 'left' : 'right' })
        }),
      )
      left += width
    }
    row.end()
    doc.y = top + Math.max(ROW, ...heights.map((height) => height + 6))
  }
  element.end()
}
