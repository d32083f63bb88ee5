import { guides } from '@payments/documentation'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { type Device, devices, fitsWidth, openWindow, schemes, violations } from './page.ts'

const service = useArtefact()
const pages = guides().map(({ path }) => path)
/** A list, an operation with all that one can have, a long page, and what was found: the other pages are made of the same parts. */
const REFERENCE = [
  '/docs/reference',
  '/docs/reference/collections.create',
  '/docs/reference/events',
  '/docs/search?q=payment',
]
const hosts = ['localhost', '127.0.0.1']
/** Each device and each name of the host once: what a name changes does not depend on the device. */
const windows = (Object.keys(devices) as Device[]).map((device, index) => ({ device, host: hosts[index] as string }))
const originOf = (host: string) => service.url.replace('127.0.0.1', host)

describe.runIf(hasTools(chromiumCommand()))('the documentation in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test.for(windows)(
    'every guide and kind of reference page on a $device from $host loads from this service only, without an error, fits in light and dark, and satisfies WCAG 2.2 AA',
    async ({ device, host }) => {
      const origin = originOf(host)
      const { context, page, problems } = await openWindow(browser, origin, device)
      for (const path of [...pages, ...REFERENCE]) {
        await page.goto(`${origin}${path}`)
        // What axe checks does not depend on the width, so a desktop needs one look.
        for (const colorScheme of device === 'phone' ? schemes : schemes.slice(0, 1)) {
          await page.emulateMedia({ colorScheme })
          const found = { fits: await fitsWidth(page), violations: device === 'phone' ? await violations(page) : [] }
          expect({ path, colorScheme, ...found }).toEqual({ path, colorScheme, fits: true, violations: [] })
        }
      }
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test('the form of an operation makes what its example needs and sends it, each time with a new key, and Swagger UI works beside it', async () => {
    const merchant = await newMerchant(service)
    const { context, page, problems } = await openWindow(browser, service.url, 'desktop')
    const keys: string[] = []
    page.on('request', (request) => {
      const key = request.headers()['idempotency-key']
      if (key) keys.push(key)
    })
    await page.goto(`${service.url}/docs/reference/paymentRoutes.get`)
    await page.getByLabel('API key or access token').fill(merchant.key)
    for (const times of [1, 2]) {
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText(/^GET \/v1\/payment-routes\/[0-9a-f-]{36}: 200$/).waitFor()
      expect(new Set(keys).size).toBe(times)
    }
    expect(await page.locator('.result pre').textContent()).toContain('"depositAddress"')
    // The language is chosen once, for every page.
    await page.getByRole('button', { name: 'PHP' }).click()
    await page.goto(`${service.url}/docs/reference/customers.create`)
    await page.locator('figure.php.chosen').waitFor()
    expect(await page.locator('.tabs > figure:visible').count()).toBe(1)
    await page.goto(`${service.url}/docs/swaps`)
    await page.locator('.tabs > figure.php.chosen').first().waitFor()
    await page.getByRole('button', { name: 'Python' }).first().click()
    expect(await page.locator('.tabs > figure:visible').count()).toBe(await page.locator('.tabs').count())
    await page.goto(`${service.url}/docs/reference/customers.create`)
    await page.locator('figure.python.chosen').waitFor()
    await page.goto(`${service.url}/docs/swagger#/Payment%20routes/paymentRoutes.networks`)
    const operation = page.locator('[id^="operations-Payment_routes-"][id$=".networks"]')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    const replied = page.waitForResponse(`${service.url}/v1/payment-routes/networks`)
    await operation.getByRole('button', { name: 'Execute' }).click()
    expect((await replied).status()).toBe(401)
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([])
    await context.close()
  })

  test('without a script reference and guides show the samples of all languages, and the search answers', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.url}/docs/reference/customers.create`)
    expect(await page.locator('.tabs > figure:visible').count()).toBe(5)
    expect(await page.locator('form.try').isVisible()).toBe(false)
    await page.goto(`${service.url}/docs/quick-start`)
    for (const language of ['sh', 'ts', 'python', 'php', 'go', 'cli'])
      expect(await page.locator(`.tabs > figure.${language}:visible`).count()).toBeGreaterThan(3)
    await page.goto(`${service.url}/docs/reference/customers.create`)
    await page.getByRole('searchbox').fill('list customers')
    await page.keyboard.press('Enter')
    await page.locator('.results a', { hasText: 'List customers' }).first().waitFor()
    await context.close()
  })

  test('every guide and the reference can be reached by keyboard, and the first key skips to the content', async () => {
    for (const device of Object.keys(devices) as Device[]) {
      const { context, page } = await openWindow(browser, service.url, device)
      await page.goto(`${service.url}/docs`)
      const reached: string[] = []
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        reached.push(String(await page.evaluate("document.activeElement?.getAttribute('href')")))
      }
      expect(reached[0]).toBe('#content')
      expect([...pages, '/docs/reference'].filter((path) => !reached.includes(path))).toEqual([])
      await page.goto(`${service.url}/docs`)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement?.id')).toBe('content')
      await context.close()
    }
  })

  test('the copy button copies the code, by keyboard too, and says so', async () => {
    const { context, page, problems } = await openWindow(browser, service.url, 'desktop')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${service.url}/docs/webhooks`)
    const figure = page.locator('figure.code', { hasText: 'verify.py' }).last()
    const button = figure.getByRole('button')
    await button.focus()
    await page.keyboard.press('Enter')
    await figure.getByText('Copied').waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(String(copied).trim()).toBe((await figure.locator('code').textContent())?.trim())
    expect(problems).toEqual([])
    await context.close()
  })
})
