/** The text of an email, as plain text and HTML. */
export interface EmailText {
  readonly to: string
  /** Where an answer goes, if not to the sender. */
  readonly replyTo?: string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** What a designed email holds. All of it is text: it is escaped here. */
export interface DesignedEmail {
  readonly to: string
  /** Where an answer goes, if not to the sender. */
  readonly replyTo?: string | undefined
  /** Colour of the button and a text that can be read on it, as `#rrggbb`; undefined: those of the service. */
  readonly accent?: { readonly colour: string; readonly on: string } | undefined
  readonly subject: string
  /** Language of the text (BCP 47). */
  readonly lang: string
  /** Whose email it is: stands above the heading. */
  readonly brand: string
  readonly heading: string
  /** A line break in one stays one. */
  readonly paragraphs: readonly string[]
  /** A code to be typed elsewhere: it stands alone, large, above the paragraphs. */
  readonly code?: { readonly label: string; readonly text: string }
  /** What can be looked up later: label and value, and where the value is shown. */
  readonly facts: readonly (readonly [label: string, value: string, url?: string | undefined])[]
  readonly button?: { readonly text: string; readonly url: string }
  readonly footer: string
}

/** Colours in light; those in dark are below. Mail programs that know no style sheet show the light ones. */
const STYLE = `
.page{margin:0;padding:16px;background:#f4f6f9;color:#16202c;font:16px/1.5 -apple-system,system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.card{max-width:560px;margin:0 auto;padding:24px;background:#fff;border:1px solid #c9d1da;border-radius:12px}
.brand,.footer,.label{color:#52606f;font-size:14px}
h1{margin:8px 0 16px;font-size:22px;line-height:1.25}
h1,p,td{overflow-wrap:anywhere;word-break:break-word}
table{width:100%;border-collapse:collapse;margin:16px 0}
td{padding:8px 0;border-bottom:1px solid #c9d1da;text-align:start;vertical-align:top}
.label{display:block}
.code{font:600 28px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px}
.button{display:inline-block;padding:12px 24px;background:#1a56db;color:#fff;border-radius:8px;font-weight:600;text-decoration:none}
.link{font-size:14px}
.link a,td a{color:#1a56db}
@media (prefers-color-scheme:dark){
.page{background:#0b0f14;color:#e4eaf1}
.card{background:#11161c;border-color:#3b4754}
.brand,.footer,.label{color:#a2aebb}
td{border-color:#3b4754}
.button{background:#8ab4f8;color:#0b0f14}
.link a,td a{color:#8ab4f8}
}`

/** The same button in light and dark: its text can be read on it in both. */
const accentStyle = ({ colour, on }: NonNullable<DesignedEmail['accent']>): string =>
  [colour, on].every((each) => /^#[0-9a-f]{6}$/.test(each)) ? `a.button{background:${colour};color:${on}}` : ''

const isRightToLeft = (lang: string): boolean => lang === 'ar'

/**
 * An email in the one design of the service: light and dark, readable at 320 px, without pictures and without anything that is loaded; and the same
 * as plain text.
 */
export function designedEmail({
  to,
  replyTo,
  accent,
  subject,
  lang,
  brand,
  heading,
  paragraphs,
  code,
  facts,
  button,
  footer,
}: DesignedEmail): EmailText {
  const text = [
    heading,
    ...(code ? [`${code.label} ${code.text}`] : []),
    ...paragraphs,
    facts.map(([label, value, url]) => `${label}: ${value}${url ? `\n${url}` : ''}`).join('\n'),
    ...(button ? [`${button.text}:\n${button.url}`] : []),
    footer,
  ]
  const rows = facts.map(
    ([label, value, url]) =>
      `<tr><td><span class="label">${escapeHtml(label)}</span> ${url ? `<a href="${escapeHtml(url)}">` : ''}<bdi>${escapeHtml(value)}</bdi>${url ? '</a>' : ''}</td></tr>`,
  )
  const url = button && escapeHtml(button.url)
  return {
    to,
    replyTo,
    subject,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="${lang}" dir="${isRightToLeft(lang) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${STYLE}${accent ? accentStyle(accent) : ''}</style></head>
<body class="page"><div class="card" role="article">
<p class="brand">${escapeHtml(brand)}</p>
<h1>${escapeHtml(heading)}</h1>
${code ? `<p>${escapeHtml(code.label)}</p>\n<p class="code" dir="ltr">${escapeHtml(code.text)}</p>` : ''}
${paragraphs.map((each) => `<p>${escapeHtml(each).replaceAll('\n', '<br>')}</p>`).join('\n')}
${rows.length > 0 ? `<table role="presentation">${rows.join('\n')}</table>` : ''}
${button ? `<p><a class="button" href="${url}">${escapeHtml(button.text)}</a></p>\n<p class="link"><a href="${url}" dir="ltr">${url}</a></p>` : ''}
<p class="footer">${escapeHtml(footer)}</p>
</div></body></html>
`,
  }
}
