import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { anonymous, explorerOf, networkOf, ServiceError } from '@payments/kernel'
import {
  type Document,
  type Locale,
  languages,
  linksTo,
  localeOf,
  locales,
  messageDocument,
  type PayData,
  payDocument,
  systemOf,
  texts,
  tokens,
  type View,
} from '@payments/pay-page'
import {
  type Page,
  type PageFailure,
  type PageReply,
  type PageRequest,
  publicUrl,
  queryContext,
  type Settings,
} from '@payments/platform'
import { errors } from '../errors.ts'
import { payPage } from '../payer/payer.ts'
import { receiptOf } from './receipts/receipts.ts'

/** Written into each page, so that the first paint waits for nothing else. */
const PARTS = {
  style: tokens + readFileSync(new URL('../pay.css', import.meta.url), 'utf8'),
  script: '/pay/page.js',
}

/** When a payer may try again where nothing says it. */
const RETRY_SECONDS = 30

/** The hosted pay page of a link, invoice, checkout or session (design: API, section 5). It creates nothing. */
export const payPages: readonly Page[] = [
  {
    method: 'GET',
    path: '/pay/{collectionId}',
    errors: [errors.collection_not_found, errors.payments_unavailable],
    async respond(runtime, request) {
      const id = request.params.collectionId ?? ''
      try {
        const data: PayData = await payPage(queryContext(runtime, anonymous, request.log), id)
        const parts = { ...PARTS, script: request.script(PARTS.script), origin: publicUrl(runtime.settings) }
        return reply(
          200,
          payDocument(data, viewOf(request, data, linksOf(request, data, parts.origin)), parts),
          data.allowedOrigins,
        )
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        const kind = error.code === errors.collection_not_found.code ? 'unknown' : 'unavailable'
        return reply(error.status, messageDocument({ id, kind }, viewOf(request), PARTS), [])
      }
    },
    failed,
  },
  {
    method: 'GET',
    path: '/pay/{collectionId}/receipt.pdf',
    document: true,
    errors: [errors.collection_not_found, errors.receipt_not_found],
    async respond(runtime, { params, query, log, signal }) {
      const locale = locales.find((each) => each === query.get('lang'))
      const context = queryContext(runtime, anonymous, log)
      const file = await receiptOf(context, params.collectionId ?? '', { locale, signal: signal() })
      return {
        type: 'application/pdf',
        body: file,
        etag: true,
        headers: {
          'Content-Disposition': `inline; filename="receipt-${params.collectionId}.pdf"`,
          'X-Robots-Tag': 'noindex',
        },
      }
    },
    failed,
  },
]

/** What a payer sees where the page or the receipt cannot be shown. */
function failed({ status, retryAfter = RETRY_SECONDS }: PageFailure, request: PageRequest): PageReply {
  const id = request.params.collectionId ?? ''
  return reply(status, messageDocument({ id, kind: kindOf(status), seconds: retryAfter }, viewOf(request), PARTS), [])
}

const schemes = ['light', 'dark'] as const

const kindOf = (status: number) => (status === 404 ? 'unknown' : status === 403 ? 'unavailable' : 'busy')

/** The page of a collection that was not created: it says so, has no script, and needs no other file than the logo. */
export const previewPage = (data: PayData, locale: Locale, settings: Settings): string =>
  payDocument(data, { ...viewIn(locale, data), preview: true }, { ...PARTS, origin: publicUrl(settings) }).html

/** What the page shows beside the data, for this reader. */
const viewOf = ({ query, header }: PageRequest, data?: PayData, walletLinks: View['walletLinks'] = {}): View => ({
  ...viewIn(localeOf(query.get('lang') ?? undefined, header('accept-language')), data),
  embedded: query.get('embed') === '1',
  scheme: schemes.find((each) => each === query.get('scheme')),
  walletLinks,
})

/** What the page shows in a language. */
function viewIn(locale: Locale, data?: PayData): View {
  const keys = [
    ...(data?.paymentOptions ?? []).map(({ networkKey }) => networkKey),
    ...(data?.session
      ? [data.session.networkKey, ...data.session.payments.flatMap(({ networkKey }) => networkKey ?? [])]
      : []),
  ]
  const networks = keys.flatMap((key) => {
    const network = networkOf(key)
    const explorer = data && explorerOf(data.environment, key)
    return network ? [[key, { name: network.name, type: network.type, explorer }] as const] : []
  })
  return {
    locale,
    texts: texts[locale],
    languages,
    networks: Object.fromEntries(networks),
    embedded: false,
    walletLinks: {},
    wallet: 'other',
  }
}

/** Links that open the page of a session in the browser of a wallet: where the page asks wallets, and a phone has the wallet. */
function linksOf({ header }: PageRequest, data: PayData, origin: string): View['walletLinks'] {
  const type = data.environment === 'live' ? networkOf(data.session?.networkKey ?? '')?.type : undefined
  if (!type || (type === 'svm' && data.transactionUrl === null)) return {}
  return linksTo(`${origin}/pay/${data.id}`, type, systemOf(header('user-agent')))
}

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** Everything comes from this service, nothing inline but the page's own styles, and only allowed sites may frame it. */
function reply(status: number, { html, styles }: Document, allowedOrigins: readonly string[]): PageReply {
  const policy = [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "script-src 'self'",
    `style-src ${styles.map(hashOf).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${allowedOrigins.length > 0 ? allowedOrigins.join(' ') : "'none'"}`,
  ].join('; ')
  return {
    status,
    type: 'text/html',
    body: html,
    framed: true,
    headers: { 'Content-Security-Policy': policy, 'Referrer-Policy': 'origin', Vary: 'Accept-Language, User-Agent' },
  }
}
