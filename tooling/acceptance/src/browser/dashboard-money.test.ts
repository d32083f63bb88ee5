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
})
