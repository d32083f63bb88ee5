import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, mailedCode, newMerchant, suspenseOf, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const OPERATOR = 'operator@example.com'
const service = useArtefact({ settings: { OPERATOR_EMAILS: OPERATOR } })
const sql = (text: string, values: unknown[] = []) => service.runtime.pool.query(text, values)

/** More stops than a screen has. */
const MOST_STOPS = 120

/** What has the focus: its name, and whether a reader sees where it is. A heading that was given it shows by its place. */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return { name: '', isSeen: false }
  const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent
  const box = element.getBoundingClientRect()
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const isInView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  const isHeading = element.tabIndex < 0
  return { name: label.trim(), isSeen: isInView && (isHeading || (outlineStyle !== 'none' && outlineWidth !== '0px')) }
})()`
interface Focused {
  readonly name: string
  readonly isSeen: boolean
}
const focused = (page: Page) => page.evaluate(FOCUSED) as Promise<Focused>

/** Presses a key until what has the name has the focus. Everything on the way is seen. */
async function go(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const way: string[] = []
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press(key)
    const at = await focused(page)
    way.push(at.name)
    // After the last stop the browser's own controls have it.
    if (at.name !== '') expect(at, way.join(' → ')).toMatchObject({ isSeen: true })
    if (typeof name === 'string' ? at.name === name : name.test(at.name)) return
  }
  throw new Error(`${name} is not among ${way.join(' → ')}`)
}

/** Waits until something has the focus, as it must after each step: what has the name, where one is given. */
async function holdsFocus(page: Page, name?: string): Promise<void> {
  const expected = { isSeen: true, ...(name === undefined ? {} : { name }) }
  await expect.poll(() => focused(page), { timeout: PATIENCE }).toMatchObject(expected)
}

describe.runIf(hasTools(chromiumCommand()))('by the keyboard alone in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'a merchant creates a payment link, pays it in the sandbox and opens the transaction, and the focus is never lost',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      const { keyboard } = page
      await page.goto(`${service.url}/dashboard/test`)
      await page.getByRole('link', { name: 'Start: Create a payment link' }).waitFor({ timeout: PATIENCE })
      await go(page, 'Collections')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Ask for a payment' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page, 'Collections')
      // Escape leads back to what opened the dialog.
      await go(page, 'New payment link')
      await keyboard.press('Enter')
      await page.locator('dialog').waitFor()
      await keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await holdsFocus(page, 'New payment link')
      await keyboard.press('Space')
      await go(page, 'Description')
      await keyboard.type('Consulting')
      await go(page, 'Amount')
      await keyboard.type('many')
      await go(page, 'Create payment link')
      await keyboard.press('Enter')
      // What was refused can be corrected from where one is.
      await page.locator('[aria-invalid=true]').waitFor({ timeout: PATIENCE })
      await holdsFocus(page, 'Create payment link')
      await go(page, 'Amount', 'Shift+Tab')
      await keyboard.press('Control+A')
      await keyboard.type('25')
      await go(page, 'Create payment link')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Consulting' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page, 'Consulting')
      await go(page, 'Pay it in the sandbox')
      await keyboard.press('Enter')
      const payments = page.getByRole('region', { name: 'Payments' })
      await payments.getByText('paid', { exact: true }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      await go(page, '25 USDC')
      await keyboard.press('Enter')
      // The collection has a timeline, too.
      await page.waitForURL('**/dashboard/test/transactions/**', { timeout: PATIENCE })
      await page.getByRole('heading', { name: 'Timeline' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      expect(page.url()).toContain('/dashboard/test/transactions/')
      // A dialog that a link opened leaves the focus in the screen.
      await page.goto(`${service.url}/dashboard/test/collections?new=1`)
      await page.locator('dialog').waitFor({ timeout: PATIENCE })
      await keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await holdsFocus(page)
      expect(problems.filter((problem) => !problem.includes('422'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an operator finds an organisation, sees what a command would do, confirms it with a code, and the focus is never lost',
    async () => {
      const { organisationId } = await newMerchant(service)
      await suspenseOf(service.runtime, organisationId, 5_000_000n)
      const { context, page, problems } = await openDashboard(browser, service, { role: 'operator', email: OPERATOR })
      const { keyboard } = page
      await page.goto(`${service.url}/console`)
      await page.getByRole('heading', { name: 'Needs attention', exact: true }).waitFor({ timeout: PATIENCE })
      await go(page, 'Find anything')
      await keyboard.type(organisationId)
      await keyboard.press('Enter')
      await page.getByRole('region', { name: 'Found organisations' }).getByRole('link').waitFor({ timeout: PATIENCE })
      await go(page, /^Organisation \w{6}$/)
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Members', exact: true }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      await go(page, 'Suspense', 'Shift+Tab')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Balances in suspense' }).waitFor({ timeout: PATIENCE })
      await go(page, /^Move/)
      await keyboard.press('Enter')
      await go(page, 'Amount')
      await keyboard.type('2')
      await go(page, 'To')
      await keyboard.type('fees')
      await go(page, 'Reason')
      await keyboard.type('Ticket 7')
      await sql(
        "update sessions set confirmed_at = now() - interval '1 hour' where user_id = (select id from users where email = $1)",
        [OPERATOR],
      )
      await go(page, 'Show what it would do')
      await keyboard.press('Space')
      await page.getByRole('region', { name: 'What it would do' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page, 'Move money out of suspense')
      await go(page, 'Move money out of suspense')
      await keyboard.press('Enter')
      await page.getByRole('button', { name: 'Email me a code' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      await go(page, 'Email me a code', 'Shift+Tab')
      await keyboard.press('Enter')
      const code = await mailedCode(service.dataDir, OPERATOR, PATIENCE)
      await page.getByLabel('Code', { exact: true }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page, 'Code')
      await keyboard.type(code)
      await keyboard.press('Enter')
      await page.getByText('It is done').waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      await go(page, 'Back')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Balances in suspense' }).waitFor({ timeout: PATIENCE })
      await holdsFocus(page)
      expect(problems.filter((problem) => !problem.includes('403'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
