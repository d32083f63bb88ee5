import { content, fillPlain, type PayData, screenOf, type View } from '@payments/pay-page'

/** What the server wrote into the page. */
interface State {
  data: PayData
  view: View
}

const state = JSON.parse(document.getElementById('state')?.textContent ?? '') as State
/** How far this clock is behind that of the service, in milliseconds. */
let behind = Date.parse(state.data.serverTime) - Date.now()
const watchers: (() => void)[] = []

export const data = (): PayData => state.data
export const view = (): View => state.view
export const text = (name: keyof View['texts'], values?: Record<string, string | number>): string =>
  fillPlain(state.view.texts[name], values)
/** The service's time now, in milliseconds. */
export const now = (): number => Date.now() + behind
/** Runs `react` now and after each new content. */
export function onContent(react: () => void): void {
  watchers.push(react)
  react()
}

export const find = <T extends HTMLElement>(id: string): T | null => document.getElementById(id) as T | null

/** Tells a screen reader, once. */
export function announce(message: string): void {
  const place = find('announcer')
  if (place) place.textContent = message
}

/** Shows what the service answered, if it is news. The reader's place on the page stays where it can. */
export function show(next: PayData): void {
  behind = Date.parse(next.serverTime) - Date.now()
  const { serverTime: _before, ...old } = state.data
  const { serverTime: _now, ...fresh } = next
  // Time alone may change what is said, such as of a payment that takes too long.
  const isSame = JSON.stringify(old) === JSON.stringify(fresh)
  if (isSame && content(next, state.view).text === content(state.data, state.view).text) return
  const heading = () => find('heading')?.textContent ?? ''
  const before = heading()
  const moved = screenOf(state.data) !== screenOf(next)
  state.data = next
  write()
  // The same screen says something else when another currency arrives.
  if (moved || heading() !== before) announce(heading())
}

/** Shows the times, which the server wrote in UTC, in the reader's own zone. */
export function showOwnZone(): void {
  const before = content(state.data, state.view).text
  Object.assign(state.view, { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
  if (content(state.data, state.view).text !== before) write()
}

/** Shows the same with another choice of the reader. */
export function choose(change: Partial<View>): void {
  Object.assign(state.view, change)
  write()
}

function write(): void {
  const main = find('main')
  if (!main) return
  const focused = document.activeElement?.id
  const hadFocus = main.contains(document.activeElement)
  // All values in it were escaped by the template.
  main.innerHTML = content(state.data, state.view).text
  main.dataset.screen = screenOf(state.data)
  for (const react of watchers) react()
  if (hadFocus) (find(focused ?? '') ?? find('heading') ?? main).focus()
}

/** Where the browser keeps nothing for a page in a frame, nothing is kept. */
export function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}
