import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newCollection, newMerchant, paySession, startSession, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('money in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'money in another currency is under what needs attention and on its collection, where the merchant counts it as paid',
    async () => {
      const merchant = await newMerchant(service)
      const { id } = await newCollection(merchant, { type: 'invoice' })
      const session = await startSession(service, id)
      await paySession(merchant, session.id, { currency: 'USDT', amount: '25' })
      const isUndecided = async () =>
        (await merchant.call('GET /v1/collections/sessions/undecided')).body.data.total as number
      await expect.poll(isUndecided, { timeout: PATIENCE }).toBe(1)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test`)
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByText('it does not count as paid').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'money-attention')
      await attention.getByRole('link', { name: '25 USDT that was not asked for' }).click()
      const payments = page.getByRole('region', { name: 'Payments' })
      await payments.getByText('You have received 25 USDT on Ethereum').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'money-decide')
      await payments.getByRole('button', { name: 'Send it back' }).click()
      await page.getByRole('dialog').getByText('The payer gave no address for a refund.').waitFor()
      await checkScreen(page, 'money-send-back')
      await page.getByRole('button', { name: 'Close' }).click()
      await payments.getByRole('button', { name: 'Count as paid' }).click()
      await page.getByLabel('Note (optional)').fill('Agreed by phone')
      await page.getByRole('dialog').getByRole('button', { name: 'Count as paid' }).click()
      await payments.getByText('You counted it as paid.').waitFor({ timeout: PATIENCE })
      await page.locator('.main-amount').getByText('paid', { exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'money-counted')
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.getByRole('heading', { name: 'Newest transactions' }).waitFor({ timeout: PATIENCE })
      await expect.poll(() => attention.count(), { timeout: PATIENCE }).toBe(0)
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a merchant sees how many notifications are unread, reads them, and opens what each is about',
    async () => {
      const merchant = await newMerchant(service)
      const { id } = await newCollection(merchant, { title: 'Order 1043' })
      const session = await startSession(service, id)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test`)
      const bell = page.getByRole('banner').getByRole('link', { name: /^Inbox/ })
      await bell.click()
      await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'inbox-empty')
      await paySession(merchant, session.id, { outcome: 'failed' })
      // Without a reload: the event stream of the tab brings it.
      await page.getByRole('link', { name: '25 USDC for Order 1043 is on hold' }).waitFor({ timeout: PATIENCE })
      expect(await bell.getAttribute('aria-label')).toBe('Inbox, 1 unread')
      await checkScreen(page, 'inbox')
      await page.getByRole('link', { name: '25 USDC for Order 1043 is on hold' }).click()
      await page.getByRole('heading', { name: 'Order 1043' }).waitFor({ timeout: PATIENCE })
      await page.getByText('We are working on it; you need not do anything.').first().waitFor({ timeout: PATIENCE })
      await expect.poll(() => bell.getAttribute('aria-label'), { timeout: PATIENCE }).toBe('Inbox')
      const { body } = await merchant.call('GET /v1/notifications')
      // The read state of the user is not that of the organisation.
      expect(body.data.notifications[0].readAt).toBeNull()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
