import { call } from '../service/client.ts'
import { plainPng } from './images.ts'
import { invoiceBody, payLink, senderOf } from './payments.ts'

/** Where documents are asked for: the service, a key of the test environment, and a session of a user of its organisation. */
export interface DocumentsPlace {
  readonly url: string
  readonly key: string
  readonly session: string
}

/** What is sold, in a script each, and the font of an invoice that has it. */
const SOLD: Readonly<Record<string, string>> = {
  DejaVuSans: 'Consulting, ọ̀nà شاي',
  'NotoSans-Regular': 'चाय ₿',
  NotoEmoji: '🍵',
  NotoSansBengali: 'চা',
  NotoSansEthiopic: 'ሻይ',
  NotoSansGujarati: 'ચા',
  NotoSansGurmukhi: 'ਚਾਹ',
  NotoSansHans: '绿茶 发票',
  NotoSansJP: 'お茶',
  NotoSansKR: '차',
  NotoSansKannada: 'ಚಹಾ',
  NotoSansKhmer: 'តែ',
  NotoSansMalayalam: 'ചായ',
  NotoSansMyanmar: 'လက်ဖက်ရည်',
  NotoSansOriya: 'ଚା',
  NotoSansSinhala: 'තේ',
  NotoSansTamil: 'தேநீர்',
  NotoSansTelugu: 'తేనీరు శ్రీ',
  NotoSansThaana: 'ސައި',
  NotoSansThai: 'น้ำชา',
}

/** A document that a service makes. */
export interface MadeDocument {
  readonly name: string
  readonly status: number
  /** What the file begins with: `%PDF-`, `<?xml`. */
  readonly beginning: string
  /** The fonts in it. */
  readonly fonts: readonly string[]
}

/**
 * Uploads a logo, pays an invoice in the sandbox, sends it to its customer, and asks for each document of it, in each format.
 * @throws Error for a refused request that is none for a document, and where the payment does not arrive
 */
export async function everyDocument(
  { url, key, session }: DocumentsPlace,
  customerEmail: string,
): Promise<readonly MadeDocument[]> {
  const send = senderOf({ url }, key)
  const items = Object.values(SOLD).map((description) => ({
    description,
    quantity: 1,
    unitAmount: '1.25',
    taxPercent: 7.5,
  }))
  const body = { ...(await invoiceBody(send, customerEmail)), items }
  const { customerId } = body
  await send('PUT /v1/branding/logo', { image: plainPng(64).toString('base64') })
  const invoice = await send('POST /v1/collections', body)
  await send(`POST /v1/collections/${invoice.id}/send`)
  const paid = await payLink(send, invoice.id, { payerEmail: customerEmail })
  const now = new Date().toISOString()
  const [month, day] = [now.slice(0, 7), now.slice(0, 10)]
  const documents: readonly (readonly [line: string, body?: object])[] = [
    [`GET /v1/collections/${invoice.id}/invoice.pdf`],
    [`GET /v1/collections/${invoice.id}/invoice.xml`],
    ['POST /v1/collections/preview', { ...body, format: 'pdf' }],
    ['POST /v1/collections/preview', { ...body, format: 'html' }],
    [`GET /v1/collections/sessions/${paid}/receipt.pdf`],
    [`GET /pay/${paid}/receipt.pdf`],
    [`GET /pay/${paid}/receipt.pdf?lang=zh`],
    ...['csv', 'pdf'].flatMap((format) => [
      [`GET /v1/reports/statement/export?month=${month}&asset=USDC&format=${format}`] as const,
      [`GET /v1/customers/${customerId}/payments/export?from=${day}&to=${day}&format=${format}`] as const,
    ]),
  ]
  const made: MadeDocument[] = []
  for (const [line, given] of documents) {
    const { status, text } = await call({ url }, line, { token: session, ...(given ? { body: given } : {}) })
    made.push({
      name: line.replace(/[\da-f]{8}-[\da-f-]{27}/g, '{id}'),
      status,
      beginning: text.slice(0, 5),
      fonts: fontsIn(text),
    })
  }
  return made
}

/** The names of the fonts in a PDF. */
const fontsIn = (text: string): string[] => [...text.matchAll(/\/FontName \/\w+\+(\S+)/g)].map(([, name = '']) => name)

/** What is wrong with documents: each must be there, be what its name says, and draw the scripts that are in it. */
export const documentProblems = (made: readonly MadeDocument[]): string[] =>
  made.flatMap(({ name, status, beginning, fonts }) => {
    const isRight = /pdf/.test(name)
      ? beginning === '%PDF-'
      : /xml/.test(name)
        ? beginning === '<?xml'
        : beginning !== ''
    const missing = /invoice\.pdf/.test(name)
      ? Object.keys(SOLD).filter((font) => !fonts.some((each) => each.startsWith(font)))
      : []
    return status === 200 && (isRight || name.includes('preview')) && missing.length === 0
      ? []
      : [`${name}: ${status} ${beginning} ${missing.join(' ')}`.trimEnd()]
  })
