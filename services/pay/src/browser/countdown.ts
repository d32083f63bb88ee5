import { announce, find, now, onContent, text } from './page.ts'

/** Screen readers hear of the time left at these minutes only. */
const ANNOUNCED_MINUTES = [10, 5, 1]
let announced = Number.POSITIVE_INFINITY

/** Shows how long the amount is held, second by second. */
export function startCountdown(): void {
  onContent(tick)
  setInterval(tick, 1000)
}

function tick(): void {
  const place = find('time-left')
  const end = place?.getAttribute('datetime')
  if (!place || !end) return
  const seconds = Math.max(0, Math.floor((Date.parse(end) - now()) / 1000))
  place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  const minutes = Math.ceil(seconds / 60)
  if (!ANNOUNCED_MINUTES.includes(minutes) || minutes >= announced) return
  announced = minutes
  announce(text('minutesLeft', { minutes }))
}
