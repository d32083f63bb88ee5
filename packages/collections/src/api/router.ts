import { fiatErrors } from '@payments/fiat'
import { noInput } from '@payments/kernel'
import { command, download, exportCsv, exportInput, query } from '@payments/platform'
import { routesErrors } from '@payments/routes'
import { createCollection, prepareCollection } from '../collections/creation.ts'
import { invoiceDocument, invoiceXml, prepareDocument, send } from '../collections/invoices/invoices.ts'
import { changePolicy, defaultPolicy } from '../collections/policies.ts'
import { CollectionPage, CollectionSearch, searchCollections } from '../collections/search.ts'
import { change, newestCollections, remove, sessionsOf, show, undecidedSessions } from '../collections/service.ts'
import { errors } from '../errors.ts'
import { previewFile } from '../pay/preview.ts'
import { ownReceipt } from '../pay/receipts/receipts.ts'
import { presentCollection, presentSession } from '../present.ts'
import {
  Collection,
  CollectionId,
  CollectionList,
  CollectionOrSession,
  CollectionPatch,
  CollectionPreview,
  NewCollection,
  PolicyChange,
  ReceiptInput,
  Session,
  SessionList,
  SessionResolution,
} from '../schemas.ts'
import { resolveSession } from '../sessions/resolve.ts'
import { PaymentPolicy } from '../terms/policy.ts'
import { collectionsExport, sessionsExport } from './export.ts'

const tag = 'Collections'

export const collectionsRouter = {
  list: query({
    rest: 'GET /collections',
    access: 'read',
    tag,
    summary: 'List collections',
    description: 'Payment links, invoices and checkouts: at most 200, newest first. `total` counts all of them.',
    message: 'Collections retrieved',
    input: noInput,
    output: CollectionList,
    async run(context) {
      const { rows, total } = await newestCollections(context)
      return { collections: rows.map(presentCollection), total }
    },
  }),
  search: query({
    rest: 'POST /collections/search',
    access: 'read',
    tag,
    summary: 'Search collections',
    description:
      'The payment links, invoices and checkouts that fit all filters, newest first, in pages, and their exact number.',
    message: 'Collections retrieved',
    input: CollectionSearch,
    output: CollectionPage,
    async run(context, input) {
      const { rows, ...page } = await searchCollections(context, input)
      return { collections: rows.map(presentCollection), ...page }
    },
  }),
  create: command({
    rest: 'POST /collections',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Create a collection',
    description:
      'A `link` takes any number of payments, a `checkout` and an `invoice` one. Share `payUrl`: its page lets the payer choose a network and a currency. Invoices are numbered without gaps.',
    message: 'Collection created',
    status: 201,
    input: NewCollection,
    output: Collection,
    errors: [
      errors.price_unavailable,
      fiatErrors.fiat_provider_failed,
      fiatErrors.fiat_provider_unavailable,
      routesErrors.provider_failed,
      routesErrors.provider_unavailable,
    ],
    before: prepareCollection,
    run: async (unit, input, prepared) => presentCollection(await createCollection(unit, input, prepared)),
  }),
  preview: download({
    rest: 'POST /collections/preview',
    // A file is not kept to be replayed, which every POST with an API key is.
    access: 'session-read',
    role: 'any',
    tag,
    summary: 'Preview a collection',
    description:
      'The pay page of a collection as its payer would see it, or the PDF of an invoice, before it is created: takes the body of `POST /collections` and checks it in the same way. Both say that they are a preview. Nothing is stored, and no invoice number is taken.',
    message: 'Collection previewed',
    input: CollectionPreview,
    produces: 'html',
    formats: ['html', 'pdf'],
    formatOf: ({ format }) => format,
    errors: [
      errors.payments_unavailable,
      errors.price_unavailable,
      fiatErrors.fiat_provider_failed,
      fiatErrors.fiat_provider_unavailable,
      routesErrors.provider_failed,
      routesErrors.provider_unavailable,
    ],
    filename: ({ format }) => `preview.${format}`,
    async *stream(context, input, signal) {
      yield await previewFile(context, input, signal)
    },
  }),
  policy: query({
    rest: 'GET /collections/payment-policy',
    access: 'read',
    tag,
    summary: 'Get the payment policy',
    description: 'What new collections do with payments of another amount, or after the end of a session.',
    message: 'Payment policy retrieved',
    input: noInput,
    output: PaymentPolicy,
    run: (context) => defaultPolicy(context),
  }),
  changePolicy: command({
    rest: 'PATCH /collections/payment-policy',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Update the payment policy',
    description: 'Applies to collections that are created afterwards; each may override it.',
    message: 'Payment policy updated',
    input: PolicyChange,
    output: PaymentPolicy,
    run: changePolicy,
  }),
  export: download({
    rest: 'GET /collections/export',
    access: 'read',
    tag,
    summary: 'Export collections as CSV',
    description: 'All links, invoices and checkouts of a time range, newest first, from one snapshot.',
    message: 'Collections exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'collections.csv',
    stream: (context, input, signal) => exportCsv(context, collectionsExport, input, signal),
  }),
  exportSessions: download({
    rest: 'GET /collections/sessions/export',
    access: 'read',
    tag,
    summary: 'Export checkout sessions as CSV',
    description: 'All checkout sessions of a time range, newest first, from one snapshot.',
    message: 'Checkout sessions exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'checkout-sessions.csv',
    stream: (context, input, signal) => exportCsv(context, sessionsExport, input, signal),
  }),
  get: query({
    rest: 'GET /collections/{collectionId}',
    access: 'read',
    tag,
    summary: 'Get a collection',
    description: 'Takes the id of a checkout session too.',
    message: 'Collection retrieved',
    input: CollectionId,
    output: CollectionOrSession,
    errors: [errors.collection_not_found],
    run: (context, { collectionId }) => show(context, collectionId),
  }),
  sessions: query({
    rest: 'GET /collections/{collectionId}/sessions',
    access: 'read',
    tag,
    summary: 'List the checkout sessions of a collection',
    description: 'At most 200, newest first. `total` counts all of them.',
    message: 'Checkout sessions retrieved',
    input: CollectionId,
    output: SessionList,
    errors: [errors.collection_not_found],
    run: (context, { collectionId }) => sessionsOf(context, collectionId),
  }),
  undecided: query({
    rest: 'GET /collections/sessions/undecided',
    access: 'read',
    tag,
    summary: 'List checkout sessions that need a decision',
    description:
      'Sessions with money that was delivered to you and does not count: in another currency, on another network, too late, or less than the amount when the time was over. At most 200, the longest unchanged first; `total` counts all of them. `POST /collections/sessions/{sessionId}/resolve` records what you decide.',
    message: 'Checkout sessions retrieved',
    input: noInput,
    output: SessionList,
    run: undecidedSessions,
  }),
  resolve: command({
    rest: 'POST /collections/sessions/{sessionId}/resolve',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Decide about money that does not count',
    description:
      'Records what you do with a payment that was delivered to you and does not count by itself, or with less than was asked for. `counted` makes the session paid, and its invoice or checkout. A part is `sent_back` once the payer can no longer send the rest. The money is in your wallet: nothing is sent by this.',
    message: 'Decision recorded',
    input: SessionResolution,
    output: Session,
    errors: [errors.checkout_session_not_found, errors.session_decided, errors.session_still_payable],
    run: async (unit, input) => presentSession(await resolveSession(unit, input)),
  }),
  pdf: download({
    rest: 'GET /collections/{collectionId}/invoice.pdf',
    access: 'read',
    tag,
    summary: 'Get the PDF of an invoice',
    description:
      'Tagged, with embedded fonts. A character that they do not have is shown as a box, and a line of the document says so. It does not change once the invoice is created: seller, customer, title and description are those of then; the due date is that of now. It holds the file `factur-x.xml` where the invoice has what `GET /collections/{collectionId}/invoice.xml` needs.',
    message: 'Invoice retrieved',
    input: CollectionId,
    produces: 'pdf',
    errors: [errors.collection_not_found, errors.invoice_not_found],
    filename: () => 'invoice.pdf',
    async *stream(context, { collectionId }, signal) {
      yield await invoiceDocument(context, collectionId, signal)
    },
  }),
  receipt: download({
    rest: 'GET /collections/sessions/{sessionId}/receipt.pdf',
    access: 'read',
    tag,
    summary: 'Get the receipt of a checkout session',
    description:
      'Of a session that is paid, or whose payments are no longer being confirmed. The same document as the payer gets at `/pay/{sessionId}/receipt.pdf`: what was paid, in which network and transaction, when, and what was sent back, in the language of the payer or in `locale`. It says what is true when it is made.',
    message: 'Receipt retrieved',
    input: ReceiptInput,
    produces: 'pdf',
    errors: [errors.checkout_session_not_found, errors.receipt_not_found],
    filename: ({ sessionId }) => `receipt-${sessionId}.pdf`,
    async *stream(context, { sessionId, locale }, signal) {
      yield await ownReceipt(context, sessionId, { locale, signal })
    },
  }),
  xml: download({
    rest: 'GET /collections/{collectionId}/invoice.xml',
    access: 'read',
    tag,
    summary: 'Get an invoice as structured data',
    description:
      'An invoice of EN 16931 in the syntax CII, for accounting programs: the file `factur-x.xml` of its PDF (Factur-X and ZUGFeRD, profile EN 16931). It needs `items` with a `pricing` and a tax category each; `legalName`, `country` and `taxId` of the branding; a customer with `country`, as they were when the invoice was created. Where something is missing, `errors` says what: delete the invoice and create another.',
    message: 'Invoice retrieved',
    input: CollectionId,
    produces: 'xml',
    errors: [errors.collection_not_found, errors.invoice_not_found],
    filename: () => 'invoice.xml',
    async *stream(context, { collectionId }) {
      yield await invoiceXml(context, collectionId)
    },
  }),
  send: command({
    rest: 'POST /collections/{collectionId}/send',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Send an invoice',
    description:
      'Emails the invoice and its PDF to its customer; again, as a reminder. A customer who got it by email is reminded too when it becomes overdue. An organisation may send 500 of these emails a day in live, unless the service is configured otherwise, and 100 in test; beyond that, `Retry-After` says when to go on.',
    message: 'Invoice sent',
    input: CollectionId,
    output: Collection,
    errors: [
      errors.collection_not_found,
      errors.invoice_not_found,
      errors.collection_closed,
      errors.customer_missing,
      errors.sent_recently,
    ],
    before: (context, { collectionId }) => prepareDocument(context, collectionId),
    run: async (unit, { collectionId }) => presentCollection(await send(unit, collectionId)),
  }),
  update: command({
    rest: 'PATCH /collections/{collectionId}',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Update a collection',
    description:
      'Sessions that have begun keep their amount and policy. `dueAt`, `expiresAt` and `maxPayments` can be changed while it accepts payments. Title and description of an invoice cannot: they are on its documents. A new `dueAt` is on its page, its PDF, its structured data and the next email.',
    message: 'Collection updated',
    input: CollectionPatch,
    output: Collection,
    errors: [errors.collection_not_found, errors.collection_final, errors.invoice_issued],
    run: async (unit, input) => presentCollection(await change(unit, input)),
  }),
  delete: command({
    rest: 'DELETE /collections/{collectionId}',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Delete a collection',
    description:
      'A link becomes inactive, and sessions that have begun may still finish. An invoice or checkout becomes void, and its sessions that wait for a payment are cancelled.',
    message: 'Collection deleted',
    input: CollectionId,
    output: Collection,
    errors: [errors.collection_not_found, errors.collection_final],
    run: async (unit, { collectionId }) => presentCollection(await remove(unit, collectionId)),
  }),
}
