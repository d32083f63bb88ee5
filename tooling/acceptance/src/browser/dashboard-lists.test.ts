import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  chromiumCommand,
  hasTools,
  newCollection,
  newMerchant,
  newOfframp,
  newRoute,
  pay,
  sync,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, chooseCustomer, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const service = useArtefact()
const sql = (text: string, values: unknown[]) => service.runtime.pool.query(text, values)

/** Copies of a row, each a minute older than the one before; `unlike` is SQL of what none has as another, a name before each value. */
const copy = (table: string, id: string, copies: number, changes = '{}', unlike = '') =>
  sql(
    `insert into ${table} select (jsonb_populate_record(c, $3::jsonb || jsonb_build_object('id', uuidv7(),
        'created_at', c.created_at - n * interval '1 minute') || jsonb_build_object(${unlike}))).*
       from ${table} c, generate_series(1, $2::int) n where c.id = $1`,
    [id, copies, changes],
  )

const isInSight = (of: Element): boolean => {
  const { top, bottom } = of.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}

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
      const invoice = await newCollection(merchant, { type: 'invoice', title: 'Consulting in March', amount: '80.5' })
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
      // On a phone the first row is on the first screen, and the filters are behind a button that says how many are set.
      const desktop = page.viewportSize() ?? { width: 1280, height: 900 }
      await page.setViewportSize({ width: 390, height: 844 })
      const row = await table.getByRole('link', { name: 'Consulting in March' }).boundingBox()
      expect((row?.y ?? 844) + (row?.height ?? 0)).toBeLessThan(844)
      await page.getByRole('button', { name: 'Filters, 1 set' }).click()
      await page.locator('summary', { hasText: 'Status' }).waitFor()
      await page.setViewportSize(desktop)
      // While other rows are awaited, those that are shown can be read as before.
      const answer = Promise.withResolvers<void>()
      await page.route(/collections.*search/, async (route) => {
        await answer.promise
        await route.continue()
      })
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.locator('[aria-busy="true"]').getByText('INV-000001').waitFor()
      await checkScreen(page, 'collections-awaited')
      answer.resolve()
      await page.getByText('261 collections', { exact: true }).waitFor()
      await page.unroute(/collections.*search/)
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
      await page.getByText('1 collection', { exact: true }).waitFor()
      // By what it asks for: every other asks for 25.
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Amount from').fill('25.000001')
      await page.keyboard.press('Enter')
      await page.getByText('1 collection', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?min=25.000001')
      await page.goBack()
      await page.goBack()
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
    'a long name hides no column of a list on a desktop',
    async () => {
      const merchant = await newMerchant(service)
      const name = `Ada ${'Obi'.repeat(60)}`
      const { id: customerId } = (
        await merchant.call('POST /v1/customers', { body: { name, email: 'ada@merchant.example' } })
      ).body.data
      await newCollection(merchant, { type: 'invoice', title: 'Course '.repeat(17), customerId })
      await newOfframp(merchant, { customerId })
      const { organisationId } = merchant
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      for (const path of ['', '/customers', '/collections', '/transactions']) {
        await page.goto(`${service.url}/dashboard/test${path}`)
        const table = page.locator('section.table', { hasText: path === '/collections' ? 'Course' : 'ObiObi' })
        await table.waitFor({ timeout: PATIENCE })
        expect({ path, cut: await table.evaluate((of) => of.scrollWidth - of.clientWidth) }).toEqual({ path, cut: 0 })
      }
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
      const ADA = 'Ada Obi, ada@merchant.example'
      await sql("update customers set created_at = created_at - interval '1 year' where id = $1", [id])
      await copy('customers', await create('Bisi Ade', 'bisi@elsewhere.example'), 259, '{}', "'email', n || c.email")
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
      // Back from a record of the last page, the list is where it was left.
      await page.getByRole('link', { name: 'Ada Obi' }).click()
      await page.getByRole('heading', { name: 'Ada Obi' }).waitFor({ timeout: PATIENCE })
      await page.goBack()
      await page.getByRole('heading', { name: 'Customers', exact: true }).waitFor({ timeout: PATIENCE })
      await expect
        .poll(() => page.getByRole('link', { name: 'Ada Obi' }).evaluate(isInSight), { timeout: PATIENCE })
        .toBe(true)
      const search = page.getByRole('searchbox', { name: 'Search customers' })
      await search.fill('merchant')
      await page.keyboard.press('Enter')
      await page.getByText('1 customer', { exact: true }).waitFor()
      await checkScreen(page, 'customers-found')
      await page.getByRole('link', { name: 'Ada Obi' }).click()
      await page.getByRole('heading', { name: 'Ada Obi' }).waitFor()
      // A list of one customer says whose it is, and leads to that of all.
      await page.getByRole('link', { name: 'View this customer’s payments' }).click()
      await page.getByRole('heading', { name: 'No collection fits these filters' }).waitFor()
      const customer = page.getByRole('combobox', { name: 'Customer' })
      const isAda = () => expect.poll(() => customer.inputValue(), { timeout: PATIENCE }).toBe(ADA)
      await isAda()
      await checkScreen(page, 'collections-of-customer')
      await customer.fill('')
      await page.getByRole('heading', { name: 'Ask for a payment' }).waitFor()
      for (const back of ['collections', 'customer', 'customers']) {
        await page.goBack()
        if (back === 'customer') await page.getByRole('heading', { name: 'Ada Obi' }).waitFor()
      }
      await page.getByText('1 customer', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'New customer' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await expect.poll(() => new URL(page.url()).search, { timeout: PATIENCE }).toBe('?text=merchant')
      // In every list that has the filter, one is chosen as one types; a text that is not chosen is dropped.
      await newCollection(merchant, { type: 'invoice', title: 'Course', customerId: id })
      await newCollection(merchant, { title: 'Blueberry jam' })
      await page.goto(`${service.url}/dashboard/test/collections`)
      await page.getByText('2 collections', { exact: true }).waitFor({ timeout: PATIENCE })
      await chooseCustomer(page, 'merchant', 'Ada Obi')
      await page.getByText('1 collection', { exact: true }).waitFor({ timeout: PATIENCE })
      expect(new URL(page.url()).search).toBe(`?customer=${id}`)
      const isAt = async () => (await customer.boundingBox())?.y
      const at = await isAt()
      await customer.fill('nobody')
      await page.getByText('No customer is found').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'collections-nobody')
      expect(await isAt()).toBe(at)
      await customer.fill('bi')
      await page.getByRole('option', { name: 'Bisi Ade' }).first().waitFor({ timeout: PATIENCE })
      await page.getByText('Type to find more').waitFor()
      expect(await isAt()).toBe(at)
      await checkScreen(page, 'collections-choosing')
      await page.keyboard.press('Tab')
      await isAda()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByText('2 collections', { exact: true }).waitFor({ timeout: PATIENCE })
      expect(await customer.inputValue()).toBe('')
      for (const list of ['transactions', 'routes', 'swaps', 'offramps', 'onramps', 'cngn/payins', 'cngn/payouts']) {
        await page.goto(`${service.url}/dashboard/test/${list}?customer=${id}`)
        await isAda()
      }
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a swap behind hundreds of newer ones is found by its status, amount and address, and a new one is announced and moves nothing',
    async () => {
      const merchant = await newMerchant(service)
      const wallet = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'
      const create = async (amount: string) =>
        (
          await merchant.call('POST /v1/swaps', {
            body: { fromCurrency: 'USDC', toCurrency: 'EURC', amount, destinationAddress: wallet },
          })
        ).body.data
      const old = await create('75')
      await merchant.call(`POST /v1/swaps/${old.id}/cancel`)
      await sql("update transactions set created_at = created_at - interval '1 year' where id = $1", [old.id])
      await copy('transactions', (await create('10')).id, 259)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/swaps`)
      await page.getByText('261 swaps', { exact: true }).waitFor({ timeout: PATIENCE })
      const links = page.getByRole('region', { name: 'Swaps' }).getByRole('link')
      await page.getByRole('button', { name: 'Show more' }).click()
      await expect.poll(() => links.count(), { timeout: PATIENCE }).toBe(250)
      await create('20')
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ timeout: PATIENCE })
      expect(await links.first().textContent()).toBe('10 USDC')
      await page.locator('summary', { hasText: 'Status' }).press('Enter')
      await page.getByRole('checkbox', { name: 'Cancelled' }).press('Space')
      await page.keyboard.press('Escape')
      await page.getByText('1 swap', { exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'swaps')
      await page.getByLabel('Amount from').fill('76')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'No swap fits these filters' }).waitFor({ timeout: PATIENCE })
      expect(new URL(page.url()).search).toBe('?status=cancelled&min=76')
      await checkScreen(page, 'swaps-none')
      await page.reload()
      await page.getByRole('button', { name: 'Remove Amount from: 76' }).click({ timeout: PATIENCE })
      await page.getByRole('link', { name: '75 USDC' }).click()
      await page.getByRole('heading', { name: 'Swap', exact: true }).waitFor()
      await page.goBack()
      await page.getByText('1 swap', { exact: true }).waitFor({ timeout: PATIENCE })
      const address = page.getByRole('searchbox', { name: 'Search swaps' })
      await address.fill(wallet)
      await page.keyboard.press('Enter')
      await page.getByText('1 swap', { exact: true }).waitFor({ timeout: PATIENCE })
      await page.goto(`${service.url}/dashboard/test/cngn/deposits`)
      await page.getByRole('heading', { name: 'No cNGN deposits yet' }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'cngn-deposits-none')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a payment route behind hundreds of newer ones is found by a word of its name, and all its deposits are reached by pages',
    async () => {
      const merchant = await newMerchant(service)
      const route = await newRoute(merchant, { name: 'Treasury of the group' })
      await pay(merchant, route.id, '12.5')
      await sync(merchant, route.id)
      const [deposit] = (await merchant.call(`GET /v1/payment-routes/${route.id}/deposits`)).body.data.deposits
      await copy(
        'payment_route_deposits',
        deposit.id,
        259,
        '{}',
        "'relay_request_id', n || c.relay_request_id, 'deposit_tx_hash', n || c.deposit_tx_hash",
      )
      await sql("update payment_routes set created_at = created_at - interval '1 year' where id = $1", [route.id])
      const other = await newRoute(merchant, {
        name: 'Shop',
        destinationAddress: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      })
      await copy(
        'payment_routes',
        other.id,
        259,
        '{}',
        "'deposit_address', n || c.deposit_address, 'destination_address', n || c.destination_address",
      )
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/routes`)
      await page.getByText('261 payment routes', { exact: true }).waitFor({ timeout: PATIENCE })
      await page.getByRole('searchbox', { name: 'Search payment routes' }).fill('GROUP')
      await page.keyboard.press('Enter')
      await page.getByText('1 payment route', { exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'routes')
      await page.getByRole('link', { name: 'Treasury of the group' }).click()
      const deposits = page.getByRole('region', { name: 'Deposits', exact: true })
      await deposits.getByText('260 deposits', { exact: true }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'route-deposits')
      const links = deposits.getByRole('link')
      for (const shown of [50, 250, 260]) {
        await expect.poll(() => links.count(), { timeout: PATIENCE }).toBe(shown)
        if (shown < 260) await deposits.getByRole('button', { name: 'Show more' }).click()
      }
      await page.goBack()
      await page.getByText('1 payment route', { exact: true }).waitFor({ timeout: PATIENCE })
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an event behind hundreds of newer ones is found by its type and by its object, and a new one is announced',
    async () => {
      const merchant = await newMerchant(service)
      const old = await newRoute(merchant)
      await merchant.call(`DELETE /v1/payment-routes/${old.id}`)
      await sql("update events set created_at = created_at - interval '1 year' where resource_id = $1", [old.id])
      const link = await newCollection(merchant)
      const { rows } = await sql("select id from events where resource_id = $1 and type = 'collection.created'", [
        link.id,
      ])
      const payload = "jsonb_set(c.payload::jsonb, '{id}', to_jsonb(uuidv7()))"
      await copy('events', rows[0].id, 259, '{}', `'drained_at', now(), 'payload', ${payload}`)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/events`)
      await page.getByText('262 events', { exact: true }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Show more' }).click()
      await newCollection(merchant)
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ timeout: PATIENCE })
      await page.locator('summary', { hasText: 'Type' }).press('Enter')
      await page.getByRole('checkbox', { name: 'payment_route.updated' }).press('Space')
      await page.keyboard.press('Escape')
      await page.getByText('1 event', { exact: true }).waitFor({ timeout: PATIENCE })
      expect(new URL(page.url()).search).toBe('?type=payment_route.updated')
      await checkScreen(page, 'events-found')
      await page.getByRole('link', { name: 'payment_route.updated' }).click()
      await page.getByRole('link', { name: 'Show all its events' }).click()
      await page.getByText('2 events', { exact: true }).waitFor({ timeout: PATIENCE })
      const search = page.getByRole('searchbox', { name: 'Search events' })
      await search.fill('route')
      await page.keyboard.press('Enter')
      await page.getByText('A text must be the id of an object in full.').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'events-none')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
