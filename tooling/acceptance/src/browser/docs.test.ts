import { guides } from '@payments/gateway'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTools, useService } from '#testing'
import { startChromium } from './chromium.ts'
import { type Device, devices, fitsWidth, openWindow, schemes, violations } from './page.ts'

const service = useService()
const REFERENCES = ['/docs/reference', '/docs/operators']
const pages = guides().map(({ path }) => path)
const hosts = ['localhost', '127.0.0.1']
/** Each device and each name of the host once: what a name changes does not depend on the device. */
const windows = (Object.keys(devices) as Device[]).map((device, index) => ({ device, host: hosts[index] as string }))
const originOf = (host: string) => service.url.replace('127.0.0.1', host)

describe.runIf(hasTools('chromium'))('the documentation in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test.for(windows)(
    'every guide on a $device from $host loads from this service only, without an error, fits in light and dark, and satisfies WCAG 2.2 AA',
    async ({ device, host }) => {
      const origin = originOf(host)
      const { context, page, problems } = await openWindow(browser, origin, device)
      for (const path of pages) {
        await page.goto(`${origin}${path}`)
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          const found = { fits: await fitsWidth(page), violations: await violations(page) }
          expect({ path, colorScheme, ...found }).toEqual({ path, colorScheme, fits: true, violations: [] })
        }
      }
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test.for(windows)(
    'both references on a $device from $host load from this service only, without an error, and fit in light and dark',
    async ({ device, host }) => {
      const origin = originOf(host)
      const { context, page, problems } = await openWindow(browser, origin, device)
      for (const path of REFERENCES) {
        await page.goto(`${origin}${path}`)
        await page.locator('.opblock').first().waitFor()
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          const shown = colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)'
          await page.locator(shown).waitFor({ state: 'attached' })
          expect({ path, colorScheme, fits: await fitsWidth(page) }).toEqual({ path, colorScheme, fits: true })
        }
      }
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test.for(hosts)(
    '"Try it out" sends a request to the address that the reference was opened from: %s',
    async (host) => {
      const origin = originOf(host)
      const { context, page, problems } = await openWindow(browser, origin, 'desktop')
      await page.goto(`${origin}/docs/reference#/Payment%20routes/listNetworks`)
      const operation = page.locator('#operations-Payment_routes-listNetworks')
      await operation.getByRole('button', { name: 'Try it out' }).click()
      const replied = page.waitForResponse(`${origin}/v1/payment-routes/networks`)
      await operation.getByRole('button', { name: 'Execute' }).click()
      expect((await replied).status()).toBe(401)
      await operation.getByText('No token provided').first().waitFor()
      expect(problems.filter((problem) => !problem.includes('401'))).toEqual([])
      await context.close()
    },
  )

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
