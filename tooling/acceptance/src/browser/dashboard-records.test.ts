import { readFile } from 'node:fs/promises'
import { assets, newId, toMinor } from '@payments/kernel'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  chromiumCommand,
  enabledCustomer,
  hasTools,
  type Merchant,
  newCngn,
  newCollection,
  newMerchant,
  paySession,
  startSession,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { devices, fitsWidth } from './page.ts'
import { shoot } from './shots.ts'
import { checkScreen, chooseCustomer, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const service = useArtefact()

/** A link that was paid once, in full or with another amount, and its session. */
async function paidLink(of: Merchant, payerEmail: string, amount?: string): Promise<{ id: string; title: string }> {
  const title = `Order of ${payerEmail}`
  const link = await of.call('POST /v1/collections', {
    body: {
      type: 'link',
      title,
      amount: '20',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: WALLET,
    },
  })
  const { id, paymentOptions } = link.body.data
  const [{ networkKey, currency }] = paymentOptions
  const body = { action: 'start', networkKey, currency, payerEmail }
  const started = await of.call(`POST /v1/pay/${id}`, { body })
  await of.call(`POST /v1/sandbox/checkout-sessions/${started.body.data.id}/payments`, {
    body: amount ? { amount } : {},
  })
  const found = async () =>
    (
      await of.call('POST /v1/transactions/search', {
        body: { text: payerEmail, statuses: [amount ? 'underpaid' : 'paid'] },
      })
    ).body.data.total
  await expect.poll(found, { timeout: PATIENCE }).toBe(1)
  return { id: started.body.data.id, title }
}

/** The button of the pay page that a preview shows. */
const IN_FRAME = `document.querySelector('iframe').contentDocument.querySelector('button.primary')`

describe.runIf(hasTools(chromiumCommand()))('records in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'a merchant sees on the overview what needs attention, and is led to it',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      await paidLink(merchant, 'short@example.com', '5')
      await paidLink(merchant, 'full@example.com')
      await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
      const { webhookEndpoints } = (await merchant.call('GET /v1/webhooks')).body.data
      await merchant.call(`PATCH /v1/webhooks/${webhookEndpoints[0].id}`, { body: { status: 'disabled' } })
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test`)
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByRole('link', { name: '1 webhook endpoint is disabled' }).waitFor()
      await checkScreen(page, 'overview-attention')
      await attention.getByRole('link', { name: '1 transaction failed or underpaid in the last 7 days' }).click()
      await page.getByText('1 transaction', { exact: true }).waitFor()
      await page.getByRole('region', { name: 'Transactions' }).getByText('underpaid').waitFor()
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    "an accountant's month: the statement, its files and the export are what the ledger says",
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const customerId = await enabledCustomer(service.runtime, organisationId, 9_000_001_234_567n)
      const { id: payoutId } = await newCngn(merchant, 'payouts', customerId)
      const payout = async () => (await merchant.call(`GET /v1/cngn/payouts/${payoutId}`)).body.data.status
      await expect.poll(payout, { timeout: PATIENCE }).toBe('completed')
      await paidLink(merchant, 'payer@example.com')
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/statements`)
      const table = page.getByRole('region', { name: 'Statement of cNGN' })
      const balance = await table.getByRole('row').last().getByRole('cell').last().textContent()
      const closing = balance?.replace(/ cNGN$/, '')
      const { rows } = await service.runtime.pool.query<{ units: string }>(
        `select sum(balance)::text as units from ledger_accounts where organisation_id = $1 and asset = 'cNGN' and purpose in ('available', 'reserved')`,
        [organisationId],
      )
      expect(toMinor((closing ?? '').replaceAll(',', ''), assets.cNGN)).toBe(BigInt(rows[0]?.units ?? '0'))
      // Two lines of one day, with one balance.
      const balances = table.locator('td[data-title="Balance"]')
      expect((await balances.allTextContents()).map((each) => each !== '')).toEqual([true, false, true, true])
      await checkScreen(page, 'statements')
      // On paper it is dark on white, without the menu and with all columns: A4 has 718 pixels between its margins.
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await page.setViewportSize({ width: 718, height: 1000 })
      await shoot(page, 'dashboard-statements-print')
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
      expect(await page.getByRole('link', { name: 'Transactions' }).isVisible()).toBe(false)
      expect(await fitsWidth(page)).toBe(true)
      await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
      await page.setViewportSize(devices.desktop.viewport)
      const { name } = (await merchant.call(`GET /v1/customers/${customerId}`)).body.data
      await chooseCustomer(page, name, name)
      expect(new URL(page.url()).searchParams.get('customer')).toBe(customerId)
      for (const format of ['CSV', 'PDF']) {
        const saved = page.waitForEvent('download')
        await page.getByRole('link', { name: format, exact: true }).click()
        const file = await readFile(await (await saved).path(), 'latin1')
        expect(file).toContain(format === 'CSV' ? `closing_balance` : '%PDF-')
        if (format === 'CSV') expect(file.trimEnd().split(',').at(-1)).toBe((closing ?? '').replaceAll(',', ''))
      }
      await page.getByRole('link', { name: 'Transactions', exact: true }).click()
      await page.getByText('2 transactions', { exact: true }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('dialog').getByLabel('Customer', { exact: true }).uncheck()
      await page.getByLabel('For Excel and other spreadsheets').check()
      await checkScreen(page, 'export')
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export as CSV' }).click()
      const file = await readFile(await (await saved).path(), 'utf8')
      await page.getByText('Saved').waitFor()
      const [heading, line, ...more] = file.trimEnd().split('\r\n')
      // The file begins with a byte order mark.
      expect([heading?.replace(/^\ufeff/, ''), heading?.startsWith('\ufeff'), line?.includes('20 USDC'), more]).toEqual(
        [
          ...[
            'id,kind,status,customerName,destination,amount,amountUsd,createdAt,settledAt,value,currency,fee,feeCurrency,reference,title,txHash',
            true,
            true,
            [expect.stringContaining(payoutId)],
          ],
        ],
      )
      for (const [title, button, begin, content] of [
        ['Bank statement (CSV)', 'Export as CSV', '\ufeffDate,Amount,Payee,Description,Reference\r\n', /,\d+(\.\d+)?,/],
        ['hledger journal', 'Export as journal', 'decimal-mark .\n', / {4}Assets:\S+ {2}\d+(\.\d+)? USDC\n/],
      ] as const) {
        await page.getByLabel('Format').selectOption(title)
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: button }).click()
        const file = await readFile(await (await saved).path(), 'utf8')
        expect([file.slice(0, begin.length), file]).toEqual([begin, expect.stringMatching(content)])
      }
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'where is my money? An email address leads to the payment, and an id to any object; what is new does not move what is read',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const { id } = await paidLink(merchant, 'payer@example.com')
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test`)
      await page.getByRole('combobox', { name: 'Find anything' }).waitFor({ timeout: PATIENCE })
      await page.keyboard.press('Control+k')
      await page.keyboard.type('PAYER@example.com')
      await page.getByRole('group', { name: 'Payments' }).getByRole('option').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'find')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'Payments' }).getByRole('link').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'found')
      await page.getByRole('link', { name: 'Transactions of “PAYER@example.com”' }).click()
      await page.waitForURL('**/transactions?text=PAYER%40example.com', { timeout: PATIENCE })
      await page.getByRole('region', { name: 'Transactions' }).getByRole('link', { name: '20 USDC' }).waitFor()
      await checkScreen(page, 'search')
      await page.getByRole('button', { name: 'Save this view' }).click()
      await page.getByLabel('Name of the view').fill('One payer')
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'One payer' }).waitFor()
      await page.getByRole('link', { name: '20 USDC' }).click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'All', exact: true }).click()
      await page.getByText('1 transaction', { exact: true }).waitFor()
      await paidLink(merchant, 'other@example.com')
      // It is announced, and shown on demand.
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ timeout: PATIENCE })
      expect(await page.getByRole('region', { name: 'Transactions' }).getByRole('link').count()).toBe(1)
      await checkScreen(page, 'transactions-new')
      await page.getByRole('button', { name: 'Show 1 new' }).click()
      await page.getByText('2 transactions').waitFor()
      const swap = await merchant.call('POST /v1/swaps', {
        body: {
          ...{ fromCurrency: 'EURC', toCurrency: 'USDC', amount: '100' },
          destinationAddress: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
        },
      })
      await page.getByRole('combobox', { name: 'Find anything' }).fill(swap.body.data.id)
      await page.getByRole('group', { name: 'Swaps' }).getByRole('option').waitFor({ timeout: PATIENCE })
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Swap', exact: true }).waitFor()
      await checkScreen(page, 'object')
      await page.getByText('As the API returns it').click()
      await page.getByText(`curl "${service.url}/v1/swaps/${swap.body.data.id}"`).waitFor()
      // Nothing of another organisation, nor of the other environment, is told from what does not exist.
      const stranger = await newMerchant(service)
      const foreign = await stranger.call('POST /v1/customers', { body: { name: 'Eve', email: 'eve@example.com' } })
      for (const path of [`objects/${foreign.body.data.id}`, `objects/${newId()}`]) {
        await page.goto(`${service.url}/dashboard/test/${path}`)
        await page.getByRole('heading', { name: 'Nothing in test has this id' }).waitFor({ timeout: PATIENCE })
      }
      await page.goto(`${service.url}/dashboard/live/objects/${id}`)
      await page.getByRole('heading', { name: 'Nothing in live has this id' }).waitFor({ timeout: PATIENCE })
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a merchant saves the statement of what a customer paid, and the receipt of a payment',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const customer = { name: 'Ada Obi', email: 'ada@example.com' }
      const { id: customerId } = (await merchant.call('POST /v1/customers', { body: customer })).body.data
      const link = await newCollection(merchant, { customerId })
      const { id } = await startSession(service, link.id)
      await paySession(merchant, id)
      const status = async () => (await merchant.call(`GET /v1/collections/${id}`)).body.data.status
      await expect.poll(status, { timeout: PATIENCE }).toBe('paid')
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      const save = async (name: string) => {
        const saved = page.waitForEvent('download')
        await page.getByRole('link', { name, exact: true }).click()
        return readFile(await (await saved).path(), 'latin1')
      }
      await page.goto(`${service.url}/dashboard/test/customers/${customerId}`)
      expect(await save('CSV')).toContain(`,${id},collection,paid,`)
      expect((await save('PDF')).slice(0, 5)).toBe('%PDF-')
      await page.goto(`${service.url}/dashboard/test/collections/${link.id}`)
      expect((await save('Receipt')).slice(0, 5)).toBe('%PDF-')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a merchant makes an invoice of two items, sends it, saves its PDF and voids it',
    async () => {
      const merchant = await newMerchant(service)
      await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
      const { context, page, problems } = await openDashboard(browser, service, { ...merchant, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/collections`)
      await page.getByRole('button', { name: 'New invoice' }).click()
      await page.getByLabel('Description').fill('Consulting in January')
      await chooseCustomer(page, 'ada', 'Ada Obi')
      await page.getByLabel('Item', { exact: true }).fill('Consulting, one day')
      await page.getByLabel('Quantity').fill('3')
      await page.getByLabel('Price').fill('0.1')
      await page.getByRole('button', { name: 'Add an item' }).click()
      await page.getByLabel('Item', { exact: true }).nth(1).fill('Travel')
      await page.getByLabel('Price').nth(1).fill('20')
      await page.getByText('Without tax: 20.3 USDC').waitFor()
      await page.getByLabel('Ways to pay').selectOption('Stablecoin or bank transfer')
      await checkScreen(page, 'invoice-new')
      await page.getByRole('button', { name: 'Preview' }).click()
      const preview = page.getByRole('dialog', { name: 'Preview' })
      const drawn = preview.frameLocator('iframe')
      await drawn.getByText('Preview: nothing can be paid here yet').waitFor({ timeout: PATIENCE })
      await drawn.getByText('20.3 USDC').first().waitFor()
      // Its own styles hold in the frame, and no link leads out of it.
      expect(await page.evaluate(`getComputedStyle(${IN_FRAME}).cursor`)).toBe('pointer')
      expect(await drawn.getByRole('link').count()).toBe(0)
      await checkScreen(page, 'invoice-preview')
      const draft = page.waitForEvent('download')
      await preview.getByRole('button', { name: 'Save the PDF' }).click()
      expect((await readFile(await (await draft).path(), 'latin1')).slice(0, 5)).toBe('%PDF-')
      await preview.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Create invoice' }).click()
      await page.getByRole('heading', { name: 'Consulting in January' }).waitFor({ timeout: PATIENCE })
      await page.getByText('INV-000001', { exact: true }).waitFor()
      await page.getByText('Stablecoin or bank transfer').waitFor()
      await checkScreen(page, 'invoice')
      await page.getByRole('link', { name: 'Ada Obi' }).click()
      await page.getByRole('region', { name: 'Invoices' }).getByText('INV-000001').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'customer-invoices')
      await page.getByRole('region', { name: 'Invoices' }).getByRole('link', { name: 'Consulting in January' }).click()
      await page.getByRole('heading', { name: 'Consulting in January' }).waitFor({ timeout: PATIENCE })
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'PDF', exact: true }).click()
      expect((await readFile(await (await saved).path(), 'latin1')).slice(0, 5)).toBe('%PDF-')
      await page.getByRole('button', { name: 'Send by email' }).click()
      await page.getByRole('button', { name: 'Sent' }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Void' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Void' }).click()
      await page.locator('.main-amount').getByText('void').waitFor({ timeout: PATIENCE })
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an invoice that is not sent is there when its tab was closed, with a customer made in place, and nothing of it stays after sign-out',
    async () => {
      const merchant = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { ...merchant, role: 'member' })
      const address = `${service.url}/dashboard/test/collections/new-invoice`
      await page.goto(address)
      await page.getByLabel('Description').fill('Consulting in January')
      await page.getByRole('button', { name: 'New customer' }).click()
      const dialog = page.getByRole('dialog', { name: 'New customer' })
      await dialog.getByLabel('Name').fill('Ada Obi')
      await dialog.getByLabel('Email address').fill('ada@example.com')
      await dialog.getByRole('button', { name: 'Create customer' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByLabel('Price').fill('12.50')
      await page.getByLabel('Due').fill('2030-12-31')
      await page.getByRole('button', { name: 'Add an item' }).click()
      await page.getByLabel('Item', { exact: true }).nth(1).fill('Travel')
      await page.getByLabel('Discount', { exact: true }).selectOption('Percent')
      await page.getByLabel('Discount %').fill('10')
      await page.getByLabel('Receive on').selectOption('Polygon')
      await page.getByLabel('Ways to pay').selectOption('Stablecoin or bank transfer')
      const fields = [
        ['Description', 'Consulting in January'],
        [/^Customer/, 'Ada Obi, ada@example.com'],
        ['Due', '2030-12-31'],
        ['Price', '12.50'],
        ['Discount %', '10'],
        ['Receive on', 'polygon'],
        ['Ways to pay', 'transfer'],
      ] as const
      const shown = (of: typeof page) =>
        Promise.all(fields.map(([label]) => of.getByLabel(label).first().inputValue({ timeout: PATIENCE })))
      expect(await shown(page)).toEqual(fields.map(([, value]) => value))
      await page.close()

      const later = await context.newPage()
      await later.goto(address)
      await later.getByText('Your draft of').waitFor({ timeout: PATIENCE })
      await expect.poll(() => shown(later)).toEqual(fields.map(([, value]) => value))
      expect(await later.getByLabel('Item', { exact: true }).nth(1).inputValue()).toBe('Travel')
      await checkScreen(later, 'invoice-draft')
      await later.getByRole('button', { name: 'Discard the draft' }).click()
      await expect.poll(() => later.getByLabel('Description').inputValue()).toBe('')
      expect(await later.evaluate('localStorage.length')).toBe(0)

      await later.getByLabel('Description').fill('Consulting in February')
      await expect.poll(() => later.evaluate('localStorage.length')).toBe(1)
      await later.goto(`${service.url}/dashboard/test/account`)
      await later.getByRole('button', { name: 'Sign out', exact: true }).click()
      await later.getByLabel('Email address').waitFor({ timeout: PATIENCE })
      expect(await later.evaluate('localStorage.length')).toBe(0)
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'an invoice with items in euros says why a line has no tax, and is saved as accounting programs read it',
    async () => {
      const merchant = await newMerchant(service)
      await merchant.call('PATCH /v1/branding', {
        body: { legalName: 'Ada Ltd', country: 'NG', taxId: '12345678-0001' },
      })
      await merchant.call('POST /v1/customers', { body: { name: 'Obi', email: 'obi@example.com', country: 'DE' } })
      const { context, page, problems } = await openDashboard(browser, service, { ...merchant, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/collections`)
      await page.getByRole('button', { name: 'New invoice' }).click()
      await page.getByLabel('Description').fill('Course in January')
      await chooseCustomer(page, 'obi@example', 'Obi')
      await page.getByLabel('Currency of the items').selectOption('EUR')
      await page.getByLabel('Item', { exact: true }).fill('Course')
      await page.getByLabel('Price').fill('20.5')
      await page.getByLabel('Tax exemption').selectOption({ label: 'Exempt' })
      await page.getByLabel('Reason of the exemption').fill('Education')
      await page.getByText('Without tax: 20.5 EUR').waitFor()
      await checkScreen(page, 'invoice-priced')
      await page.getByRole('button', { name: 'Create invoice' }).click()
      await page.getByRole('heading', { name: 'Course in January' }).waitFor({ timeout: PATIENCE })
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'XML' }).click()
      const xml = await readFile(await (await saved).path(), 'utf8')
      expect(xml).toContain('<ram:ExemptionReason>Education</ram:ExemptionReason>')
      expect(xml).toContain('<ram:DuePayableAmount>20.50</ram:DuePayableAmount>')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'half an hour at 8,875 % with a discount is typed as people write it, and is exact on the page',
    async () => {
      const merchant = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { ...merchant, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/collections`)
      await page.getByRole('button', { name: 'New invoice' }).click()
      await page.getByLabel('Description').fill('Consulting in January')
      await page.getByLabel('Currency of the items').selectOption('USD')
      await page.getByLabel('Item', { exact: true }).fill('Consulting, one hour')
      await page.getByLabel('Quantity').fill('half')
      await page.getByLabel('Price').fill('$1,250.50')
      await page.getByLabel('Tax %').fill('8,875')
      await page.getByLabel('Discount', { exact: true }).selectOption('Percent')
      await page.getByLabel('Discount %').fill('10')
      await page.getByLabel('Name of the discount (optional)').fill('Early payment')
      await page.getByRole('button', { name: 'Create invoice' }).click()
      await page.getByText('Enter a number, for example 2 or 0.5').waitFor()
      await checkScreen(page, 'invoice-unread')
      await page.getByLabel('Quantity').fill('0.5')
      await page.getByText('Without tax: 562.72 USD (625.25 USD before the discount)').waitFor()
      await checkScreen(page, 'invoice-discount')
      await page.getByRole('button', { name: 'Create invoice' }).click()
      await page.getByRole('heading', { name: 'Consulting in January' }).waitFor({ timeout: PATIENCE })
      // 562.72 and 8.875 % of it, which is 49.9414.
      await page.locator('.main-amount').getByText('612.66 USD').waitFor()
      await page.getByText('-62.53 USD').waitFor()
      await checkScreen(page, 'invoice-discounted')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
