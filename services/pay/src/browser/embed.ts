// `<payment-page collection="ID">` puts a pay page into another site: sized before it loads, grown with its content, and
// with the events below. The site's origin must be among the `allowedOrigins` of the link.
const HEIGHTS: Readonly<Record<string, number>> = { card: 760, inline: 680, minimal: 560 }
/** Events that the element fires: what the page in the frame says. */
const EVENTS = new Set(['ready', 'height', 'started', 'processing', 'paid', 'expired', 'cancelled', 'error'])
const base = new URL(import.meta.url).origin

class PaymentPage extends HTMLElement {
  #frame: HTMLIFrameElement | undefined
  #stop: AbortController | undefined

  async connectedCallback(): Promise<void> {
    const id = encodeURIComponent(this.getAttribute('collection') ?? '')
    this.#stop = new AbortController()
    const { signal } = this.#stop
    this.style.display = 'block'
    const layout = await layoutOf(id)
    if (signal.aborted) return
    const frame = document.createElement('iframe')
    const lang = this.getAttribute('lang')
    frame.src = `${base}/pay/${id}?embed=1${lang ? `&lang=${encodeURIComponent(lang)}` : ''}`
    frame.title = this.getAttribute('title') ?? 'Payment'
    frame.allow = 'clipboard-write'
    frame.style.cssText = `display:block;width:100%;max-width:${layout === 'card' ? '32rem' : 'none'};height:${HEIGHTS[layout] ?? HEIGHTS.card}px;border:0;margin:0 auto`
    addEventListener('message', (event) => this.#hear(event), { signal })
    this.#frame = frame
    this.replaceChildren(frame)
  }

  disconnectedCallback(): void {
    this.#stop?.abort()
    this.replaceChildren()
  }

  #hear({ origin, source, data }: MessageEvent): void {
    if (origin !== base || source !== this.#frame?.contentWindow || data?.source !== 'payments') return
    const { type, height, id, linkId } = data
    if (type === 'height' && Number.isFinite(height)) this.#frame.style.height = `${Math.ceil(height)}px`
    if (!EVENTS.has(type)) return
    const detail = type === 'height' ? { height } : { id, linkId }
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }))
  }
}

async function layoutOf(id: string): Promise<string> {
  try {
    const reply = await fetch(`${base}/v1/pay/${id}/embed-config`)
    return (await reply.json()).data.embedConfig.layout
  } catch {
    return 'card'
  }
}

if (!customElements.get('payment-page')) customElements.define('payment-page', PaymentPage)
