import type { PayBrand, PayData, View } from '../data.ts'
import { fill, fillPlain } from '../html/fill.ts'
import { Html, html } from '../html/html.ts'
import { moneyIn } from '../money/numbers.ts'
import { table } from '../money/table.ts'
import { imprint, logoOf } from '../screens/brand.ts'
import { content, footer } from '../screens/content.ts'
import { screenOf } from '../screens/screen.ts'
import { linkTo } from '../screens/session.ts'
import { DEFAULT_ACCENT, themeStyle } from './theme.ts'

/** What a page needs beside its content. */
export interface Parts {
  /** The stylesheet, which is written into the page: the first paint waits for nothing else. */
  readonly style: string
  /** Address of the script. */
  readonly script: string
  /** Address of the service, for the picture of a preview, which other sites load. */
  readonly origin?: string
}

/** A page, and the stylesheets that are written into it, for its Content-Security-Policy. */
export interface Document {
  readonly html: string
  readonly styles: readonly string[]
}

function documentOf(
  {
    title,
    body,
    state,
    accent,
    layout,
    brand,
  }: {
    title: string
    body: Html
    state: Html | false
    accent: string
    layout: string
    brand?: { readonly of: PayBrand; readonly name: string; readonly text: string }
  },
  view: View,
  { style, script, origin = '' }: Parts,
): Document {
  const theme = themeStyle(accent, view.scheme ?? schemeOf(brand?.of), brand?.of.backgroundColor)
  const page = html`<!doctype html>
<html lang="${view.locale}" dir="${view.locale === 'ar' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="origin">
<meta name="robots" content="noindex">
<title>${title}</title>
${brand && preview(title, brand, origin)}<link rel="icon" href="${logoOf(brand?.of) ?? 'data:,'}">
<style>${new Html(theme)}</style>
<style>${new Html(style)}</style>
${state && html`<script type="module" src="${script}"></script>`}
</head>
<body class="${layout}${view.embedded && ' embedded'}">
<a class="skip" href="#main">${view.texts.skip}</a>
<p class="banner" id="connection" role="status" aria-live="polite"></p>
<p class="announcer" id="announcer" role="status" aria-live="polite"></p>
${body}
${state}
</body>
</html>
`
  return { html: page.text, styles: [theme, style] }
}

/** The only scheme of the page, where the merchant has chosen one. */
const schemeOf = (brand: PayBrand | undefined): 'light' | 'dark' | undefined =>
  brand?.colorScheme === 'light' || brand?.colorScheme === 'dark' ? brand.colorScheme : undefined

/** What a message shows of the address when it is shared. */
const preview = (
  title: string,
  { of, name, text }: { readonly of: PayBrand; readonly name: string; readonly text: string },
  origin: string,
): Html => html`<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${name}">
<meta property="og:description" content="${text}">
<meta name="description" content="${text}">
${logoOf(of) && html`<meta property="og:image" content="${origin}${logoOf(of)}">`}
`

/** The page of a link, invoice, checkout or session; a preview has no script and so changes no more. */
export function payDocument(data: PayData, view: View, parts: Parts): Document {
  const title = `${data.title} · ${fillPlain(view.texts.payTo, { merchant: data.merchant.name })}`
  const body = html`<main id="main" tabindex="-1" data-screen="${screenOf(data)}">${content(data, view)}</main>
${imprint(data, view)}${footer(data.id, view, data.theme.hideBrandFooter || data.bankTransfer !== null)}`
  // Nothing in the data can end the element: every < is escaped.
  const json = JSON.stringify({ data, view }).replaceAll('<', '\\u003c')
  const state = !view.preview && html`<script type="application/json" id="state">${new Html(json)}</script>`
  const { accentColor, layout } = data.theme
  // The theme of a link comes first, where it was chosen.
  const accent = accentColor === DEFAULT_ACCENT ? (data.branding.accentColor ?? accentColor) : accentColor
  const amount = data.amount === null ? '' : `${moneyIn(view.locale, data.amount, data.currency)} · `
  const brand = { of: data.branding, name: data.merchant.name, text: `${amount}${data.description ?? data.title}` }
  return documentOf({ title, body, state, accent, layout, brand }, view, parts)
}

/** Why nothing can be shown of an id: it is not known, its merchant cannot be paid now, or the service cannot answer for some seconds. */
export type Message =
  | { readonly id: string; readonly kind: 'unknown' | 'unavailable' }
  | { readonly id: string; readonly kind: 'busy'; readonly seconds: number }

/** What is said of a session of a suspended merchant to which nothing has come. */
const unavailable = table.nothing.suspended.none.says.filter((each) => typeof each === 'string')

const HEADINGS = {
  unknown: 'unknownHeading',
  unavailable: 'unavailableHeading',
  busy: 'busyHeading',
} as const satisfies Record<Message['kind'], unknown>

/** The page that says so. */
export function messageDocument(message: Message, view: View, parts: Parts): Document {
  const { texts } = view
  const heading = texts[HEADINGS[message.kind]]
  const text = message.kind === 'busy' ? fill(texts.busyText, { seconds: message.seconds }) : texts.unknownText
  const says =
    message.kind === 'unavailable' ? unavailable.map((name) => html`<p>${fill(texts[name])}</p>`) : html`<p>${text}</p>`
  const again =
    message.kind !== 'unknown' &&
    html`<p><a class="button primary" href="${linkTo(message.id, view)}">${texts.busyAgain}</a></p>`
  const body = html`<main id="main" tabindex="-1" data-screen="${message.kind}"><section class="screen"><h1 id="heading">${heading}</h1>${says}${again}</section></main>
${footer(message.id, view, false)}`
  return documentOf({ title: heading, body, state: false, accent: DEFAULT_ACCENT, layout: 'card' }, view, parts)
}
