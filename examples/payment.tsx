// The pay page in a React application: <Payment service="http://127.0.0.1:4000" collection={id} onPaid={thank} />
// The origin of your site must be among the `allowedOrigins` of the collection. Deliver when your webhook says `paid`, not here.
import { useEffect, useRef, useState } from 'react'

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'payment-page': DetailedHTMLProps<HTMLAttributes<HTMLElement> & { collection: string }, HTMLElement>
    }
  }
}

/** What the element says of a payment. `reason` is that of an error. */
interface Detail {
  readonly id: string
  readonly linkId: string
  readonly reason?: 'refused' | 'unknown' | 'unavailable' | 'unreachable' | 'returned' | 'failed'
}

interface PaymentProps {
  /** The address of the payments service. */
  readonly service: string
  /** The id of a link, invoice or checkout. */
  readonly collection: string
  readonly lang?: string
  readonly onPaid?: (sessionId: string) => void
}

const STATES = {
  loading: 'The payment is loading…',
  ready: '',
  started: 'Waiting for your payment',
  processing: 'Your payment has arrived and is being confirmed',
  paid: 'Thank you, your payment is complete',
  expired: 'The time to pay has ended; you can start again',
  cancelled: 'The payment was cancelled',
  error: 'The payment cannot be shown here; try again later',
} as const
type State = keyof typeof STATES

/** The script defines the element once, however many components ask for it. */
const scripts = new Map<string, Promise<void>>()
function load(service: string): Promise<void> {
  const known = scripts.get(service)
  if (known) return known
  const loading = new Promise<void>((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { type: 'module', src: `${service}/embed.js` })
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      scripts.delete(service)
      script.remove()
      reject(new Error(`${script.src} cannot be loaded`))
    })
    document.head.append(script)
  })
  scripts.set(service, loading)
  return loading
}

export function Payment({ service, collection, lang, onPaid }: PaymentProps) {
  const element = useRef<HTMLElement>(null)
  // A caller may pass a new function with each render, which is no reason to listen anew.
  const paid = useRef(onPaid)
  paid.current = onPaid
  const [state, setState] = useState<State>('loading')

  useEffect(() => {
    const page = element.current
    const stop = new AbortController()
    const { signal } = stop
    setState('loading')
    for (const type of Object.keys(STATES) as State[])
      page?.addEventListener(
        type,
        (event) => {
          const { id, reason } = (event as CustomEvent<Detail>).detail
          // The page itself says what happened to a payment that was sent back.
          if (reason === 'returned' || reason === 'failed') return
          setState(type)
          if (type === 'paid') paid.current?.(id)
        },
        { signal },
      )
    load(service).catch(() => signal.aborted || setState('error'))
    return () => stop.abort()
  }, [service, collection])

  return (
    <section aria-label="Payment">
      <p role="status">{STATES[state]}</p>
      {/* Another collection is another element: its frame is made when it appears. */}
      <payment-page key={collection} ref={element} collection={collection} lang={lang} />
    </section>
  )
}
