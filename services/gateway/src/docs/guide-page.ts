import type { PageReply } from '@payments/platform'
import type { Marked, Renderer, Tokens } from 'marked'
import { type Guide, guides, guideText } from './guides.ts'

/** Everything comes from this service, and nothing inline is executed or applied. */
export const DOCS_POLICY = [
  "default-src 'none'",
  ...["connect-src 'self'", "img-src 'self' data:", "script-src 'self'", "style-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')

const LABELS: Record<string, string> = {
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  ruby: 'Ruby',
  sh: 'Shell',
  json: 'JSON',
  js: 'JavaScript',
  html: 'HTML',
  http: 'HTTP',
  text: 'Output',
}
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The anchor of a heading, as GitHub makes it. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The page of a guide: its text, the list of all guides, and the neighbours. It has no inline style and no inline script. */
export async function guidePage(guide: Guide, baseUrl: string): Promise<string> {
  const all = guides()
  const position = all.indexOf(guide)
  const markdown = await renderer()
  const link = (to: Guide | undefined, rel: string, text: string) =>
    to ? `<a rel="${rel}" href="${to.path}"><small>${text}</small>${escapeHtml(to.title)}</a>` : '<span></span>'
  return page({
    title: guide.title,
    description: guide.summary,
    current: guide.path,
    content: `${markdown.parse(guideText(guide, baseUrl), { async: false })}
<nav class="neighbours" aria-label="Previous and next guide">${link(all[position - 1], 'prev', 'Previous')}${link(all[position + 1], 'next', 'Next')}</nav>`,
  })
}

/** A page that says why there is none, with the way to the documentation. */
export const errorPage = ({
  status,
  message,
  retryAfter,
}: {
  readonly status: number
  readonly message: string
  readonly retryAfter: number | undefined
}): PageReply => ({
  type: 'text/html',
  headers: { 'Content-Security-Policy': DOCS_POLICY },
  body: page({
    title: message,
    description: message,
    current: '',
    content: `<h1>${escapeHtml(message)}</h1>
<p>${adviceOf(status, retryAfter)}, or start from the <a href="/docs">documentation</a>.</p>`,
  }),
})

function adviceOf(status: number, retryAfter: number | undefined): string {
  if (retryAfter !== undefined) return `Try again in ${retryAfter} seconds`
  if (status >= 500) return 'Try again in a minute'
  return status === 403 ? 'Open the address with https://' : 'Check the address'
}

function page(given: { title: string; description: string; current: string; content: string }): string {
  const item = ({ path, title }: Guide) =>
    `<li><a href="${path}"${path === given.current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(given.title)} · Payments</title>
<meta name="description" content="${escapeHtml(given.description.replace(/[`*]|\]\([^)]*\)|\[/g, ''))}">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/guides.css">
<script src="/docs/guides.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header()}
<div class="layout">
<nav class="guides" aria-label="Guides"><ul>${guides().map(item).join('')}</ul></nav>
<main id="content" tabindex="-1">
${given.content}
</main>
</div>
</body>
</html>
`
}

/** The bar at the top of every page of the documentation. */
export const header = (): string =>
  `<header class="top"><a class="home" href="/docs">Payments</a><nav aria-label="Documentation"><a href="/docs">Guides</a><a href="/docs/reference">API reference</a></nav></header>`

/** A renderer for one page, loaded with the first: headings with unique anchors, code with a caption, tables that scroll, links between the pages. */
async function renderer(): Promise<Marked> {
  const { Marked: Parser } = await import('marked')
  const anchors = new Map<string, number>()
  let section = ''
  return new Parser({
    renderer: {
      heading(this: Renderer, { tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const plain = slug(text)
        const seen = anchors.get(plain) ?? 0
        anchors.set(plain, seen + 1)
        const id = seen === 0 ? plain : `${plain}-${seen}`
        section = text
        if (depth === 1) return `<h1 id="${id}">${this.parser.parseInline(tokens)}</h1>\n`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}<a class="anchor" href="#${id}" aria-label="Link to the section ${escapeHtml(text)}">#</a></h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const [language = '', file] = (lang ?? '').split(' ')
        const label = LABELS[language]
        if (!label) throw new Error(`A code block of a guide has the language "${language}"`)
        const caption = file ? `${label} <span class="file">${escapeHtml(file)}</span>` : label
        return `<figure class="code ${language}"><figcaption><span>${caption}</span></figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`
      },
      table(this: Renderer, { header: head, rows }: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        return `<div class="table" tabindex="0" role="group" aria-label="Table: ${escapeHtml(section)}"><table><thead>${cells(head, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>\n`
      },
      link(this: Renderer, { href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(pageOf(href))}">${this.parser.parseInline(tokens)}</a>`
      },
    },
  })
}

/** A link of a guide as its page's: `webhooks.md#retries` is `/docs/webhooks#retries`. */
function pageOf(href: string): string {
  const [, name, anchor = ''] = href.match(/^([\w-]+)\.md(#[\w-]+)?$/) ?? []
  if (name === undefined) return href
  return `${name === 'index' ? '/docs' : `/docs/${name}`}${anchor}`
}
