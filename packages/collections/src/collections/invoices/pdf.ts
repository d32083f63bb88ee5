import { dayIn } from '@payments/kernel'
import { amountIn } from '@payments/pay-page'
import { type Cells, type PdfPage, type PdfRequest, pdf } from '@payments/pdf'
import type { Log } from '@payments/platform'
import type { CollectionRow } from '../../entity.ts'
import { isPayable } from '../../payer/payer.ts'
import { askedText, decimal, invoiceNumberText, moneyText, NUMBER_TO_COME } from '../../present.ts'
import { type Discount, itemOf, type TaxCategory } from '../../terms/fields.ts'
import { taxesOf } from '../../terms/items.ts'
import { inCents, toCents } from '../../terms/prices.ts'
import type { Seller } from '../../terms/rows.ts'
import { FACTUR_X_FILE, structuredData, TEST_NOTE } from './facturx.ts'
import { facturXMetadata } from './facturx-metadata.ts'
import type { WrittenInvoice } from './parties.ts'

/** Widths of the four columns: description, quantity, price, sum. */
const COLUMNS = [220, 64, 98, 101] as const

/**
 * An invoice as a PDF, with its structured data where it has all of them. A character that the font does not have is replaced by a box and named in the log.
 * @throws busy 503 when too many documents are being made
 */
export async function invoicePdf(written: WrittenInvoice, log: Log, signal?: PdfRequest['signal']): Promise<Buffer> {
  const { invoice, parties } = written
  const number = invoiceNumberText(invoice.invoiceNumber) ?? NUMBER_TO_COME
  const info = { title: `Invoice ${number}`, author: parties.merchant, createdAt: invoice.createdAt }
  const data = structuredData(written)
  const attachment =
    'xml' in data
      ? {
          name: FACTUR_X_FILE,
          type: 'text/xml',
          description: 'The invoice as structured data (Factur-X, EN 16931)',
          relationship: 'Alternative' as const,
          content: data.xml,
          metadata: facturXMetadata,
        }
      : undefined
  const { file, replaced } = await pdf({ ...info, attachment }, (page) => write(page, written, number), {
    owner: invoice.organisationId,
    signal,
  })
  if (replaced.length > 0)
    log.warn(
      { collectionId: invoice.id, characters: replaced.map((character) => `U+${hex(character)}`) },
      'invoice characters replaced',
    )
  return Buffer.from(file)
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

function write(page: PdfPage, { invoice, parties, logo }: WrittenInvoice, number: string): void {
  const { merchant, seller, customer } = parties
  if (logo) page.logo(logo, merchant)
  page.text(merchant, { bold: true, size: 12 })
  for (const each of [seller.legalName === merchant ? null : seller.legalName, ...placeOf(seller)])
    if (each) page.text(each)
  page.space(10)
  if (invoice.environment === 'test') page.text(TEST_NOTE, { bold: true, gap: 4 })
  page.text(`Invoice ${number}`, { tag: 'H1', bold: true, size: 22, gap: 4 })
  if (number === NUMBER_TO_COME)
    page.text('Preview, not an invoice: it gets its number and its address when it is created.', {
      bold: true,
      gap: 10,
    })
  page.text(invoice.title, { size: 12, gap: 10 })
  page.text(`Date: ${dayIn(invoice.timeZone, invoice.createdAt)}`)
  if (invoice.dueAt) page.text(`Due: ${dayIn(invoice.timeZone, invoice.dueAt)}`)
  page.text(`Status: ${invoice.status}`)
  if (customer) page.text(`Bill to: ${customer.name}, ${customer.email}`)
  for (const each of customer ? placeOf(customer) : []) if (each) page.text(each)
  if (invoice.description) page.text(invoice.description, { muted: true })
  page.space(14)
  page.table(linesOf(invoice), COLUMNS)
  page.space(10)
  const { pricing, discount, currency } = invoice
  if (pricing) {
    if (pricing.subtotal !== undefined) page.text(`Subtotal: ${moneyText(pricing.subtotal, pricing.currency)}`)
    if (discount) page.text(discountText(discount, pricing.currency))
    for (const each of taxLines(invoice, pricing.currency)) page.text(each)
    page.text(totalOf(invoice), { bold: true })
  } else
    for (const [name, units] of [
      ['Subtotal', invoice.subtotal],
      ['Tax', invoice.tax],
      ['Total', invoice.amount],
    ] as const)
      if (units !== null && units !== undefined) {
        page.text(`${name}: ${moneyText(decimal(units, currency), currency)}`, { bold: name === 'Total' })
        if (name === 'Subtotal' && discount) page.text(discountText(discount, currency))
      }
  page.space(14)
  // A preview has no address yet, and a code that leads to a page that takes nothing is none.
  if (number !== NUMBER_TO_COME && isPayable(invoice))
    page.code(invoice.payUrl, 'QR code with the address of the page to pay', ['Pay online:', invoice.payUrl])
}

/** What is taken off, and why. */
const discountText = ({ percent, amount, description }: Discount, currency: string): string =>
  `${description ?? 'Discount'}${percent === null ? '' : ` (${percent} %)`}: −${moneyText(amount, currency)}`

/** What a price comes to. Only what has been paid was paid in anything. */
function totalOf(invoice: CollectionRow): string {
  const asked = askedText(invoice)
  if (invoice.status === 'paid') return `Total: ${asked}, paid in ${invoice.currency}`
  return invoice.status === 'void' ? `Total: ${asked}` : `Amount due: ${asked}, payable in ${invoice.currency}`
}

/** Where a party is, and its tax number. */
const placeOf = ({ address, country, taxId }: Pick<Seller, 'address' | 'country' | 'taxId'>): (string | null)[] => [
  [address, country].filter(Boolean).join(', '),
  taxId && `Tax number: ${taxId}`,
]

/** What a category without tax is called. */
const UNTAXED: Readonly<Record<Exclude<TaxCategory, 'standard'>, string>> = {
  zero_rated: 'Tax 0 %',
  exempt: 'Exempt from tax',
  reverse_charge: 'Reverse charge',
  outside_scope: 'Not subject to tax',
}

/** A line for each category and rate of the tax, with what it is on. */
function taxLines({ items }: CollectionRow, currency: string): string[] {
  return taxesOf(items.map(itemOf)).map(({ category, percent, base, tax, reasons }) => {
    const name = category === null || category === 'standard' ? `Tax ${percent} %` : UNTAXED[category]
    const why = reasons.length > 0 ? ` (${reasons.join('; ')})` : ''
    return `${name}${why}: ${moneyText(inCents(tax), currency)} on ${moneyText(inCents(base), currency)}`
  })
}

function linesOf(invoice: CollectionRow): Cells[] {
  const { items, title, amount, pricing } = invoice
  const shown = (text: string) => amountIn('en', pricing ? inCents(toCents(text)) : text)
  const currency = pricing?.currency ?? invoice.currency
  const head: Cells = ['Description', 'Quantity', 'Unit price', `Sum (${currency})`]
  if (items.length === 0) {
    const whole = amountIn('en', pricing?.amount ?? decimal(amount ?? 0n, currency))
    return [head, [title, '1', whole, whole]]
  }
  return [
    head,
    ...items
      .map(itemOf)
      .map(
        ({ description, quantityDecimal, unitAmount, taxPercent, subtotal }): Cells => [
          taxPercent > 0 ? `${description} (tax ${taxPercent} %)` : description,
          amountIn('en', quantityDecimal),
          shown(unitAmount),
          shown(subtotal),
        ],
      ),
  ]
}
