import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, chromiumCommand, hasTools, mailedCode, newCustomer, newMerchant, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('forms of the dashboard lose nothing', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'a customer is changed where it is shown, what is emptied is deleted, and a dialog with input asks before it closes',
    async () => {
      const merchant = await newMerchant(service)
      const id = await newCustomer(merchant, { name: 'Ada Obi', phoneNumber: '+2348012345678' })
      const { context, page, problems } = await openDashboard(browser, service, {
        ...{ organisationId: merchant.organisationId, role: 'member' },
      })
      await page.goto(`${service.url}/dashboard/test/customers/${id}`)
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name', { exact: true }).fill('Ọlá Obi')
      await dialog.getByLabel('Phone number (optional)').fill('')
      await dialog.getByLabel('Country (optional)').selectOption({ label: 'Côte d’Ivoire' })
      await checkScreen(page, 'customer-edit')
      for (const leave of [
        () => page.keyboard.press('Escape'),
        () => dialog.getByRole('button', { name: 'Close' }).click(),
      ]) {
        await leave()
        await dialog.getByText('Discard what you entered?').waitFor()
        await dialog.getByRole('button', { name: 'Keep editing' }).click()
        expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Ọlá Obi')
      }
      await checkScreen(page, 'dialog-kept')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Ọlá Obi' }).waitFor({ timeout: PATIENCE })
      await dialog.waitFor({ state: 'detached' })
      const { data } = (await call(service, `GET /v1/customers/${id}`, { token: merchant.key })).body
      expect(data).toMatchObject({ name: 'Ọlá Obi', phoneNumber: null, country: 'CI' })
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Nobody')
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: 'Discard' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Ọlá Obi' }).waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'the code that confirms a change goes along with its form, whichever button is pressed',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, email } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await service.runtime.pool.query(
        "update sessions set confirmed_at = now() - interval '1 hour' where user_id = (select id from users where email = $1)",
        [email],
      )
      await page.goto(`${service.url}/dashboard/test/settings/team`)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByLabel('Email address').fill('bob@example.com')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByRole('button', { name: 'Email me a code' }).click()
      await page.getByLabel('Code').fill(await mailedCode(service.dataDir, email, PATIENCE))
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page
        .getByRole('button', { name: 'Revoke the invitation of bob@example.com' })
        .waitFor({ timeout: PATIENCE })
      await context.close()
    },
    STORY_MS,
  )

  test(
    'what was typed outlives the session and going back, until it is sent or discarded',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, email } = await openDashboard(browser, service, { organisationId, role: 'owner' })
      await page.goto(`${service.url}/dashboard/test/customers`)
      await page.getByRole('button', { name: 'New customer' }).click()
      const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
      await name.fill('Ada Obi')
      await page.getByLabel('Email address').fill('ada@merchant.example')
      await service.runtime.pool.query(
        'update sessions set revoked_at = now() where user_id = (select id from users where email = $1)',
        [email],
      )
      await page.getByRole('button', { name: 'Create customer' }).click()
      await page.getByText('You were signed out. Sign in again; what you typed is kept.').waitFor({ timeout: PATIENCE })
      await page.getByLabel('Email address').fill(email)
      await page.getByRole('button', { name: 'Email me a code' }).click()
      const code = await mailedCode(service.dataDir, email, PATIENCE)
      await page.getByLabel('Code').fill(code)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('Your draft of').waitFor({ timeout: PATIENCE })
      expect(await name.inputValue()).toBe('Ada Obi')
      await checkScreen(page, 'dialog-draft')
      await page.goBack()
      await name.waitFor({ state: 'detached' })
      await page.goForward()
      await expect.poll(() => name.inputValue(), { timeout: PATIENCE }).toBe('Ada Obi')
      await page.getByRole('button', { name: 'Create customer' }).click()
      await page.getByRole('heading', { name: 'Ada Obi' }).waitFor({ timeout: PATIENCE })
      const reopen = async () => {
        await page.goto(`${service.url}/dashboard/test/customers?new=1`)
        return name.inputValue()
      }
      expect(await reopen()).toBe('')
      await name.fill('Bisi Ade')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard' }).click()
      await name.waitFor({ state: 'detached' })
      expect(await reopen()).toBe('')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('link', { name: 'Ada Obi' }).click()
      await page.getByRole('button', { name: 'Enable cNGN' }).click()
      await page.getByLabel('Bank verification number').fill('22222222222')
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('22222222222')
      await page.goto(`${service.url}/dashboard/test/collections?new=1`)
      await page.getByLabel('Description').fill('Consulting')
      await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain('Consulting')
      await page.reload()
      await expect.poll(() => page.getByLabel('Description').inputValue(), { timeout: PATIENCE }).toBe('Consulting')
      await page.getByRole('button', { name: 'Discard the draft' }).click()
      await expect.poll(() => page.getByLabel('Description').inputValue(), { timeout: PATIENCE }).toBe('')
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a code that did not arrive is sent again, and the newest one signs in, after a reload and with spaces',
    async () => {
      const email = `ada-${randomUUID().slice(0, 8)}@example.com`
      const { context, page } = await openWindow(browser, service.url, 'desktop')
      await page.goto(`${service.url}/dashboard/?register`)
      await page.getByLabel('Name of your organisation').fill('Ada Ltd')
      await page.getByLabel('Email address').fill(email)
      await page.getByRole('button', { name: 'Email me a code' }).click()
      const first = await mailedCode(service.dataDir, email, PATIENCE)
      await page.getByRole('button', { name: 'Resend code' }).click()
      await page.getByText('We sent another code. Use the newest one.').waitFor({ timeout: PATIENCE })
      await expect.poll(() => mailedCode(service.dataDir, email, PATIENCE), { timeout: PATIENCE }).not.toBe(first)
      await page.reload()
      await page.getByText(`We sent a six-digit code to ${email}.`).waitFor({ timeout: PATIENCE })
      const newest = await mailedCode(service.dataDir, email, PATIENCE)
      await page.getByLabel('Code').fill(` ${newest.slice(0, 3)} ${newest.slice(3)} `)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: PATIENCE })
      await context.close()
    },
    STORY_MS,
  )
})
