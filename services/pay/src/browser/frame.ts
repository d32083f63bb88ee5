import { screenOf } from '@payments/pay-page'
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

/** In a frame: posts the height of the page to the embedding origin, and once that it was paid. To no other. */
export function reportToHost(): void {
  const origin = hostOrigin()
  if (!view().embedded || parent === globalThis.window || !origin) return
  const send = (message: object) => parent.postMessage({ source: 'payments', ...message }, origin)
  new ResizeObserver(() => send({ type: 'height', height: document.documentElement.offsetHeight })).observe(
    document.body,
  )
  let reported = false
  onContent(() => {
    const { id, linkId } = data()
    if (reported || screenOf(data()) !== 'paid') return
    reported = true
    send({ type: 'paid', id, linkId })
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
