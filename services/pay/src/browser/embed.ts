// `<payment-page collection="ID">` puts a pay page into another site: sized before it loads, grown with its content, in the
// site's colour scheme, and with the events below. The site's origin must be among the `allowedOrigins` of the link.
const HEIGHTS: Readonly<Record<string, number>> = { card: 760, inline: 680, minimal: 560 }
/** Events that the element fires: what the page in the frame says. */
const EVENTS = new Set(['ready', 'height', 'started', 'processing', 'paid', 'expired', 'cancelled', 'error'])
/** A frame that has loaded and is not ready after this time shows no pay page. */
const READY_MS = 4000
const base = new URL(import.meta.url).origin
const dark = matchMedia('(prefers-color-scheme: dark)')

class PaymentPage extends HTMLElement {
  #frame: HTMLIFrameElement | undefined
  #stop: AbortController | undefined
  /** The page in the frame said that it is ready before the frame said that it has loaded. */
  #isReady = false
  #waiting: ReturnType<typeof setTimeout> | undefined

  async connectedCallback(): Promise<void> {
    const id = encodeURIComponent(this.getAttribute('collection') ?? '')
    this.#stop = new AbortController()
    const { signal } = this.#stop
    this.style.display = 'block'
    const layout = await layoutOf(id)
    if (signal.aborted) return
    const frame = document.createElement('iframe')
    const lang = this.getAttribute('lang')
    const scheme = schemeOf(this)
    frame.src = `${base}/pay/${id}?embed=1&scheme=${scheme}${lang ? `&lang=${encodeURIComponent(lang)}` : ''}`
    frame.title = this.getAttribute('title') ?? 'Payment'
    frame.allow = 'clipboard-write'
    frame.style.cssText = `display:block;width:100%;max-width:${layout === 'card' ? '32rem' : 'none'};height:${HEIGHTS[layout] ?? HEIGHTS.card}px;border:0;margin:0 auto;color-scheme:${scheme}`
    addEventListener('message', (event) => this.#hear(event), { signal })
    dark.addEventListener('change', () => this.#followScheme(), { signal })
    frame.addEventListener('load', () => this.#expectReady(id))
    this.#frame = frame
    this.replaceChildren(frame)
  }

  disconnectedCallback(): void {
    this.#stop?.abort()
    clearTimeout(this.#waiting)
    this.replaceChildren()
  }

  #hear({ origin, source, data }: MessageEvent): void {
    if (origin !== base || source !== this.#frame?.contentWindow || data?.source !== 'payments') return
    const { type, height, id, linkId, reason } = data
    if (type === 'ready') {
      this.#isReady = this.#waiting === undefined
      clearTimeout(this.#waiting)
      this.#waiting = undefined
      this.#followScheme()
    }
    if (type === 'height' && Number.isFinite(height)) this.#frame.style.height = `${Math.ceil(height)}px`
    if (EVENTS.has(type)) this.#fire(type, type === 'height' ? { height } : { id, linkId, reason })
  }

  #fire(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }))
  }

  /** A browser tells no site that a frame was refused: where the page does not say that it is ready, the service is asked why. */
  #expectReady(id: string): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
    const wasReady = this.#isReady
    this.#isReady = false
    if (wasReady) return
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined
      reasonOf(id)
        .then((reason) => this.isConnected && this.#fire('error', { id: decodeURIComponent(id), reason }))
        .catch(reportError)
    }, READY_MS)
  }

  /** A frame of another scheme than its site's is painted white, or black. */
  #followScheme(): void {
    const scheme = schemeOf(this)
    if (!this.#frame) return
    this.#frame.style.colorScheme = scheme
    this.#frame.contentWindow?.postMessage({ source: 'payments', type: 'scheme', scheme }, base)
  }
}

/** The colour scheme around an element: its attribute `scheme`, else what the site's styles say, as browsers read `color-scheme`. */
function schemeOf(element: HTMLElement): 'light' | 'dark' {
  const names = (element.getAttribute('scheme') ?? getComputedStyle(element).colorScheme).split(' ')
  if (!names.includes('dark')) return 'light'
  return dark.matches || !names.includes('light') ? 'dark' : 'light'
}

/** Why the frame shows no pay page. */
async function reasonOf(id: string): Promise<string> {
  try {
    const reply = await fetch(`${base}/v1/pay/${id}`)
    if (reply.status === 404) return 'unknown'
    if (reply.status === 403) return 'unavailable'
    const { data } = await reply.json()
    if (reply.ok && !data.allowedOrigins.includes(location.origin)) return 'refused'
  } catch {
    // The service cannot be reached, so the frame could not be either.
  }
  return 'unreachable'
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
