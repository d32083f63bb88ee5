import { call } from '../service/client.ts'
import { plainPng } from './images.ts'
import { invoiceBody, payLink, senderOf } from './payments.ts'

/** Where documents are asked for: the service, a key of the test environment, and a session of a user of its organisation. */
export interface DocumentsPlace {
  readonly url: string
  readonly key: string
  readonly session: string
}

/** A document that a service makes. */
export interface MadeDocument {
  readonly name: string
  readonly status: number
  /** What the file begins with: `%PDF-`, `<?xml`. */
  readonly beginning: string
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
  const body = await invoiceBody(send, customerEmail)
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
    made.push({ name: line.replace(/[\da-f]{8}-[\da-f-]{27}/g, '{id}'), status, beginning: text.slice(0, 5) })
  }
  return made
}

/** What is wrong with documents: each must be there, and be what its name says. */
export const documentProblems = (made: readonly MadeDocument[]): string[] =>
  made.flatMap(({ name, status, beginning }) => {
    const isRight = /pdf/.test(name)
      ? beginning === '%PDF-'
      : /xml/.test(name)
        ? beginning === '<?xml'
        : beginning !== ''
    return status === 200 && (isRight || name.includes('preview')) ? [] : [`${name}: ${status} ${beginning}`]
  })
