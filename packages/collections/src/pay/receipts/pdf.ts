import {
  fiatIn,
  fillPlain,
  type Locale,
  moneyIn,
  moneyOf,
  sentIn,
  stateOf,
  type Texts,
  texts,
  timeIn,
  type Wording,
} from '@payments/pay-page'
import { DIRECTION_MARKS, type PdfPage, type PdfRequest, pdf } from '@payments/pdf'
import type { Log } from '@payments/platform'
import { moneyData, type PayTarget } from '../../payer/payer.ts'
import { networksOf } from '../../payer/reading.ts'
import { invoiceNumberText } from '../../present.ts'

/** What a receipt is written from. */
export interface Receipt extends PayTarget {
  readonly session: NonNullable<PayTarget['session']>
  readonly logo: Uint8Array | undefined
  /** Address of the page, which says what is true later. */
  readonly url: string
  readonly now: Date
  /** Since then it says the same. */
  readonly asOf: Date
}

/** A value that keeps its own direction in a sentence of the other (UAX 9: isolates), as `bdi` does on the page. */
const isolated = (value: string): string => `\u2068${value.replace(DIRECTION_MARKS, '')}\u2069`

/**
 * The receipt of a session as a PDF, in a language. What it says about money is in the table of the pay page: see {@link moneyOf}.
 * @throws busy 503 when too many documents are being made
 */
export async function receiptPdf(
  receipt: Receipt,
  locale: Locale,
  { log, signal }: { readonly log: Log; readonly signal: PdfRequest['signal'] },
): Promise<Buffer> {
  const { session, merchant, asOf } = receipt
  const label = texts[locale]
  const { file, replaced } = await pdf(
    {
      title: `${headingOf(receipt, label)} ${session.id}`,
      author: merchant.name,
      createdAt: asOf,
      lang: locale,
      replacedText: label.boxNote,
    },
    (page) => write(page, receipt, locale),
    { owner: session.organisationId, signal },
  )
  if (replaced.length > 0) log.warn({ sessionId: session.id, characters: replaced }, 'receipt characters replaced')
  return Buffer.from(file)
}

const headingOf = ({ session }: Receipt, label: Texts): string => (session.paidAt ? label.receipt : label.payments)

function write(page: PdfPage, receipt: Receipt, locale: Locale): void {
  const { session, merchant, brand, logo, now, asOf } = receipt
  const { timeZone } = receipt.collection
  const label = texts[locale]
  const wording: Wording = { locale, networks: networksOf(session), texts: label, timeZone }
  const data = moneyData(receipt, now)
  const said = moneyOf(data, wording)
  const values = Object.fromEntries(Object.entries(said.values).map(([name, value]) => [name, isolated(value)]))
  const say = (name: keyof Texts, more: Readonly<Record<string, string>> = {}) =>
    fillPlain(label[name], { ...values, ...more })
  const time = (at: string) => isolated(timeIn(locale, at, timeZone))

  if (logo) page.logo(logo, merchant.name)
  page.text(isolated(merchant.name), { bold: true, size: 12 })
  const { legalName, address, country, taxId } = brand
  if (legalName !== null && legalName !== merchant.name) page.text(isolated(legalName))
  const place = [address, country].filter(Boolean).join(', ')
  for (const line of place.split(/[\r\n]+/).filter(Boolean)) page.text(isolated(line))
  if (taxId !== null) page.text(`${label.taxNumber}: ${isolated(taxId)}`)
  page.space(10)
  if (session.environment === 'test') page.text(label.sandbox, { bold: true, gap: 4 })
  page.text(headingOf(receipt, label), { tag: 'H1', bold: true, size: 22, gap: 4 })
  page.text(isolated(session.title), { size: 12, gap: 10 })
  page.text(say(said.heading), { tag: 'H2', bold: true, size: 12, gap: 4 })
  for (const each of said.texts) page.text(say(each))
  page.space(12)
  const number = invoiceNumberText(session.invoiceNumber)
  const { pricing } = data.session
  page.facts([
    [label.reference, session.id],
    ...(number ? [[label.purpose, say('invoice', { number: isolated(number) })] as const] : []),
    [label.amount, moneyIn(locale, data.session.amount, session.currency)],
    ...(pricing ? [[label.price, fiatIn(locale, pricing.amount, pricing.currency)] as const] : []),
    ...(session.paidAt ? [[label.paidAt, time(session.paidAt.toISOString())] as const] : []),
  ])
  page.space(8)
  page.text(label.payments, { tag: 'H2', bold: true, size: 12, gap: 6 })
  for (const payment of data.session.payments) {
    const { networkKey, status, settled, refundTo } = payment
    const network = networkKey === null ? undefined : (wording.networks[networkKey]?.name ?? networkKey)
    const isBack = status === 'refunded' && (refundTo?.owner !== 'service' || settled)
    page.facts([
      [label.amount, `${isolated(sentIn(wording, payment))} · ${stateOf(data.session, payment, label)}`],
      network === undefined ? [label.methodLabel, label.methodTransfer] : [label.networkLabel, network],
      ...(payment.txHash ? [[label.transaction, payment.txHash] as const] : []),
      [label.receivedOn, time(payment.receivedAt)],
      ...(payment.returnedAmount === '0'
        ? []
        : [[label.sentBack, moneyIn(locale, payment.returnedAmount, payment.currency)] as const]),
      ...(isBack && refundTo ? [[label.sentBackTo, refundTo.address] as const] : []),
    ])
    page.space(6)
  }
  page.text(say('emailHelp'))
  const { supportEmail, supportUrl } = brand
  for (const each of [supportEmail, supportUrl]) if (each) page.text(`${label.support}: ${isolated(each)}`)
  page.text(say('asOf', { time: time(asOf.toISOString()) }), { muted: true })
  page.text(isolated(receipt.url), { muted: true })
}
