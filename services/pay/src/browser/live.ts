import { isLive, type PayData, screenOf } from '@payments/pay-page'
import { request } from './api.ts'
import { announce, data, find, now, show, text } from './page.ts'

const POLL_MS = 10_000
const LONGEST_POLL_MS = 60_000
/** A stream that says nothing for so long is dead: the service sends something more often. */
const SILENCE_MS = 45_000
const STREAM_AGAIN_MS = 60_000

let source: EventSource | undefined
let silence: ReturnType<typeof setTimeout> | undefined
let failures = 0

/**
 * Keeps the page up to date: by server-sent events, which the browser resumes by itself, and where they do not work by
 * asking. Without a connection the page says so and tries again.
 */
export function keepUpToDate(): void {
  if (!isLive(screenOf(data()))) return
  connect()
  addEventListener('online', again)
  addEventListener('offline', again)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && again())
}

function connect(): void {
  source?.close()
  source = new EventSource(`/v1/pay/${data().id}/stream`)
  source.onopen = heard
  source.addEventListener('ping', () => {
    heard()
    show({ ...data(), serverTime: new Date(now()).toISOString() })
  })
  source.addEventListener('page', ({ data: message }) => receive(JSON.parse(message) as PayData))
  source.onerror = () => {
    clearTimeout(silence)
    // The browser connects again by itself, unless the service refused the stream.
    if (source?.readyState === EventSource.CLOSED) setTimeout(connect, STREAM_AGAIN_MS)
    again()
  }
}

/** The stream has said something: it is watched for silence again. */
function heard(): void {
  clearTimeout(silence)
  silence = setTimeout(() => {
    connect()
    again()
  }, SILENCE_MS)
  reached(true)
}

function receive(next: PayData): void {
  heard()
  show(next)
}

let asking: ReturnType<typeof setTimeout> | undefined

const again = (): void => void ask().catch(reportError)

/** Asks now, and again until the stream is open. @returns whether there was an answer */
async function ask(): Promise<boolean> {
  clearTimeout(asking)
  asking = undefined
  const { status, data: answer } = await request(data().id)
  if (status === 200) show(answer as PayData)
  // The page is not shown any more: the service says why.
  else if (status === 403 || status === 404) location.reload()
  const well = status !== 0 && status < 500
  reached(well)
  if (!well || source?.readyState !== EventSource.OPEN) {
    clearTimeout(asking)
    asking = setTimeout(again, Math.min(POLL_MS * 2 ** Math.max(0, failures - 2), LONGEST_POLL_MS))
  }
  return well
}

/** A payer may ask at once only so often. */
const PAUSE_MS = 5000

/** Asks now, because the payer expects a payment, and says so when nothing is new, or nobody answered. */
export async function lookAgain(button: HTMLButtonElement): Promise<void> {
  button.disabled = true
  const before = JSON.stringify(data().session)
  const well = await ask()
  const place = find('looked')
  if (place && !well) place.textContent = text('offline')
  else if (place && JSON.stringify(data().session) === before) place.textContent = text('nothingNew')
  setTimeout(() => {
    const again = find<HTMLButtonElement>('look-again')
    if (again) again.disabled = false
  }, PAUSE_MS)
}

/** The page says when there is no connection, and when there is one again. */
function reached(well: boolean): void {
  const banner = find('connection')
  if (!banner) return
  failures = well ? 0 : failures + 1
  if (!well) banner.textContent = text('offline')
  else if (banner.textContent) {
    banner.textContent = ''
    announce(text('online'))
  }
}
