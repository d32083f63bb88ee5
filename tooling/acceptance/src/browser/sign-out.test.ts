import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newMerchant, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()
const CALLS = '**/dashboard/api/**'

/** The path of a call below `/dashboard/api`, such as `/session/end`. */
const pathOf = (route: Route): string => new URL(route.request().url()).pathname.replace('/dashboard/api', '')

/**
 * Holds every read of the page until the service has ended its session, and the reply about that until the reads were answered.
 * @returns what the page asked the service for after the sign-out was sent
 */
async function endSessionBeforeReads(page: Page): Promise<{ held: () => number; later: readonly string[] }> {
  const held: Route[] = []
  const later: string[] = []
  let ends = false
  await page.route(CALLS, async (route) => {
    const path = pathOf(route)
    if (path !== '/session/end') {
      if (ends) later.push(path)
      if (path.startsWith('/trpc') && !ends) held.push(route)
      else await route.continue()
      return
    }
    ends = true
    const reply = await route.fetch()
    for (const read of held) {
      await read.continue()
      await read.request().response()
    }
    await route.fulfill({ response: reply })
  })
  return { held: () => held.length, later }
}

describe.runIf(hasTools(chromiumCommand()))('signing out in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test.each([
    { of: 'the dashboard', role: 'owner', start: '/dashboard/test/settings' },
    { of: 'the console', role: 'operator', start: '/console/ledger' },
  ] as const)(
    'of $of ends the reads in flight and starts none that the ended session could not make',
    async ({ role, start }) => {
      const { organisationId } = await newMerchant(service)
      const as = role === 'operator' ? { role } : { role, organisationId }
      const { context, page, problems, email } = await openDashboard(browser, service, as)
      await page.goto(`${service.url}${start}`)
      await page.getByRole('heading', { level: 1 }).waitFor({ timeout: PATIENCE })
      const { held, later } = await endSessionBeforeReads(page)
      await (role === 'operator'
        ? page.getByRole('link', { name: 'Organisations', exact: true })
        : page.getByRole('link', { name: email })
      ).click()
      await expect.poll(held, { timeout: PATIENCE }).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: PATIENCE })
      // The next document reads who is signed in.
      expect({ problems, later }).toEqual({ problems: [], later: ['/session'] })
      await context.close()
    },
    STORY_MS,
  )

  test.each([
    {
      of: 'the dashboard',
      role: 'owner',
      start: '/dashboard/test/account',
      stream: 'events?*',
      next: 'API keys',
      shows: 'Never used',
    },
    {
      of: 'the console',
      role: 'operator',
      start: '/console/ledger',
      stream: 'changes',
      next: 'Organisations',
      shows: /^Organisation \w{6}$/,
    },
  ] as const)(
    'of $of that fails says why, and the user who is still signed in goes on',
    async ({ role, start, stream, next, shows }) => {
      const { organisationId } = await newMerchant(service)
      const as = role === 'operator' ? { role } : { role, organisationId }
      const { context, page, problems } = await openDashboard(browser, service, as)
      await page.goto(`${service.url}${start}`)
      await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor({ timeout: PATIENCE })
      await page.route('**/session/end', (route) => route.fulfill({ status: 503, json: { message: 'Not available' } }))
      const followed = page.waitForRequest(`**/dashboard/api/${stream}`, { timeout: PATIENCE })
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('alert').getByText('Not available').waitFor({ timeout: PATIENCE })
      await page.getByRole('link', { name: next, exact: true }).click()
      await page.getByRole('heading', { name: next, exact: true }).waitFor({ timeout: PATIENCE })
      // What it reads is shown.
      await page.locator('main').getByText(shows).first().waitFor({ timeout: PATIENCE })
      await followed
      expect(problems).toEqual([expect.stringContaining('503')])
      await context.close()
    },
    STORY_MS,
  )
})
