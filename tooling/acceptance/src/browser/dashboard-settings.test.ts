import { newId } from '@payments/kernel'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  chromiumCommand,
  foundOrganisation,
  hasTools,
  newCollection,
  newMerchant,
  signedIn,
  startNameServer,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { devices, fitsWidth } from './page.ts'
import { firstScreens, furnished } from './test/furnished.ts'
import { linksOf, pressAll } from './test/press.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const names = await startNameServer()
afterAll(() => names.close())
const service = useArtefact({ settings: { DNS_SERVERS: names.address } })

/** The colour behind an element, in the browser. */
const backgroundOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(element)
    .backgroundColor

describe.runIf(hasTools(chromiumCommand()))('settings in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an owner changes the time zone of the organisation, and an invoice says its due date in it',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await page.goto(`${service.url}/dashboard/test/account`)
      await page.getByLabel('Time zone of the organisation').selectOption('America/New_York')
      await page.getByRole('region', { name: 'Time zone' }).getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'account')
      const { id, dueAt } = await newCollection(merchant, { type: 'invoice', dueAt: '2036-12-31' })
      expect(dueAt).toBe('2037-01-01T04:59:59.999Z')
      await page.goto(`${service.url}/dashboard/test/collections/${id}`)
      await page.getByText('31 Dec 2036').waitFor({ timeout: PATIENCE })
      await page.goto(`${service.url}/dashboard/test/statements`)
      await page.getByRole('heading', { name: 'Statements' }).waitFor({ timeout: PATIENCE })
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

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
      await page.getByRole('link', { name: 'Notifications', exact: true }).click()
      const box = page.getByLabel(/^Send by email: /).first()
      const before = await box.isChecked()
      await box.click()
      await expect.poll(() => box.isChecked(), { timeout: PATIENCE }).toBe(!before)
      await checkScreen(page, 'notifications')
      await page.getByRole('link', { name: 'Payments', exact: true }).click()
      await page.getByLabel('Too little or too much').waitFor()
      await checkScreen(page, 'payment-settings')
      await page.getByRole('link', { name: 'Branding', exact: true }).click()
      await page.getByLabel('Name that payers see (optional)').fill('<i>Workshop</i>')
      await page.getByLabel('Colour of buttons (optional)').fill('#0f766e')
      const preview = page.getByRole('region', { name: 'Preview of the pay page' })
      // Text of the merchant is text.
      await preview.getByText('<i>Workshop</i>').waitFor()
      await expect.poll(() => preview.getByText('Continue').evaluate(backgroundOf)).toBe('rgb(15, 118, 110)')
      await checkScreen(page, 'branding')
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await fitsWidth(page)).toBe(true)
      await page.setViewportSize(devices.desktop.viewport)
      await page.goto(`${service.url}/dashboard/live`)
      const missing = page.getByRole('region', { name: 'Go live' })
      await missing.getByText('You can set it').waitFor({ timeout: PATIENCE })
      // The first steps are taken in test.
      expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
      await missing.getByText('Payment routes are not available').waitFor()
      await checkScreen(page, 'go-live')
      // Where nothing can be made, the screen says why, in place of forms with nothing to choose.
      for (const [path, says, button] of [
        ['collections?new=1', 'Payment routes are not available in the live environment.', 'New payment link'],
        ['offramps?new=1', 'Local fiat is not available in the live environment.', 'New offramp'],
      ] as const) {
        await page.goto(`${service.url}/dashboard/live/${path}`)
        await page.getByRole('region', { name: 'Not available' }).getByText(says).waitFor({ timeout: PATIENCE })
        expect(await page.getByRole('dialog').count()).toBe(0)
        expect(await page.getByRole('button', { name: button }).count()).toBe(0)
        await page.goto(`${service.url}/dashboard/test/${path}`)
        await page.getByRole('dialog').waitFor({ timeout: PATIENCE })
        expect(await page.getByRole('region', { name: 'Not available' }).count()).toBe(0)
      }
      await page.goto(`${service.url}/dashboard/live/collections`)
      await page.getByRole('region', { name: 'Not available' }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'not-available')
      await page.goto(`${service.url}/dashboard/test/account`)
      await page.getByText('this one').waitFor()
      await checkScreen(page, 'sessions')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an owner names where payouts may go, proves a domain, and accepts an invitation to another organisation',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems, email } = await openDashboard(browser, service, {
        organisationId,
        role: 'owner',
      })
      // A name that no organisation of an earlier attempt has proved.
      const site = `shop-${newId().slice(-8)}.merchant.example`
      const record = `_payments-verification.${site}`
      const allowed = page.getByRole('list', { name: 'Allowed destinations' })
      await page.goto(`${service.url}/dashboard/test/settings/payments`)
      await page.getByText('Every destination is allowed.').waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Add a destination' }).click()
      await page.getByText('payouts and withdrawals go to this destination alone').waitFor()
      await page.getByLabel('Account number').fill('0123456789')
      await checkScreen(page, 'new-destination')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await allowed.getByText('0123456789').waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Add a destination' }).click()
      await page.getByLabel('Kind').selectOption('wallet')
      await page
        .getByRole('textbox', { name: 'Address', exact: true })
        .fill('0x71C7656EC7ab88b098defB751B7401B5f6d8976F')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await allowed.getByText('0x71C7656EC7ab88b098defB751B7401B5f6d8976F').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'destinations')
      await allowed.getByRole('button', { name: /0123456789/ }).click()
      await expect.poll(() => allowed.getByRole('listitem').count(), { timeout: PATIENCE }).toBe(1)
      await page.getByRole('button', { name: 'Allow every destination' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Allow every destination' }).click()
      await page.getByText('Every destination is allowed.').waitFor({ timeout: PATIENCE })

      await page.goto(`${service.url}/dashboard/test/settings/branding`)
      await page.getByLabel('Website (optional)').fill(`https://${site}`)
      await page.getByRole('button', { name: 'Save branding' }).click()
      await page.getByText(record).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Verify the domain' }).click()
      await page.getByText('The domain does not carry the DNS record yet').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'domain')
      const value = await page.getByText(/^payments-verification=/).textContent()
      names.records.set(record, value ?? '')
      await page.getByRole('button', { name: 'Verify the domain' }).click()
      await page.getByText(`Payers see ${site} with a mark.`).waitFor({ timeout: PATIENCE })

      const host = await signedIn(service.runtime, {
        organisationId: await foundOrganisation(service.runtime),
        role: 'owner',
      })
      const invitation = { token: host.accessToken, key: null, body: { email, role: 'member' } }
      expect((await call(service, 'POST /v1/auth/invitations', invitation)).status).toBe(201)
      await page.goto(`${service.url}/dashboard/test/account`)
      const invitations = page.getByRole('region', { name: 'Invitations to you' })
      await invitations.getByText(`by ${host.email}`).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'invited')
      await invitations.getByRole('button', { name: /^Accept/ }).click()
      await page.getByRole('combobox', { name: 'Organisation', exact: true }).waitFor({ timeout: PATIENCE })
      expect(await page.getByRole('combobox', { name: 'Organisation', exact: true }).getByRole('option').count()).toBe(
        2,
      )
      expect(problems.filter((problem) => !problem.includes('409'))).toEqual([])
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
        'payoutControls.change': { allowedDestinations: null },
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

  test(
    'no control of any screen of a suspended organisation sends a change that would be refused, and keys and sessions can be revoked',
    async () => {
      const organisationId = await furnished(service)
      await signedIn(service.runtime, { organisationId, role: 'member' })
      const { context, page, email } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
      const view = { name: 'Failed', resource: 'transactions', shared: true, filter: { statuses: ['failed'] } }
      await call(service, 'POST /v1/views', { token: owner.accessToken, key: null, body: view })
      await service.runtime.pool.query(
        'update sessions set user_id = (select id from users where email = $1) where user_id = $2',
        [email, owner.userId],
      )

      /** Names of the changes that were sent, and those calls that were refused for the suspension. */
      const sent = new Set<string>()
      const refused = new Set<string>()
      let isSuspended = true
      const nameOf = (url: string) => /\/dashboard\/api\/(?:trpc\/)?([^?]*)/.exec(url)?.[1] ?? ''
      await context.route('**/dashboard/api/**', async (route, request) => {
        if (request.method() !== 'POST') return await route.continue()
        const name = nameOf(request.url())
        for (const each of name.split(',')) sent.add(each)
        // The session must last, and without a suspension nothing is to change.
        if (!isSuspended || name === 'session/end') return await route.fulfill({ status: 503, json: {} })
        await route.continue()
      })
      page.on('response', async (response) => {
        if (response.status() !== 207 && response.status() !== 403) return
        const text = await response.text().catch(() => '')
        if (text.includes('Organisation suspended')) refused.add(nameOf(response.url()))
      })
      const start = `${service.url}/dashboard/test`
      const screens = firstScreens(start)

      await service.runtime.pool.query('update organisations set suspended_at = $2 where id = $1', [
        organisationId,
        '2026-03-01T10:00:00Z',
      ])
      await page.goto(start)
      const notSaid: string[] = []
      for (const [path, address] of screens) {
        await pressAll(page, address)
        if ((await page.getByText('Suspended since 1 Mar 2026').count()) === 0) notSaid.push(path)
        for (const [name, link] of await linksOf(page))
          if (!screens.has(name)) screens.set(name, new URL(link, service.url).href)
      }
      expect(screens.size).toBeGreaterThan(30)
      expect({ notSaid, refused: [...refused] }).toEqual({ notSaid: [], refused: [] })
      expect([...sent]).toEqual(expect.arrayContaining(['apiKeys.revoke', 'auth.endSession', 'session/end']))
      await page.goto(`${start}/settings/notifications`)
      await page
        .getByLabel(/^Send by email: /)
        .first()
        .waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'suspended')

      // Without the suspension the same controls send these changes: none is overlooked.
      await service.runtime.pool.query('update organisations set suspended_at = null where id = $1', [organisationId])
      isSuspended = false
      sent.clear()
      await page.goto(start)
      for (const path of [
        '/settings/notifications',
        '/settings/team',
        '/settings/branding',
        '/keys',
        '/transactions?status=failed',
      ])
        await pressAll(page, `${start}${path}`)
      expect(await page.getByText('Suspended since').count()).toBe(0)
      expect([...sent]).toEqual(
        expect.arrayContaining(
          ['notifications.changePreferences', 'auth.changeRole', 'auth.removeMember', 'auth.invite'].concat(
            ...['branding.uploadLogo', 'apiKeys.create', 'views.delete'],
          ),
        ),
      )
      await context.close()
    },
    STORY_MS,
  )
})
