import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, signedIn, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { firstScreens, furnished } from './test/furnished.ts'
import { linksOf, pressAll } from './test/press.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('roles in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an owner chooses a role by what it may do, in an invitation and for a member',
    async () => {
      const organisationId = await furnished(service)
      const member = await signedIn(service.runtime, { organisationId, role: 'member' })
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await page.goto(`${service.url}/dashboard/test/settings`)
      await page.getByLabel(`Role of ${member.email}`).selectOption('viewer')
      await expect
        .poll(() => page.getByLabel(`Role of ${member.email}`).inputValue(), { timeout: PATIENCE })
        .toBe('viewer')
      await page.getByRole('region', { name: 'Roles' }).getByText('Sees everything and changes nothing').waitFor()
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByLabel('Email address').fill('finance@example.com')
      await page.getByRole('dialog').getByLabel('Role').selectOption('finance')
      await page.getByRole('dialog').getByText('creates and changes payments, payouts').waitFor()
      await checkScreen(page, 'invite-finance')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      const invitations = page.getByRole('region', { name: 'Invitations' })
      await invitations.getByText('finance@example.com').waitFor({ timeout: PATIENCE })
      await invitations.getByText('Finance', { exact: true }).waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test.each([
    {
      role: 'viewer',
      says: 'Your role is Viewer. You see everything',
      sends: ['views.create', 'notifications.changePreferences'],
      never: ['offramps.create', 'webhooks.test', 'customers.update', 'branding.uploadLogo'],
    },
    {
      role: 'finance',
      says: 'Your role is Finance.',
      sends: ['collections.changePolicy', 'collections.delete', 'sandbox.swaps.deposit'],
      never: ['webhooks.test', 'apiKeys.create', 'auth.invite'],
    },
    {
      role: 'developer',
      says: 'Your role is Developer.',
      sends: ['webhooks.test', 'apiKeys.create', 'sandbox.swaps.deposit'],
      never: ['customers.update', 'collections.delete', 'auth.invite'],
    },
  ] as const)(
    'no control of any screen of $role sends a change that the API refuses to the role, and the others work',
    async ({ role, says, sends, never }) => {
      const organisationId = await furnished(service)
      const { context, page } = await openDashboard(browser, service, { organisationId, role })
      const sent = new Set<string>()
      await context.route('**/dashboard/api/**', async (route, request) => {
        const name = /\/dashboard\/api\/(?:trpc\/)?([^?]*)/.exec(request.url())?.[1] ?? ''
        if (request.method() !== 'POST') return await route.continue()
        for (const each of name.split(',')) sent.add(each)
        // Nothing changes, so that every screen stays as it is.
        await route.fulfill({ status: 503, json: {} })
      })
      const start = `${service.url}/dashboard/test`
      const screens = firstScreens(start)
      await page.goto(start)
      for (const address of screens.values()) {
        await pressAll(page, address)
        expect([address, await page.getByText(says).count()]).toEqual([address, 1])
        for (const [name, link] of await linksOf(page))
          if (!screens.has(name)) screens.set(name, new URL(link, service.url).href)
      }
      expect(screens.size).toBeGreaterThan(30)
      await context.unroute('**/dashboard/api/**')
      // The API says what it refuses to the role, before it reads what is asked for.
      const refused = await page.evaluate(
        async (names: readonly string[]) => {
          const found: string[] = []
          for (const name of names) {
            const reply = await fetch(`/dashboard/api/trpc/${name}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ unexpected: true }),
            })
            if ((await reply.text()).includes('role required')) found.push(name)
          }
          return found
        },
        [...sent].filter((name) => !name.startsWith('session/')),
      )
      expect(refused).toEqual([])
      expect([...sent]).toEqual(expect.arrayContaining([...sends]))
      expect(never.filter((each) => sent.has(each))).toEqual([])
      await page.goto(`${start}/offramps`)
      await page.getByRole('heading', { name: 'Offramps', exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, `offramps-of-${role}`)
      await context.close()
    },
    STORY_MS,
  )
})
