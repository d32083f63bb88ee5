import { type Screen, screenOf } from '@payments/pay-page'
import { data, find, onContent, view } from './page.ts'

/** Origin of the site around this page: only one that the merchant allowed. */
function hostOrigin(): string | undefined {
  const around = globalThis.location.ancestorOrigins?.[0] ?? originOf(document.referrer)
  return data().allowedOrigins.find((origin) => origin === around)
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin
  } catch {
    return undefined
  }
}

/** What the embedding site hears of each screen. */
const EVENTS: Readonly<Partial<Record<Screen, string>>> = {
  waiting: 'started',
  underpaid: 'processing',
  confirming: 'processing',
  paid: 'paid',
  expired: 'expired',
  cancelled: 'cancelled',
  returned: 'error',
  failed: 'error',
}

/** In a frame: posts the height of the page to the embedding origin, and what became of the payment, each change once. To no other. */
export function reportToHost(): void {
  const origin = hostOrigin()
  if (!view().embedded || parent === globalThis.window || !origin) return
  const send = (message: object) => parent.postMessage({ source: 'payments', ...message }, origin)
  const { id, linkId } = data()
  send({ type: 'ready', id, linkId })
  addEventListener('message', (event) => {
    const { source: sender, type, scheme } = event.data ?? {}
    if (event.origin === origin && event.source === parent && sender === 'payments' && type === 'scheme')
      document.documentElement.style.colorScheme = scheme === 'dark' ? 'dark' : 'light'
  })
  new ResizeObserver(() => send({ type: 'height', height: document.documentElement.offsetHeight })).observe(
    document.body,
  )
  let last: string | undefined
  onContent(() => {
    const screen = screenOf(data())
    const type = EVENTS[screen]
    if (!type || type === last) return
    last = type
    send({ type, id, linkId, ...(type === 'error' ? { reason: screen } : {}) })
  })
}

const RETURN_SECONDS = 10

/** Takes the payer back to the merchant soon after the payment arrived before their eyes, unless they want to stay. */
export function returnToMerchant(): void {
  if (view().embedded || screenOf(data()) === 'paid') return
  let timer: ReturnType<typeof setInterval> | undefined
  onContent(() => {
    clearInterval(timer)
    const [line, link] = [find('returning'), find<HTMLAnchorElement>('return')]
    if (!line || !link) return
    let left = RETURN_SECONDS
    const [words] = line.children
    const step = () => {
      if (words) words.textContent = returning(left)
      if (left-- > 0) return
      clearInterval(timer)
      location.assign(link.href)
    }
    line.hidden = false
    timer = setInterval(step, 1000)
    step()
    find('stay')?.addEventListener('click', () => {
      clearInterval(timer)
      line.hidden = true
      link.focus()
    })
  })
}

const returning = (seconds: number): string =>
  view().texts.returning.replace('{merchant}', data().merchant.name).replace('{seconds}', String(seconds))
