import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'

export const devices = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const
export type Device = keyof typeof devices
export const schemes = ['light', 'dark'] as const

/** The minified form of axe: the other is twice as much for the browser to parse on each page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of WCAG 2.0 to 2.2, levels A and AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface Tab {
  readonly page: Page
  /** Errors on the console, exceptions, failed requests and requests to another origin so far. */
  readonly problems: readonly string[]
}

export interface Visit extends Tab {
  readonly context: BrowserContext
}

/** A limit for what hangs, no measure: beside another test Swagger UI alone needed half a minute. */
const PATIENCE_MS = 100_000

/** Cookies, storage and cache of a device's own. Nothing moves on a screen: the browser would draw each step of it. */
export async function openContext(browser: Browser, device: Device): Promise<BrowserContext> {
  const context = await browser.newContext({ ...devices[device], reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

/** An empty tab that records what goes wrong. `page.emulateMedia` changes between light and dark. */
export async function openTab(context: BrowserContext, origin: string): Promise<Tab> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // The next page was opened before this one had loaded its icon.
    if (reason !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${reason}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== origin)
      problems.push(`another host: ${request.url()}`)
  })
  return { page, problems }
}

/** A tab in a context of its own. */
export async function openWindow(browser: Browser, origin: string, device: Device): Promise<Visit> {
  const context = await openContext(browser, device)
  return { context, ...(await openTab(context, origin)) }
}

/** What axe finds on the page by the rules of WCAG 2.2 AA: rule, and the elements that break it. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy for scripts does not bind, and once for all looks of a page.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE)
  const found = await page.evaluate(async (tags) => {
    const tool = (globalThis as unknown as { axe: typeof axe }).axe
    const { violations: all } = await tool.run({
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })
    return all.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }, WCAG)
  return found
}

/** True if nothing is wider than the window, which on a phone would make the page scroll sideways. */
export const fitsWidth = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
