import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, newRoute, useService } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useService({ worker: true })

describe.runIf(hasTools(chromiumCommand()))('engineers in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an engineer finds a failed request, reads what was sent and answered without personal data, and the events of what succeeded',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const headers = { 'x-request-id': 'checkout-7f3a', 'user-agent': '<b>shop</b>/1' }
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/requests`)
      await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
      await checkScreen(page, 'requests-none')
      await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
      await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
      await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'none' }, headers })
      // The list renews itself.
      const rows = page.getByRole('region', { name: 'Requests' }).getByRole('row')
      await expect.poll(() => rows.count(), { timeout: PATIENCE }).toBe(4)
      await checkScreen(page, 'requests')
      await page.getByLabel('Status').selectOption('refused')
      await page.getByLabel('Method').selectOption('POST')
      await page.getByText('1 request', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?status=refused&method=POST')
      await page.getByRole('link', { name: 'POST /v1/customers' }).click()
      await page.getByText('checkout-7f3a').waitFor()
      const body = (name: string) => page.getByRole('region', { name }).locator('pre').textContent()
      expect(JSON.parse((await body('Request body')) ?? '')).toEqual({ name: '[redacted]', email: '[redacted]' })
      expect(JSON.parse((await body('Reply')) ?? '')).toMatchObject({ message: 'Validation failed', data: null })
      expect(await page.content()).not.toContain('Ada Obi')
      await page.getByText('<b>shop</b>/1').waitFor()
      await checkScreen(page, 'request')
      await page.goBack()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Find a request').fill('checkout-7f3a')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('1 request', { exact: true }).waitFor()
      await page.getByLabel('Find a request').fill('unknown')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('heading', { name: 'No request fits these filters' }).waitFor()
      await page.goto(`${service.url}/dashboard/test/requests/none`)
      await page.getByText('Request not found').waitFor()

      await newRoute(merchant)
      await page.getByRole('link', { name: 'Events', exact: true }).click()
      await page.getByRole('region', { name: 'Events' }).getByRole('link').first().waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'events')
      await page.getByRole('region', { name: 'Events' }).getByRole('link').first().click()
      await page.getByText('As the API returns it').click()
      expect(await page.locator('.raw pre').textContent()).toContain('"type"')
      await checkScreen(page, 'event')
      await page.goto(`${service.url}/dashboard/live/requests`)
      await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
      // The request that does not exist.
      expect(problems).toEqual([expect.stringContaining('404')])
      await context.close()
    },
    STORY_MS,
  )
})
