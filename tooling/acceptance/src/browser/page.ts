import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'

export const devices = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const
export type Device = keyof typeof devices
export const schemes = ['light', 'dark'] as const

/** The rules of WCAG 2.0 to 2.2, levels A and AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors on the console, exceptions, failed requests and requests to another origin so far. */
  readonly problems: readonly string[]
}

/** A limit for what hangs, no measure: beside another test Swagger UI alone needed half a minute. */
const PATIENCE_MS = 100_000

/** An empty window of a device that records what goes wrong. `page.emulateMedia` changes between light and dark. */
export async function openWindow(browser: Browser, origin: string, device: Device): Promise<Visit> {
  const context = await browser.newContext(devices[device])
  context.setDefaultTimeout(PATIENCE_MS)
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
  return { context, page, problems }
}

/** What axe finds on the page by the rules of WCAG 2.2 AA: rule, and the elements that break it. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy for scripts does not bind.
  await page.evaluate(axe.source)
  const found = await page.evaluate(async (tags) => {
    const tool = (globalThis as unknown as { axe: typeof axe }).axe
    const { violations: all } = await tool.run({ runOnly: { type: 'tag', values: tags } })
    return all.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }, WCAG)
  return found
}

/** True if nothing is wider than the window, which on a phone would make the page scroll sideways. */
export const fitsWidth = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
