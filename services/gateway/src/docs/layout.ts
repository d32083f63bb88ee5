/** Everything comes from this service, and nothing inline is executed or applied. */
export const DOCS_POLICY = [
  "default-src 'none'",
  ...["connect-src 'self'", "img-src 'self' data:", "script-src 'self'", "style-src 'self'"],
  ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
].join('; ')

/** A link of the navigation beside a page; `links` are shown below it. */
export interface NavigationItem {
  readonly path: string
  readonly title: string
  readonly links?: readonly NavigationItem[]
}

interface PageParts {
  readonly title: string
  /** Plain text or Markdown. */
  readonly description: string
  /** The path of the page. */
  readonly current: string
  readonly navigation: { readonly label: string; readonly items: readonly NavigationItem[] }
  readonly content: string
  /** Sections of the page, listed beside it. */
  readonly sections?: readonly { readonly id: string; readonly title: string }[]
  readonly query?: string
}

/** A page of the documentation. It has no inline style and no inline script. */
export function layout({ title, description, current, navigation, content, sections = [], query }: PageParts): string {
  const link = ({ path, title: text }: NavigationItem) =>
    `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`
  const item = (each: NavigationItem): string => {
    if (!each.links) return `<li>${link(each)}</li>`
    const open = each.links.some(({ path }) => path === current)
    return `<li><details${open ? ' open' : ''}><summary>${escapeHtml(each.title)}</summary><ul>${each.links.map(item).join('')}</ul></details></li>`
  }
  const plain = description.replace(/[`*]|\]\([^)]*\)|\[/g, '')
  const contents =
    sections.length > 1
      ? `<nav class="sections" aria-label="On this page"><strong>On this page</strong><ul>${sections.map(({ id, title: text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('')}</ul></nav>`
      : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Payments</title>
<meta name="description" content="${escapeHtml(plain)}">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/guides.css">
<script src="/docs/guides.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(query)}
<div class="layout">
<nav class="guides" aria-label="${navigation.label}"><ul>${navigation.items.map(item).join('')}</ul></nav>
<main id="content" tabindex="-1">
${content}
</main>
${contents}
</div>
</body>
</html>
`
}

/** The bar at the top of every page of the documentation. */
export const header = (query = ''): string =>
  `<header class="top"><a class="home" href="/docs">Payments</a><form action="/docs/search" role="search"><input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search" aria-label="Search the documentation" maxlength="100"></form><nav aria-label="Documentation"><a href="/docs">Guides</a><a href="/docs/reference">API reference</a><a href="/dashboard">Dashboard</a></nav></header>`

/** Text as HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** Text with `code` in backticks, as HTML. */
export const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
