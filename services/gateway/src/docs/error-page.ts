import type { PageReply } from '@payments/platform'
import { DOCS_POLICY, escapeHtml, layout } from './layout.ts'
import { navigation } from './pages.ts'

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
  body: layout({
    title: message,
    description: message,
    current: '',
    navigation: navigation(),
    content: `<h1>${escapeHtml(message)}</h1>
<p>${adviceOf(status, retryAfter)}, or start from the <a href="/docs">documentation</a>.</p>`,
  }),
})

function adviceOf(status: number, retryAfter: number | undefined): string {
  if (retryAfter !== undefined) return `Try again in ${retryAfter} seconds`
  if (status >= 500) return 'Try again in a minute'
  return status === 403 ? 'Open the address with https://' : 'Check the address'
}
