import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, newCollection, newMerchant, useService } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useService({ worker: true })
const sql = (text: string, values: unknown[]) => service.runtime.pool.query(text, values)

/** Copies of a row, each a minute older than the one before. */
const copy = (table: string, id: string, copies: number, changes = '{}') =>
  sql(
    `insert into ${table} select (jsonb_populate_record(c, $3::jsonb || jsonb_build_object('id', uuidv7(),
        'created_at', c.created_at - n * interval '1 minute') ${table === 'customers' ? `|| jsonb_build_object('email', n || c.email)` : ''})).*
       from ${table} c, generate_series(1, $2::int) n where c.id = $1`,
    [id, copies, changes],
  )

describe.runIf(hasTools(chromiumCommand()))('long lists of the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'an overdue invoice behind hundreds of newer collections is counted and found, the address keeps the filters, and what is new does not move what is read',
    async () => {
      const merchant = await newMerchant(service)
      const invoice = await newCollection(merchant, { type: 'invoice', title: 'Consulting in March' })
      await sql(
        "update collections set status = 'overdue', created_at = created_at - interval '1 year' where id = $1",
        [invoice.id],
      )
      const link = await newCollection(merchant, { title: 'Blueberry jam', metadata: { order: 'shop-7f3a' } })
      await copy('collections', link.id, 259, '{"metadata":{}}')
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test`)
      await page.getByRole('link', { name: '1 invoice is overdue' }).click()
      const table = page.getByRole('region', { name: 'Collections' })
      await page.getByText('1 collection', { exact: true }).waitFor()
      await table.getByRole('link', { name: 'Consulting in March' }).waitFor()
      await table.getByText('INV-000001').waitFor()
      expect(new URL(page.url()).search).toBe('?status=overdue')
      await checkScreen(page, 'collections-overdue')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByText('261 collections', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
      await expect.poll(() => table.getByRole('link').count(), { timeout: PATIENCE }).toBe(250)
      await newCollection(merchant, { title: 'Marmalade' })
      const fresh = page.getByRole('button', { name: 'Show 1 new' })
      await fresh.waitFor({ timeout: PATIENCE })
      expect(await table.getByRole('link').first().textContent()).toBe('Blueberry jam')
      await fresh.click()
      await table.getByRole('link', { name: 'Marmalade' }).waitFor()
      // By keyboard alone: a word, then a kind that it does not have.
      const search = page.getByRole('searchbox', { name: 'Search collections' })
      await search.fill('SHOP jam')
      await page.keyboard.press('Enter')
      await page.getByText('1 collection', { exact: true }).waitFor()
      await page.locator('summary', { hasText: 'Kind' }).press('Enter')
      await page.getByRole('checkbox', { name: 'Invoice' }).press('Space')
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'No collection fits these filters' }).waitFor()
      await page.reload()
      await page.getByRole('listitem').getByText('Kind: Invoice').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'collections-none')
      await page.getByRole('button', { name: 'Remove Kind: Invoice' }).click()
      await table.getByRole('link', { name: 'Blueberry jam' }).click()
      await page.getByRole('heading', { name: 'Blueberry jam' }).waitFor()
      await page.goBack()
      await page.getByText('1 collection', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?text=SHOP+jam')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a customer behind hundreds of newer ones is found by a part of the email address, and all are reached by pages',
    async () => {
      const merchant = await newMerchant(service)
      const create = async (name: string, email: string) =>
        (await merchant.call('POST /v1/customers', { body: { name, email } })).body.data.id
      const id = await create('Ada Obi', 'ada@merchant.example')
      await sql("update customers set created_at = created_at - interval '1 year' where id = $1", [id])
      await copy('customers', await create('Bisi Ade', 'bisi@elsewhere.example'), 259)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/customers`)
      await page.getByText('261 customers', { exact: true }).waitFor({ timeout: PATIENCE })
      for (const shown of [250, 261]) {
        await page.getByRole('button', { name: 'Show more' }).click()
        await expect
          .poll(() => page.getByRole('region', { name: 'Customers' }).getByRole('link').count(), { timeout: PATIENCE })
          .toBe(shown)
      }
      const search = page.getByRole('searchbox', { name: 'Search customers' })
      await search.fill('merchant')
      await page.keyboard.press('Enter')
      await page.getByText('1 customer', { exact: true }).waitFor()
      await checkScreen(page, 'customers-found')
      await page.getByRole('link', { name: 'Ada Obi' }).click()
      await page.getByRole('heading', { name: 'Ada Obi' }).waitFor()
      // A list of one customer says whose it is, and leads to that of all.
      await page.getByRole('link', { name: 'Show those of this customer' }).click()
      await page.getByRole('heading', { name: 'No collection fits these filters' }).waitFor()
      await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
      await checkScreen(page, 'collections-of-customer')
      await page.getByRole('button', { name: 'Remove the customer' }).click()
      await page.getByRole('heading', { name: 'Ask for a payment' }).waitFor()
      for (const back of ['collections', 'customer', 'customers']) {
        await page.goBack()
        if (back === 'customer') await page.getByRole('heading', { name: 'Ada Obi' }).waitFor()
      }
      await page.getByText('1 customer', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'New customer' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await expect.poll(() => new URL(page.url()).search, { timeout: PATIENCE }).toBe('?text=merchant')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
