import { newId } from '@payments/kernel'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { startNetwork } from './test/network.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const OPERATOR = 'operator@example.com'
const service = useArtefact({ settings: { OPERATOR_EMAILS: OPERATOR } })
const CALLS = '**/dashboard/api/trpc/**'

/** Keeps the texts that are added to the page from now on. */
const WATCH = `globalThis.changedTexts = []
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) globalThis.changedTexts.push(node.outerHTML ?? node.textContent)
}).observe(document.getElementById('content'), { childList: true, subtree: true })`

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

/** Makes every call of a page fail as the service does when it is overloaded or has a bug, until this is undone. */
const failWith = (page: Page, httpStatus: number, error: string, message: string) =>
  page.route(CALLS, (route) => {
    const calls = new URL(route.request().url()).pathname.split(',').length
    const each = { error: { message, code: -32603, data: { code: 'INTERNAL_SERVER_ERROR', httpStatus, error } } }
    return route.fulfill({ status: httpStatus, json: Array.from({ length: calls }, () => each) })
  })

describe.runIf(hasTools(chromiumCommand()))('a screen that could not be loaded, in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'says that the service cannot be reached, keeps the navigation, and is shown by itself when the network is back',
    async () => {
      const { organisationId } = await newMerchant(service)
      const network = await startNetwork(service.url)
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${network.url}/dashboard/test/transactions`)
      await heading(page, 'No transactions yet').waitFor({ timeout: PATIENCE })
      network.lose()
      // Its script is not here yet.
      await follow(page, 'Customers')
      await page.getByText('The service cannot be reached').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'no-network')
      // Nor are the data of a screen whose script is.
      await page.evaluate(`history.pushState({}, '', '/dashboard/test/transactions/${newId()}')`)
      await page.getByText('Retrying every few seconds').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'no-network-data')
      await context.setOffline(true)
      await follow(page, 'Customers')
      // The screen before says that the service cannot be reached, too.
      await heading(page, 'This screen could not be loaded').waitFor({ timeout: PATIENCE })
      await page.getByText('The service cannot be reached', { exact: true }).waitFor({ timeout: PATIENCE })
      await context.setOffline(false)
      network.restore()
      await heading(page, 'No customers yet').waitFor({ timeout: PATIENCE })
      await context.close()
      await network.close()
    },
    STORY_MS,
  )

  test.each([
    [503, 'service_unavailable', 'The service is overloaded'],
    [500, 'internal', 'Something went wrong on our side'],
  ] as const)(
    'says what a %i is, keeps the navigation, and is shown by a button or by itself when the service answers',
    async (status, error, message) => {
      const { organisationId } = await newMerchant(service)
      for (const [role, path, screen, empty] of [
        ['member', 'dashboard/test/customers', 'Customers', 'No customers yet'],
        ['operator', 'console/suspense', 'Suspense', 'No transfer is in suspense'],
      ] as const) {
        const as = role === 'operator' ? { role, email: OPERATOR } : { role, organisationId }
        const { context, page } = await openDashboard(browser, service, as)
        await failWith(page, status, error, message)
        await page.goto(`${service.url}/${path}`)
        await page.getByText(message).first().waitFor({ timeout: PATIENCE })
        await checkScreen(page, `${status}-${role}`)
        await page.getByRole('link', { name: screen, exact: true }).waitFor()
        // It is read again meanwhile, twice, and the message stands still.
        await page.evaluate(WATCH)
        await page.waitForTimeout(11_000)
        expect(await page.evaluate('globalThis.changedTexts')).toEqual([])
        await page.unroute(CALLS)
        if (status === 503) await page.getByRole('button', { name: 'Try again' }).first().click()
        await heading(page, empty).waitFor({ timeout: PATIENCE })
        await expect.poll(() => page.getByText(message).count(), { timeout: PATIENCE }).toBe(0)
        await context.close()
      }
    },
    STORY_MS,
  )

  test(
    'because its script was lost with a connection is shown by itself, without a reload of the page',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/transactions`)
      await heading(page, 'No transactions yet').waitFor({ timeout: PATIENCE })
      let lost = 0
      await page.route(/\/dashboard\/assets\/[^/]*\.js/, (route) => (lost++ === 0 ? route.abort() : route.continue()))
      await page.evaluate('globalThis.samePage = true')
      await follow(page, 'Customers')
      await heading(page, 'No customers yet').waitFor({ timeout: PATIENCE })
      expect(lost).toBeGreaterThan(1)
      expect(await page.evaluate('globalThis.samePage')).toBe(true)
      await context.close()
    },
    STORY_MS,
  )

  test(
    'because it is of a version that is gone says so, leaves the other screens as they are, and opens after a reload',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/transactions`)
      await heading(page, 'No transactions yet').waitFor({ timeout: PATIENCE })
      const scripts = /\/dashboard\/assets\/[^/]*\.js/
      await page.route(scripts, (route) => route.fulfill({ status: 404 }))
      await follow(page, 'Customers')
      await page.getByText('The service may have been updated').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'old-version')
      await follow(page, 'Transactions')
      await heading(page, 'No transactions yet').waitFor({ timeout: PATIENCE })
      await follow(page, 'Customers')
      await page.getByText('The service may have been updated').waitFor({ timeout: PATIENCE })
      await page.unroute(scripts)
      await page.getByRole('button', { name: 'Reload the page' }).click()
      await heading(page, 'No customers yet').waitFor({ timeout: PATIENCE })
      await context.close()
    },
    STORY_MS,
  )

  test(
    'because the session has ended leads to the sign-in, and because nothing is there to the list or the search',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, email } = await openDashboard(browser, service, { organisationId, role: 'member' })
      const address = `${service.url}/dashboard/test/transactions/${newId()}`
      await page.goto(address)
      await page.getByText('Transaction not found').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'no-object')
      await page.getByRole('link', { name: 'Show all transactions' }).waitFor()
      await service.runtime.pool.query(
        'update sessions set revoked_at = now() where user_id = (select id from users where email = $1)',
        [email],
      )
      await follow(page, 'Customers')
      await heading(page, 'Sign in').waitFor({ timeout: PATIENCE })
      expect(page.url()).toBe(`${service.url}/dashboard/test/customers`)
      await context.close()
      const operator = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      await operator.page.goto(`${service.url}/console/objects/${newId()}`)
      await operator.page.getByRole('link', { name: 'Search for it' }).waitFor({ timeout: PATIENCE })
      await checkScreen(operator.page, 'console-no-object')
      await operator.context.close()
    },
    STORY_MS,
  )
})
