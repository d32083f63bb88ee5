import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, fund, hasTools, newMerchant, newOfframp, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { checkScreen, chooseCustomer, openDashboard, PATIENCE, STORY_MS } from './test/signed-in.ts'

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const service = useArtefact()

describe.runIf(hasTools(chromiumCommand()))('payments in the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test(
    'a merchant creates an offramp with the rate and the name at the bank in sight, and sees it delivered',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/offramps`)
      await page.getByRole('heading', { name: 'No offramps yet' }).waitFor()
      await checkScreen(page, 'offramps-empty')
      await page.getByRole('button', { name: 'New offramp' }).click()
      expect(new URL(page.url()).search).toBe('?new=1')
      const amount = page.getByLabel('Amount', { exact: true })
      await page.getByRole('combobox', { name: 'The recipient gets' }).selectOption('NGN')
      await amount.fill('a lot')
      await page.getByLabel('Account number').fill('123')
      await page.getByLabel('Your reference (optional)').focus()
      // As typed, before anything is sent.
      await page.getByText('Enter an amount, for example 1,250 or 12.50').waitFor()
      await page.getByText('Must be 10 digits (NUBAN)').waitFor()
      await amount.fill('25')
      await page.getByLabel('Account number').fill('0123456789')
      await page.getByRole('status').getByText('Name confirmed by').waitFor({ timeout: PATIENCE })
      const quote = page.getByRole('region', { name: 'Quote' })
      await quote.getByRole('timer').waitFor({ timeout: PATIENCE })
      await quote.getByText('You send 25.125 USDC (25 + 0.125 fee)').waitFor()
      const promised = await quote.locator('.amount').first().textContent()
      await checkScreen(page, 'offramp-new')
      await page.getByRole('button', { name: 'Create offramp' }).click()
      await page.getByRole('heading', { name: 'Offramp', exact: true }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Send the deposit in the sandbox' }).waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'offramp-pending')
      // What was quoted is what it is created with.
      await page
        .getByRole('definition')
        .getByText(promised ?? '?', { exact: true })
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Send the deposit in the sandbox' }).click()
      // Without a reload: the event stream of the tab brings it.
      await page.locator('.main-amount').getByText('delivered').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'offramp-delivered')
      await page.getByRole('link', { name: 'Offramps', exact: true }).click()
      await page.getByRole('link', { name: '25 USDC' }).waitFor()
      await checkScreen(page, 'offramps')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a failed offramp shows what goes back to where, and one that nobody quotes cannot be created',
    async () => {
      const merchant = await newMerchant(service)
      const { id, deposit } = await newOfframp(merchant, {
        refundAddress: WALLET,
        bankAccount: { accountNumber: '0000000002', bankCode: '058' },
      })
      await fund(merchant, 'offramp', id)
      const { organisationId } = merchant
      const { context, page } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/offramps/${id}`)
      await page.locator('.main-amount').getByText('failed').waitFor({ timeout: PATIENCE })
      const fact = (name: string) => page.locator(`dt:text-is("${name}") + dd`)
      await fact('Refund').getByText(`${deposit.amount} USDC`).waitFor({ timeout: PATIENCE })
      await fact('Goes back to').getByText(WALLET).waitFor()
      await fact('Refund').getByText('completed').waitFor({ timeout: PATIENCE })
      await fact('Transaction of the refund').waitFor()
      expect(await fact('Receives').count()).toBe(0)
      await page.getByRole('region', { name: 'Timeline' }).getByText('Failed', { exact: true }).waitFor()
      await checkScreen(page, 'offramp-failed')
      await page.goto(`${service.url}/dashboard/test/offramps?new=1`)
      await page.getByLabel('Amount', { exact: true }).fill('999,999,999')
      await page.getByText(/^Must be at most .* USDC$/).waitFor({ timeout: PATIENCE })
      expect(await page.getByRole('button', { name: 'Create offramp' }).isDisabled()).toBe(true)
      await checkScreen(page, 'offramp-no-quote')
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a merchant offers naira by bank transfer for a price in dollars, and what is wrong with it is at its field',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/collections`)
      await page.getByRole('button', { name: 'New payment link' }).first().click()
      await page.getByLabel('Description').fill('Two nights in Abuja')
      await page.getByLabel('Amount', { exact: true }).fill('0.1')
      await page.getByLabel('Priced in').selectOption('USD')
      await page.getByLabel('Ways to pay').selectOption('Stablecoin or bank transfer')
      // As it is chosen and typed, before the service is asked.
      await page.getByLabel('Currency', { exact: true }).selectOption('EURC')
      await page.getByText('A bank transfer is not available for EURC on base').waitFor({ timeout: PATIENCE })
      await page.getByLabel('Currency', { exact: true }).selectOption('USDC')
      const wallet = page.getByLabel('Your wallet address')
      const example = await wallet.inputValue()
      await wallet.fill('0x71C7')
      await wallet.blur()
      await page.getByText('Must be 0x and 40 hexadecimal digits').waitFor()
      await wallet.fill(example)
      await expect.poll(() => page.getByText('Must be 0x and 40 hexadecimal digits').count()).toBe(0)
      // What is chosen first is offered first.
      await page.getByText('Networks that payers may use: All that are available').click()
      for (const name of ['Solana', 'Ethereum']) await page.getByRole('checkbox', { name, exact: true }).check()
      await page.getByText('Currencies that payers may use: All that are available').click()
      await page.getByRole('checkbox', { name: 'ETH', exact: true }).check()
      await page.getByRole('checkbox', { name: 'Ethereum', exact: true }).uncheck()
      await page.getByText('Not available on the networks that you chose').waitFor()
      await page.getByRole('checkbox', { name: 'Ethereum', exact: true }).check()
      await page.getByRole('checkbox', { name: 'USDC', exact: true }).check()
      await page.getByRole('button', { name: 'Create payment link' }).click()
      await page
        .getByText('Must be at least 500 NGN for a bank transfer: it is about 158.03 NGN')
        .waitFor({ timeout: PATIENCE })
      await page.getByLabel('Amount', { exact: true }).fill('25')
      await checkScreen(page, 'link-transfer-new')
      await page.getByRole('button', { name: 'Create payment link' }).click()
      await page.getByText('Stablecoin or bank transfer').waitFor({ timeout: PATIENCE })
      await page.getByText('Solana, Ethereum').waitFor()
      await page.getByText('ETH, USDC').waitFor()
      await checkScreen(page, 'link-transfer')
      expect(problems.filter((problem) => !problem.includes('422'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a customer gets cNGN, receives naira and is paid out, and each step is followed where it happens',
    async () => {
      const merchant = await newMerchant(service)
      const { organisationId } = merchant
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/customers?new=1`)
      await page.getByLabel('Name', { exact: true }).fill('<b>Ada</b> Obi')
      await page.getByLabel('Email address').fill('ada@example.com')
      await page.getByRole('button', { name: 'Create customer' }).click()
      await page.getByRole('button', { name: 'Enable cNGN' }).click()
      await page.getByLabel('Bank verification number').fill('22212345678')
      await page.getByRole('button', { name: 'Enable', exact: true }).click()
      await page.getByText('To top up, transfer naira to').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'customer')
      await page.getByRole('link', { name: 'cNGN', exact: true }).click()
      await page.getByRole('button', { name: 'New cNGN payin' }).click()
      await chooseCustomer(page.getByRole('dialog'), 'obi', '<b>Ada</b> Obi')
      await page.getByLabel('Amount in cNGN').fill('25000')
      await page.getByRole('button', { name: 'Create payin' }).click()
      await page.getByRole('button', { name: 'Make the transfer in the sandbox' }).click()
      await page.locator('.main-amount').getByText('completed').first().waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'payin')
      // The payer pays twice: the second transfer is a payin of its own, which leads to the first and says what to do.
      const { payins } = (await merchant.call('GET /v1/cngn/payins')).body.data
      const line = `POST /v1/sandbox/cngn/payins/${payins[0].id}/payments`
      expect((await merchant.call(line, { body: { amount: '1000' } })).status).toBe(201)
      const further = async () =>
        (await merchant.call('GET /v1/cngn/payins')).body.data.payins.find(
          ({ relatedPayinId }: { relatedPayinId: string | null }) => relatedPayinId === payins[0].id,
        )
      await expect.poll(further, { timeout: PATIENCE }).toBeTruthy()
      await page.goto(`${service.url}/dashboard/test/cngn/payins/${(await further()).id}`)
      await page
        .getByText('1,000 cNGN is in the customer’s balance. If it was not meant to be paid, pay it back from there')
        .waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'payin-further')
      await page.getByRole('link', { name: 'another payin, which was already paid or had ended' }).click()
      await page.waitForURL(`**/cngn/payins/${payins[0].id}`)
      await page.goto(`${service.url}/dashboard/test/cngn/payouts?new=1`)
      // One who cannot use it is shown, with why, and cannot be chosen; Escape closes the choice and not the form.
      await merchant.call('POST /v1/customers', { body: { name: 'Bisi Ade', email: 'bisi@example.com' } })
      const customer = page.getByRole('dialog').getByRole('combobox', { name: 'Customer' })
      await customer.fill('bisi')
      const bisi = page.getByRole('option', { name: 'Bisi Ade cNGN is not enabled' })
      await bisi.waitFor({ timeout: PATIENCE })
      await customer.press('Enter')
      expect([await bisi.getAttribute('aria-disabled'), await bisi.isVisible()]).toEqual(['true', true])
      await customer.fill('')
      await page.getByRole('option').nth(1).waitFor({ timeout: PATIENCE })
      await customer.press('ArrowDown')
      await checkScreen(page, 'customer-choice')
      await customer.press('Escape')
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
      await chooseCustomer(page.getByRole('dialog'), 'ada@example.com', '<b>Ada</b> Obi')
      await page.getByText('Available: 26,000 cNGN').waitFor({ timeout: PATIENCE })
      await page.getByLabel('Amount in cNGN').fill('26001')
      await page.getByLabel('Account number').fill('0123456789')
      await page.getByRole('status').getByText('Name confirmed by').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'payout-new')
      await page.getByRole('button', { name: 'Create payout' }).click()
      await page.getByText('Insufficient cNGN balance').waitFor()
      await page.getByLabel('Amount in cNGN').fill('1000')
      await page.getByRole('button', { name: 'Create payout' }).click()
      await page.locator('.main-amount').getByText('completed').waitFor({ timeout: PATIENCE })
      expect(problems.filter((problem) => !problem.includes('422'))).toEqual([])
      await context.close()
    },
    STORY_MS,
  )

  test(
    'a payment route and a swap are created and followed to the end',
    async () => {
      const { organisationId } = await newMerchant(service)
      const { context, page, problems } = await openDashboard(browser, service, { organisationId, role: 'member' })
      await page.goto(`${service.url}/dashboard/test/routes?new=1`)
      await page.getByLabel('Name', { exact: true }).fill('Treasury')
      await page.getByLabel('Payers send on').selectOption('ethereum')
      await page.getByLabel('You receive on').selectOption('base')
      await page.getByLabel('Your wallet there').fill('0x12')
      await page.getByLabel('Refund address (optional)').focus()
      await page.getByText('Must be 0x and 40 hexadecimal digits').waitFor()
      await page.getByLabel('Your wallet there').fill(WALLET)
      await checkScreen(page, 'route-new')
      await page.getByRole('button', { name: 'Create payment route' }).click()
      await page.getByRole('button', { name: 'Send 25 in the sandbox' }).click({ timeout: PATIENCE })
      await page
        .getByRole('region', { name: 'Deposits', exact: true })
        .getByText('completed')
        .waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'route')
      await page.goto(`${service.url}/dashboard/test/swaps?new=1`)
      await page.getByLabel('Amount', { exact: true }).fill('100')
      await page.getByLabel('Solana wallet that receives').fill('2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA')
      await page.getByRole('region', { name: 'Price now' }).waitFor({ timeout: PATIENCE })
      await page.getByRole('button', { name: 'Create swap' }).click()
      await page.getByRole('button', { name: 'Send the deposit in the sandbox' }).click({ timeout: PATIENCE })
      await page.locator('.main-amount').getByText('completed').waitFor({ timeout: PATIENCE })
      await checkScreen(page, 'swap')
      expect(problems).toEqual([])
      await context.close()
    },
    STORY_MS,
  )
})
