import { useEffect, useRef } from 'react'
import { saveBlob } from '../../../parts/forms/files.ts'
import { Dialog } from '../../../parts/parts.tsx'

/** What the service draws of a collection that does not exist yet. */
export interface Previewed {
  /** The pay page as HTML. */
  readonly page: string
  readonly pdf: Blob
}

interface Policy {
  createHTML(text: string): string
}
interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy
}

/** The one place where a text becomes markup, and a policy names it: the service wrote it, and the frame that shows it runs no script. */
const policy = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes?.createPolicy('preview', {
  createHTML: (text) => text,
})

/**
 * Shows a page in a frame. The policy of the dashboard holds there too and forbids inline styles, so they are adopted as a sheet; links lose
 * their addresses, because nothing that they lead to exists.
 */
function show(frame: HTMLIFrameElement, page: string): void {
  const rules: string[] = []
  const text = page.replace(/<style>([^<]*)<\/style>/g, (_element, rule: string) => {
    rules.push(rule)
    return ''
  })
  frame.onload = () => {
    const view = frame.contentWindow as (Window & typeof globalThis) | null
    if (!view) return
    for (const link of view.document.querySelectorAll('a[href]')) link.removeAttribute('href')
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(rules.join('\n'))
    view.document.adoptedStyleSheets = [sheet]
  }
  frame.srcdoc = policy?.createHTML(text) ?? text
}

/** An invoice as its payer will see it: the page, and the PDF as a file. */
export function Preview({ of: { page, pdf }, close }: { of: Previewed; close: () => void }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    if (frame.current) show(frame.current, page)
  }, [page])
  return (
    <Dialog title="Preview" close={close}>
      <p className="hint">
        As the payer will see it. Nothing was created, and the invoice gets its number when you create it.
      </p>
      <iframe ref={frame} className="page" title="Pay page" sandbox="allow-same-origin" />
      <div className="actions">
        <button type="button" onClick={() => saveBlob('preview.pdf', pdf)}>
          Save the PDF
        </button>
      </div>
    </Dialog>
  )
}
