import { randomUUID } from 'node:crypto'
import { mailedCode, startReceiver } from '@payments/stand'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'
import { checkScreen, PATIENCE, STORY_MS } from './test/signed-in.ts'

/** Text that would be markup where it is not escaped. */
const HOSTILE = '<img src=x onerror=alert(1)>'

const receiver = await startReceiver({ answer: () => ({ status: 200, body: HOSTILE }) })
const service = useArtefact({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })

describe.runIf(hasTools(chromiumCommand()))('the dashboard in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => Promise.all([browser.close(), receiver.close()]))

  test(
    'a merchant registers, makes a payment link, pays it in the sandbox and sees it arrive, without typing a command',
    async () => {
      const email = `ada-${randomUUID().slice(0, 8)}@example.com`
      const { context, page, problems } = await openWindow(browser, service.url, 'desktop')
      await page.goto(`${service.url}/dashboard`)
      await page.getByRole('button', { name: 'Create an account' }).click()
      await page.getByLabel('Name of your organisation').fill('Ada Ltd')
      await page.getByLabel('Email address').fill(email)
      await checkScreen(page, 'sign-in')
      await page.getByRole('button', { name: 'Email me a code' }).click()
      await page.getByRole('link', { name: '/dev/mail' }).waitFor()
      const code = await mailedCode(service.dataDir, email, PATIENCE)
      const mail = await context.newPage()
      await mail.goto(`${service.url}/dev/mail`)
      await mail.getByText(code).first().waitFor()
      await checkScreen(mail, 'mail')
      await mail.close()
      await page.getByLabel('Code').fill(code)
      await checkScreen(page, 'code')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('link', { name: 'Start: Create a payment link' }).waitFor()
      expect(page.url()).toBe(`${service.url}/dashboard/test`)
      await checkScreen(page, 'first-steps')
      await page.getByRole('link', { name: 'Start: Create a payment link' }).click()
      await page.getByLabel('Description').fill(HOSTILE)
      await page.getByLabel('Amount', { exact: true }).fill('25')
      await checkScreen(page, 'new-link')
      await page.getByRole('button', { name: 'Create payment link' }).click()
      await page.getByRole('heading', { name: HOSTILE }).waitFor()
      await page.getByRole('button', { name: 'Pay it in the sandbox' }).click()
      // Without a reload: the event stream of the tab brings it.
      await page
        .getByRole('region', { name: 'Payments' })
        .getByText('paid', { exact: true })
        .waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'link')
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await page.getByText('2 of 4 done').waitFor()
      const volume = page.getByRole('region', { name: 'Last 30 days' })
      await volume.getByText('100%').first().waitFor()
      const figure = (name: string) => volume.locator('.figures > div').filter({ hasText: name }).locator('dd').first()
      expect(await figure('Median time to settle').textContent()).toMatch(/^\d+ (s|min)/)
      // What is not known yet is left out.
      expect(await figure('Fees').count()).toBe(0)
      const money = page.getByRole('region', { name: 'Money by currency' }).getByRole('row').nth(1)
      expect(await money.getByRole('cell').allTextContents()).toEqual(['USDC', '25 USDC', '0 USDC', '0 USDC'])
      const row = page.getByRole('region', { name: 'Volume by kind and asset' }).getByRole('row').nth(1)
      expect(await row.getByRole('cell').allTextContents()).toEqual([
        ...['Collection', '25 USDC', '25 USDC', '1', '100%', expect.stringMatching(/^\d+ (s|min)/), '0 USDC'],
      ])
      await volume.getByText('Show each day').click()
      const day = page.getByRole('region', { name: 'Each day' }).getByRole('row').nth(1)
      expect((await day.getByRole('cell').allTextContents()).slice(1)).toEqual(['25 USDC', '0 USDC'])
      // The last day is said in words; keys and the pointer move along the days.
      const plot = volume.getByRole('slider', { name: 'Came in, USDC, by day' })
      const said = () => plot.getAttribute('aria-valuetext')
      expect(await said()).toMatch(/^\d+ \w+: 25 USDC, 0 USDC 30 days before$/)
      await plot.press('ArrowLeft')
      expect(await said()).toMatch(/: 0 USDC, 0 USDC 30 days before$/)
      await plot.press('Home')
      expect(await plot.getAttribute('aria-valuenow')).toBe('1')
      const box = await plot.boundingBox()
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 2, (box?.y ?? 0) + 20)
      expect(await said()).toMatch(/: 25 USDC, 0 USDC 30 days before$/)
      expect(await volume.locator('.axis li').allTextContents()).toEqual(['25 USDC', '20', '15', '10', '5', '0'])
      await checkScreen(page, 'overview')
      await volume.getByLabel('Chart').selectOption('Number of transactions')
      await volume.getByText('1 transaction', { exact: false }).first().waitFor()
      expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0)
      await page.getByRole('link', { name: 'Transactions', exact: true }).click()
      await page.getByText('Kind: All').click()
      await page.getByRole('checkbox', { name: 'Collection' }).check()
      await page.getByRole('checkbox', { name: 'Swap' }).check()
      await page.getByRole('link', { name: '25 USDC' }).first().waitFor()
      await checkScreen(page, 'transactions')
      await page.keyboard.press('Escape')
      // The address has the filters, of several values each: it can be reloaded, and back leads out of them.
      expect(new URL(page.url()).searchParams.get('kind')).toBe('collection,swap')
      await page.reload()
      await page.getByText('Kind: 2 chosen').click()
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
      await page.getByRole('checkbox', { name: 'Collection' }).uncheck()
      await page.getByText('No transaction fits these filters').waitFor()
      await page.goBack()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: '25 USDC' }).first().click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await checkScreen(page, 'transaction')
      await page.goBack()
      await page.getByRole('button', { name: 'Clear filters' }).waitFor()
      await page.getByRole('link', { name: 'API keys', exact: true }).click()
      await page.getByRole('button', { name: 'New API key' }).click()
      await page.getByLabel('Name').fill('Order service')
      await page.getByRole('button', { name: 'Create key' }).click()
      const key = await page.locator('.secret code').textContent()
      expect(key).toMatch(/^svc_test_/)
      await checkScreen(page, 'key')
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Revoke Order service' }).waitFor()
      expect(await page.content()).not.toContain(key)
      await checkScreen(page, 'keys')
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
      await page.getByRole('heading', { name: 'Get every event' }).waitFor()
      await checkScreen(page, 'webhooks')
      await page.getByRole('button', { name: 'New endpoint' }).click()
      await page.getByLabel('Address').fill(`${receiver.origin}/hooks`)
      await page.getByRole('button', { name: 'Create endpoint' }).click()
      expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/)
      await checkScreen(page, 'secret')
      await page.getByRole('link', { name: 'Send it a test event' }).click()
      await page.getByRole('button', { name: 'Send a test event' }).click()
      await page.getByText('delivered').first().waitFor({ timeout: PATIENCE })
      await page.locator('summary').first().click()
      // The reply of a receiver is text.
      await page.getByText(HOSTILE).waitFor()
      await checkScreen(page, 'endpoint')
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('delivered').nth(1).waitFor({ timeout: PATIENCE })
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await page.getByText('Newest transactions').waitFor()
      // Every first step has ticked itself.
      expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
      await page.getByRole('link', { name: 'Live', exact: true }).click()
      await page.getByText('Live: everything here moves real money').waitFor()
      expect(page.url()).toBe(`${service.url}/dashboard/live/webhooks`)
      await checkScreen(page, 'live')
      await page.getByRole('link', { name: email }).click()
      // No script can read the session.
      expect(await page.evaluate('document.cookie + Object.keys(localStorage) + Object.keys(sessionStorage)')).toBe('')
      await checkScreen(page, 'account')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
