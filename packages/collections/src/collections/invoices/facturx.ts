import { dayIn } from '@payments/kernel'
import type { CollectionRow } from '../../entity.ts'
import { invoiceNumberText } from '../../present.ts'
import { type Item, itemOf, type TaxCategory } from '../../terms/fields.ts'
import { type Tax, taxesOf } from '../../terms/items.ts'
import { inCents, type Price, toCents } from '../../terms/prices.ts'
import type { Customer, Seller } from '../../terms/rows.ts'
import type { WrittenInvoice } from './parties.ts'
import { type Content, element } from './xml.ts'

// An invoice as EN 16931 models it, in the syntax CII (UN/CEFACT D16B): the file of Factur-X and ZUGFeRD, profile EN 16931.
// BT, BG and BR numbers are those of the norm.

/** Name that Factur-X gives the file in a PDF. */
export const FACTUR_X_FILE = 'factur-x.xml'

/** UNTDID 5305, which the norm takes for BT-118 and BT-151. */
const CODES: Readonly<Record<TaxCategory, string>> = {
  standard: 'S',
  zero_rated: 'Z',
  exempt: 'E',
  reverse_charge: 'AE',
  outside_scope: 'O',
}
/** Why there is no tax (BT-120), where the category says it. */
const REASONS: Partial<Record<TaxCategory, string>> = {
  reverse_charge: 'Reverse charge',
  outside_scope: 'Not subject to tax',
}

/** An invoice as structured data, or what it lacks, by the names of the fields. */
export type StructuredData = { readonly xml: string } | { readonly missing: Readonly<Record<string, string>> }

/** An invoice that has everything. */
interface Complete {
  readonly number: string
  readonly price: Price & { readonly subtotal: string; readonly tax: string }
  readonly items: readonly (Item & { readonly taxCategory: TaxCategory })[]
  readonly seller: Seller & { readonly legalName: string; readonly country: string; readonly taxId: string }
  readonly customer: Customer & { readonly country: string }
}

/** An invoice as an XML document of EN 16931, with the sums of the page and the PDF; where it lacks something, what that is. */
export function structuredData({ invoice, parties }: Pick<WrittenInvoice, 'invoice' | 'parties'>): StructuredData {
  const missing = missingOf(invoice, parties)
  if (Object.keys(missing).length > 0) return { missing }
  const complete = {
    number: invoiceNumberText(invoice.invoiceNumber),
    price: invoice.pricing,
    items: invoice.items.map(itemOf),
    seller: parties.seller,
    customer: parties.customer,
  } as Complete
  return { xml: document(invoice, complete) }
}

function missingOf(invoice: CollectionRow, { seller, customer }: WrittenInvoice['parties']): Record<string, string> {
  const { items } = invoice
  const missing: Record<string, string> = {}
  if (!invoice.invoiceNumber) missing.number = 'A preview has none'
  if (invoice.status === 'void') missing.status = 'A void invoice asks for nothing'
  if (!invoice.pricing) missing.pricing = 'Required: a stablecoin is no currency of ISO 4217 (BR-05)'
  if (items.length === 0) missing.items = 'Required: an invoice has lines (BR-16)'
  for (const [index, { taxCategory, taxExemptionReason }] of items.entries()) {
    if (!taxCategory) missing[`items.${index}.taxCategory`] = 'Required where taxPercent is 0 (BR-CO-04)'
    if (taxCategory === 'exempt' && !taxExemptionReason)
      missing[`items.${index}.taxExemptionReason`] = 'Required for "exempt" (BR-E-10)'
  }
  const outside = items.filter(({ taxCategory }) => taxCategory === 'outside_scope').length
  if (outside > 0 && outside < items.length)
    missing.items = 'Lines with "outside_scope" need an invoice of their own (BR-O-11)'
  if (!seller.legalName) missing['branding.legalName'] = 'Required (BR-06)'
  if (!seller.country) missing['branding.country'] = 'Required (BR-09)'
  if (!seller.taxId) missing['branding.taxId'] = 'Required (BR-CO-26)'
  if (!customer) missing.customerId = 'Required: an invoice has a buyer (BR-07)'
  else if (!customer.country) missing['customer.country'] = 'Required (BR-11)'
  if (customer && items.some(({ taxCategory }) => taxCategory === 'reverse_charge') && !vatNumber(customer))
    missing['customer.taxId'] = 'Must be a VAT number that begins with its country, for "reverse_charge" (BR-AE-02)'
  return missing
}

/** The tax number of a party if it is a VAT number: one that begins with the letters of its country (BR-CO-09; Greece writes EL). */
function vatNumber({ taxId, country }: Pick<Customer, 'taxId' | 'country'>): string | null {
  const number = taxId?.replace(/[\s.-]/g, '').toUpperCase() ?? ''
  const prefix = country === 'GR' ? 'EL' : country
  return prefix && number.startsWith(prefix) && /^[A-Z]{2}[A-Z0-9]*\d[A-Z0-9]*$/.test(number) ? number : null
}

const money = (text: string): string => inCents(toCents(text))

const ram = (name: string, content: Content, attributes?: Readonly<Record<string, string>>): string =>
  element(`ram:${name}`, content, attributes)
/** A day of the invoice's time zone in the format 102 of UNTDID 2379. */
const day = (name: string, { timeZone }: Pick<CollectionRow, 'timeZone'>, time: Date): string =>
  ram(name, [element('udt:DateTimeString', dayIn(timeZone, time).replaceAll('-', ''), { format: '102' })])

const NAMESPACES = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
}

function document(invoice: CollectionRow, complete: Complete): string {
  const { number, items, seller, customer } = complete
  const isTaxable = items.every(({ taxCategory }) => taxCategory !== 'outside_scope')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(
    'rsm:CrossIndustryInvoice',
    [
      element('rsm:ExchangedDocumentContext', [
        ram('GuidelineSpecifiedDocumentContextParameter', [ram('ID', 'urn:cen.eu:en16931:2017')]),
      ]),
      element('rsm:ExchangedDocument', [
        ram('ID', number),
        ram('TypeCode', '380'),
        day('IssueDateTime', invoice, invoice.createdAt),
        invoice.environment === 'test' && ram('IncludedNote', [ram('Content', TEST_NOTE)]),
        ram('IncludedNote', [ram('Content', invoice.title)]),
        invoice.description ? ram('IncludedNote', [ram('Content', invoice.description)]) : null,
      ]),
      element('rsm:SupplyChainTradeTransaction', [
        ...items.map(line),
        ram('ApplicableHeaderTradeAgreement', [
          party('SellerTradeParty', { ...seller, name: seller.legalName }, isTaxable),
          party('BuyerTradeParty', customer, isTaxable),
        ]),
        ram('ApplicableHeaderTradeDelivery', []),
        settlement(invoice, complete),
      ]),
    ],
    NAMESPACES,
  )}\n`
}

/** The document and the data of an invoice of the test environment say so. */
export const TEST_NOTE = 'Test: not a real invoice, nothing is owed'

function line(item: Complete['items'][number], index: number): string {
  const { description, quantityDecimal, unitAmount, subtotal } = item
  return ram('IncludedSupplyChainTradeLineItem', [
    ram('AssociatedDocumentLineDocument', [ram('LineID', String(index + 1))]),
    ram('SpecifiedTradeProduct', [ram('Name', description)]),
    ram('SpecifiedLineTradeAgreement', [ram('NetPriceProductTradePrice', [ram('ChargeAmount', money(unitAmount))])]),
    // Quantities have no unit: C62 is "one" (UN/ECE Recommendation 20).
    ram('SpecifiedLineTradeDelivery', [ram('BilledQuantity', quantityDecimal, { unitCode: 'C62' })]),
    ram('SpecifiedLineTradeSettlement', [
      ram('ApplicableTradeTax', [ram('TypeCode', 'VAT'), ...rate(item.taxCategory, item.taxPercent)]),
      ram('SpecifiedTradeSettlementLineMonetarySummation', [ram('LineTotalAmount', money(subtotal))]),
    ]),
  ])
}

/** Category and rate. What is outside of the tax has no rate (BR-O-05). */
const rate = (category: TaxCategory, percent: number): (string | null)[] => [
  ram('CategoryCode', CODES[category]),
  category === 'outside_scope' ? null : ram('RateApplicablePercent', String(percent)),
]

/** A party with its tax number: as VAT number, or else as the number by which it is known, which for a seller is that of its registration too. */
function party(
  name: 'SellerTradeParty' | 'BuyerTradeParty',
  { country, taxId, ...shown }: Pick<Customer, 'name' | 'address' | 'taxId'> & { readonly country: string },
  isTaxable: boolean,
): string {
  // An invoice that is not subject to the tax must have no VAT number (BR-O-02).
  const vat = isTaxable ? vatNumber({ taxId, country }) : null
  const lines = shown.address?.split(/\s*[\r\n]+\s*/).filter(Boolean) ?? []
  const [first, second, ...rest] = lines
  const isRegistered = name === 'SellerTradeParty' && isTaxable
  return ram(name, [
    taxId && !vat ? ram('ID', taxId) : null,
    ram('Name', shown.name),
    ram('PostalTradeAddress', [
      first ? ram('LineOne', first) : null,
      second ? ram('LineTwo', second) : null,
      rest.length > 0 && ram('LineThree', rest.join(', ')),
      ram('CountryID', country),
    ]),
    taxId && (vat || isRegistered)
      ? ram('SpecifiedTaxRegistration', [ram('ID', vat ?? taxId, { schemeID: vat ? 'VA' : 'FC' })])
      : null,
  ])
}

/** UNTDID 5189: a discount. */
const DISCOUNT_CODE = '95'

/** The discount of a category and rate (BG-20): each has its own, because each has its own tax (BR-S-08). */
function allowance({ discount }: CollectionRow, { category, percent, lines, ...tax }: Tax<TaxCategory>): string | null {
  if (!discount || tax.discount === 0n) return null
  return ram('SpecifiedTradeAllowanceCharge', [
    ram('ChargeIndicator', [element('udt:Indicator', 'false')]),
    ...(discount.percent === null
      ? []
      : [ram('CalculationPercent', String(discount.percent)), ram('BasisAmount', inCents(lines))]),
    ram('ActualAmount', inCents(tax.discount)),
    ram('ReasonCode', DISCOUNT_CODE),
    ram('Reason', discount.description ?? 'Discount'),
    ram('CategoryTradeTax', [ram('TypeCode', 'VAT'), ...rate(category, percent)]),
  ])
}

function settlement(invoice: CollectionRow, { price, items }: Complete): string {
  const total = price.amount
  const taxes = taxesOf(items)
  const discount = invoice.discount ? toCents(invoice.discount.amount) : 0n
  const isPaid = invoice.status === 'paid'
  return ram('ApplicableHeaderTradeSettlement', [
    ram('InvoiceCurrencyCode', price.currency),
    ...taxes.map(({ category, percent, base, tax, reasons }) => {
      const reason = REASONS[category] ?? reasons.join('; ')
      return ram('ApplicableTradeTax', [
        ram('CalculatedAmount', inCents(tax)),
        ram('TypeCode', 'VAT'),
        reason !== '' && ram('ExemptionReason', reason),
        ram('BasisAmount', inCents(base)),
        ...rate(category, percent),
      ])
    }),
    ...taxes.map((tax) => allowance(invoice, tax)),
    ram('SpecifiedTradePaymentTerms', [
      ram('Description', `Pay online in ${invoice.currency}: ${invoice.payUrl}`),
      invoice.dueAt ? day('DueDateDateTime', invoice, invoice.dueAt) : null,
    ]),
    ram('SpecifiedTradeSettlementHeaderMonetarySummation', [
      ram('LineTotalAmount', price.subtotal),
      discount > 0n && ram('AllowanceTotalAmount', inCents(discount)),
      ram('TaxBasisTotalAmount', inCents(toCents(price.subtotal) - discount)),
      ram('TaxTotalAmount', price.tax, { currencyID: price.currency }),
      ram('GrandTotalAmount', total),
      isPaid && ram('TotalPrepaidAmount', total),
      ram('DuePayableAmount', isPaid ? '0.00' : total),
    ]),
  ])
}
