import { designedEmail, plainName, sendEmail } from '@payments/accounts'
import { brandOf } from '@payments/branding'
import { errors as commonErrors } from '@payments/kernel'
import { accentOf, dateIn } from '@payments/pay-page'
import type { QueryContext, UnitOfWork } from '@payments/platform'
import { countInvoiceEmail, subjectIn, validUntil } from '../../emails/emails.ts'
import type { CollectionRow } from '../../entity.ts'
import { errors } from '../../errors.ts'
import { askedText, invoiceNumberText } from '../../present.ts'
import { lockedCollection, updateCollection } from '../changes.ts'
import { find } from '../service.ts'
import { structuredData } from './facturx.ts'
import { recipientOf, writtenInvoice } from './parties.ts'
import { invoicePdf } from './pdf.ts'

/** The next email about an invoice may follow after this. */
const PAUSE_SECONDS = 60

/** @throws invoice_not_found 404 for a collection that is no invoice */
async function findInvoice(context: QueryContext, id: string): Promise<CollectionRow> {
  const row = await find(context, id)
  if (row.type !== 'invoice') throw errors.invoice_not_found()
  return row
}

/** The document of an invoice. @throws collection_not_found 404, invoice_not_found 404, busy 503 when too many documents are being made */
export async function invoiceDocument(context: QueryContext, id: string, signal?: AbortSignal): Promise<Buffer> {
  const invoice = await findInvoice(context, id)
  return invoicePdf(await writtenInvoice(context, invoice), context.log, signal)
}

/**
 * Makes the document that {@link send} attaches, before its transaction: there it is the same one, which is not made again.
 * @throws collection_not_found 404, invoice_not_found 404, busy 503 when too many documents are being made
 */
export async function prepareDocument(context: QueryContext, id: string): Promise<void> {
  const { status } = await findInvoice(context, id)
  if (status === 'open' || status === 'overdue') await invoiceDocument(context, id)
}

/** Makes the document that {@link remind} attaches once the invoice is overdue, before that transaction; none for one that was never sent. */
export async function prepareReminder(context: QueryContext, id: string): Promise<void> {
  const invoice = await findInvoice(context, id)
  if (invoice.sentAt) await invoicePdf(await writtenInvoice(context, { ...invoice, status: 'overdue' }), context.log)
}

/**
 * An invoice as structured data, as its PDF holds it.
 * @throws collection_not_found 404, invoice_not_found 404, validation_failed 422 with what it lacks
 */
export async function invoiceXml(context: QueryContext, id: string): Promise<string> {
  const invoice = await findInvoice(context, id)
  const data = structuredData(await writtenInvoice(context, invoice))
  if ('missing' in data) throw commonErrors.validation_failed({ fields: { ...data.missing } })
  return data.xml
}

/**
 * Emails an open invoice with its document to its customer; from the second time on as a reminder.
 * @throws collection_not_found 404, invoice_not_found 404, collection_closed 409, customer_missing 409, sent_recently 429
 */
export async function send(unit: UnitOfWork, id: string): Promise<CollectionRow> {
  await findInvoice(unit, id)
  const invoice = await lockedCollection(unit, id)
  if (invoice.status !== 'open' && invoice.status !== 'overdue') throw errors.collection_closed()
  const wait = invoice.sentAt ? PAUSE_SECONDS - (Date.now() - invoice.sentAt.getTime()) / 1000 : 0
  if (wait > 0) throw errors.sent_recently({ retryAfter: Math.ceil(wait) })
  const to = await recipientOf(unit, invoice)
  if (to === undefined) throw errors.customer_missing()
  const retryAfter = await countInvoiceEmail(unit)
  if (retryAfter !== undefined) throw errors.sent_recently({ retryAfter })
  await emailInvoice(unit, invoice, to)
  return updateCollection(unit, invoice, { sentAt: new Date() })
}

/** Reminds the customer of an invoice that has become overdue, if it was sent by email before and the organisation may send more today. */
export async function remind(unit: UnitOfWork, invoice: CollectionRow): Promise<void> {
  if (!invoice.sentAt || (await countInvoiceEmail(unit)) !== undefined) return
  const to = await recipientOf(unit, invoice)
  if (to !== undefined) await emailInvoice(unit, invoice, to)
}

async function emailInvoice(unit: UnitOfWork, invoice: CollectionRow, to: string): Promise<void> {
  const written = await writtenInvoice(unit, invoice)
  const number = invoiceNumberText(invoice.invoiceNumber) ?? ''
  const merchant = plainName(written.parties.merchant)
  const brand = await brandOf(unit, invoice, invoice.branding)
  const due = invoice.dueAt ? dateIn('en', invoice.dueAt.toISOString(), invoice.timeZone) : undefined
  const subject = `${invoice.sentAt ? 'Reminder: invoice' : 'Invoice'} ${number} from ${merchant}`
  const pdf = await invoicePdf(written, unit.log)
  await sendEmail(unit, {
    ...designedEmail({
      ...{ to, subject: subjectIn(invoice.environment, subject), lang: 'en' },
      brand: plainName(brand?.displayName ?? written.parties.merchant),
      accent: accentOf(brand?.accentColor),
      replyTo: brand?.supportEmail ?? undefined,
      heading: `Amount due: ${askedText(invoice)}${invoice.pricing ? `, payable in ${invoice.currency}` : ''}`,
      paragraphs: [
        `${invoice.sentAt ? 'This is a reminder of' : 'You have received'} invoice ${number} from ${merchant}. It is attached.`,
      ],
      facts: [
        ['Invoice', number],
        ['Description', plainName(invoice.title)],
        ...(due ? ([['Due', due]] as const) : []),
      ],
      button: { text: 'View and pay', url: invoice.payUrl },
      footer: `Questions about the invoice? Ask ${merchant}, and name its number.`,
    }),
    attachments: [{ filename: `${number}.pdf`, contentType: 'application/pdf', base64: pdf.toString('base64') }],
    deliver: true,
    until: validUntil(),
  })
}
