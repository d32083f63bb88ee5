import { extractText, getDocumentProxy } from 'unpdf'
import { expect } from 'vitest'
import { newCollection, newMerchant, type TestService } from '#testing'

export const SELLER = {
  legalName: 'Ada & Söhne GmbH',
  address: 'Am Markt 1\n10115 Berlin',
  country: 'DE',
  taxId: 'DE 123456789',
}
export const BUYER = {
  name: 'Obi <Works> Ltd',
  email: 'obi@example.com',
  address: '5 Broad Street\nLagos',
  country: 'NG',
}
export const ITEMS = [
  { description: 'Day', quantity: 3, unitAmount: '400.50', taxPercent: 19 },
  { description: 'Book "One" & more', quantity: 1, unitAmount: '9.99', taxPercent: 7 },
  { description: 'Book two', quantity: 7, unitAmount: '0.07', taxPercent: 7 },
  {
    description: 'Stamp',
    quantity: 2,
    unitAmount: '1.05',
    taxCategory: 'exempt',
    taxExemptionReason: 'Postal service',
  },
  { description: 'Sample', quantity: 1, unitAmount: '5', taxCategory: 'zero_rated' },
]

export interface Given {
  readonly seller?: object
  readonly buyer?: object
  readonly invoice?: Record<string, unknown>
}

type Issued = Awaited<ReturnType<typeof issued>>

/** An invoice with items in euros, from and for parties that have everything. */
export async function issued(service: TestService, { seller, buyer, invoice }: Given = {}) {
  const merchant = await newMerchant(service)
  await merchant.call('PATCH /v1/branding', { body: { ...SELLER, ...seller } })
  const customer = (await merchant.call('POST /v1/customers', { body: { ...BUYER, ...buyer } })).body.data
  const made = await newCollection(merchant, {
    type: 'invoice',
    amount: undefined,
    pricing: { currency: 'EUR' },
    customerId: customer.id,
    dueAt: '2036-01-31T00:00:00Z',
    items: ITEMS,
    ...invoice,
  })
  return { service, merchant, invoice: made }
}

export async function fileOf({ service, merchant, invoice }: Issued, type: 'pdf' | 'xml') {
  const reply = await fetch(`${service.url}/v1/collections/${invoice.id}/invoice.${type}`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  })
  return { reply, bytes: Buffer.from(await reply.arrayBuffer()) }
}

export async function xmlOf(made: Issued): Promise<string> {
  const { reply, bytes } = await fileOf(made, 'xml')
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
  return bytes.toString()
}

/** Texts of the elements of this name, in order. */
export const texts = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>([^<]*)</ram:${name}>`, 'g'))].map(([, text = '']) => text)

/** What the PDF of an invoice says. */
export async function pdfText(made: Issued): Promise<string> {
  const { bytes } = await fileOf(made, 'pdf')
  return (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })).text
}
