import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTools, newMerchant, signedIn, useService } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useService({ worker: true })

/** The colour behind an element, in the browser. */
const backgroundOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(element)
    .backgroundColor

describe.runIf(hasTools('chromium'))('settings in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an owner invites, changes a role and sees the branding of the pay page change while typing',
    async () => {
      const { organisationId } = await newMerchant(service)
      const member = await signedIn(service.runtime, { organisationId, role: 'member' })
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await page.goto(`${service.url}/dashboard/test/settings`)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByLabel('Email address').fill('grace@example.com')
      await checkScreen(page, 'invite')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page
        .getByRole('region', { name: 'Invitations' })
        .getByText('grace@example.com')
        .waitFor({ timeout: PATIENCE })
      await page.getByLabel(`Role of ${member.email}`).selectOption('owner')
      await expect
        .poll(() => page.getByLabel(`Role of ${member.email}`).inputValue(), { timeout: PATIENCE })
        .toBe('owner')
      await checkScreen(page, 'team')
      await page.getByRole('link', { name: 'Notifications' }).click()
      const box = page.getByLabel(/^Send by email: /).first()
      const before = await box.isChecked()
      await box.click()
      await expect.poll(() => box.isChecked(), { timeout: PATIENCE }).toBe(!before)
      await checkScreen(page, 'notifications')
      await page.getByRole('link', { name: 'Payments', exact: true }).click()
      await page.getByLabel('Too little or too much').waitFor()
      await checkScreen(page, 'payment-settings')
      await page.getByRole('link', { name: 'Branding' }).click()
      await page.getByLabel('Name that payers see (optional)').fill('<i>Workshop</i>')
      await page.getByLabel('Colour of buttons (optional)').fill('#0f766e')
      const preview = page.getByRole('region', { name: 'Preview of the pay page' })
      // Text of the merchant is text.
      await preview.getByText('<i>Workshop</i>').waitFor()
      await expect.poll(() => preview.getByText('Continue').evaluate(backgroundOf)).toBe('rgb(15, 118, 110)')
      await checkScreen(page, 'branding')
      await page.goto(`${service.url}/dashboard/live`)
      const missing = page.getByRole('region', { name: 'Go live' })
      await missing.getByText('You can set it').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'go-live')
      await page.goto(`${service.url}/dashboard/test/account`)
      await page.getByText('this one').waitFor()
      await checkScreen(page, 'sessions')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a member sees why something is not allowed, and a call made by hand is refused all the same',
    async () => {
      const { organisationId } = await newMerchant(service)
      const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/live/settings/team`)
      await page.getByText('Only owners of the organisation see and change its team.').waitFor()
      expect(await page.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true)
      await checkScreen(page, 'team-of-member')
      await page.getByRole('link', { name: 'Payments', exact: true }).click()
      await page
        .getByText('Only owners of the organisation change live refund addresses.')
        .waitFor({ timeout: PATIENCE })
      const calls = {
        'auth.invite': { email: 'eve@example.com', role: 'owner' },
        'auth.changeRole': { userId: owner.userId, role: 'member' },
        'auth.removeMember': { userId: owner.userId },
        'apiKeys.create': { name: 'x', environment: 'live', access: 'read_write' },
        'paymentRoutes.changeRefundAddresses': { evm: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
        'admin.organisations.suspend': { organisationId, reason: 'x' },
      }
      const refused = await page.evaluate(async (given: Record<string, unknown>) => {
        const statuses: Record<string, number> = {}
        for (const [name, body] of Object.entries(given))
          statuses[name] = (
            await fetch(`/dashboard/api/trpc/${name}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', 'x-service-environment': 'live' },
              body: JSON.stringify(body),
            })
          ).status
        return statuses
      }, calls)
      expect(refused).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, 403])))
      expect(problems.filter((problem) => !problem.includes('403') && !problem.includes('503'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
