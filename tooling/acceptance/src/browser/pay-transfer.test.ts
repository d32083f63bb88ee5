import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools, type Merchant, newCollection, newMerchant, payPageOf, useArtefact } from '#testing'
import { startChromium } from './chromium.ts'
import { fitsWidth, openWindow, violations } from './page.ts'
import { shoot } from './shots.ts'

const service = useArtefact({ settings: { RATE_LIMIT_GLOBAL: '100000' } })
const LIVE = { timeout: 60_000 }

const priced = {
  title: 'Two nights in Abuja',
  amount: undefined,
  pricing: { currency: 'NGN', amount: '15000' },
  methods: ['onchain', 'bank_transfer'],
}
const screen = (page: Page, name: string) => page.locator(`main[data-screen="${name}"]`).waitFor(LIVE)
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string
const pay = (merchant: Merchant, id: string, body: Record<string, unknown>) =>
  merchant.call(`POST /v1/sandbox/checkout-sessions/${id}/payments`, { body })

describe.runIf(hasTools(chromiumCommand()))('paying by bank transfer in Chromium', () => {
  let browser: Browser
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  /** A phone with the page of a link that is priced in naira, or as given. */
  async function begin(
    given: object = {},
  ): Promise<{ merchant: Merchant; page: Page; problems: readonly string[]; linkId: string }> {
    const merchant = await newMerchant(service)
    const { id: linkId } = await newCollection(merchant, { ...priced, ...given })
    const visit = await openWindow(browser, service.url, 'phone')
    contexts.push(visit.context)
    await visit.page.goto(`${service.url}/pay/${linkId}`)
    return { merchant, linkId, ...visit }
  }
  const start = async (page: Page) => {
    await page.getByRole('button', { name: 'Continue' }).click()
    await screen(page, 'waiting')
    return idOf(page)
  }

  /** The time that is left is shown, on a screen that fits and is accessible. */
  async function countsDown(page: Page): Promise<void> {
    await page
      .locator('#time-left')
      .filter({ hasText: /^1[0-4]:\d\d$/ })
      .waitFor()
    expect(await fitsWidth(page)).toBe(true)
    expect(await violations(page)).toEqual([])
  }

  test('a payer gets an account, copies its number, transfers the price and sees it arrive', async () => {
    const { merchant, page, problems } = await begin()
    expect(await page.locator('[name=option]:checked').inputValue()).toBe('bank_transfer:NGN')
    await shoot(page, 'transfer-choose-phone')
    const id = await start(page)
    const { bankAccount } = (await payPageOf(service, id)).session
    await page.getByRole('heading', { name: /Send\s+NGN\s15,000.00/ }).waitFor()
    await page.getByText(bankAccount.accountNumber).waitFor()
    await contexts.at(-1)?.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the account number' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(bankAccount.accountNumber)
    await countsDown(page)
    await shoot(page, 'transfer-waiting-phone')
    await pay(merchant, id, {})
    await screen(page, 'paid')
    await page.getByText(/has received your payment of\s+NGN\s15,000.00/).waitFor()
    await page.getByText('Bank transfer').waitFor()
    await shoot(page, 'transfer-paid-phone')
    expect(problems).toEqual([])
  })

  test('a smaller transfer leaves the rest, for which the same page gives another account', async () => {
    const { merchant, page } = await begin()
    const id = await start(page)
    await pay(merchant, id, { amount: '6000' })
    await screen(page, 'underpaid')
    await page.getByRole('heading', { name: /NGN\s9,000.00 left to pay/ }).waitFor()
    await shoot(page, 'transfer-rest-phone')
    await page.getByRole('button', { name: /Get an account for\s+NGN\s9,000.00/ }).click()
    await page.getByRole('button', { name: 'Copy the account number' }).waitFor()
    await pay(merchant, id, {})
    await screen(page, 'paid')
  })

  test.each<[string, object, RegExp, RegExp]>([
    ['a price in dollars', { pricing: { currency: 'USD', amount: '25' } }, /^US\$25\.00$/, /US\$15\.00/],
    ['a price in euros', { pricing: { currency: 'EUR', amount: '25' } }, /^€25\.00$/, /€15\.00/],
    ['an amount in stablecoin', { pricing: undefined, amount: '25' }, /^25 USDC/, /15(\.0\d+)? USDC/],
  ])('%s is transferred in naira, and the rest too', async (name, given, price, rest) => {
    const { merchant, page, problems } = await begin(given)
    expect(await page.locator('[name=option]:checked').inputValue()).toMatch(/:USDC$/)
    await page.getByRole('radio', { name: 'NGN', exact: true }).check()
    // The rate between euros and dollars is that of the start.
    if (!name.includes('euros'))
      await page.getByText(/about\s+NGN\s39,506.25 plus fees; you see the exact amount/).waitFor()
    await shoot(page, 'transfer-choose-other-phone')
    const id = await start(page)
    const { bankAccount } = (await payPageOf(service, id)).session
    const asked = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'NGN' }).format(bankAccount.amount)
    await page.getByRole('heading', { name: asked }).waitFor()
    await page.locator('.summary .amount').filter({ hasText: price }).waitFor()
    await countsDown(page)
    await shoot(page, 'transfer-waiting-other-phone')
    await pay(merchant, id, { amount: (Number(bankAccount.amount) * 0.4).toFixed(2) })
    await screen(page, 'underpaid')
    await page.getByText(/about\s+NGN\s[\d,.]+ plus fees; you see the exact amount/).waitFor()
    await shoot(page, 'transfer-rest-other-phone')
    await page.getByRole('button', { name: rest }).click()
    await page.getByRole('button', { name: 'Copy the account number' }).waitFor()
    await page.getByText('Make one transfer of exactly this amount').waitFor()
    await pay(merchant, id, {})
    await screen(page, 'paid')
    await shoot(page, 'transfer-paid-other-phone')
    expect(problems).toEqual([])
  })

  test('the payer may send stablecoin to the same session, or turn from stablecoin to a transfer', async () => {
    const { merchant, page, linkId } = await begin()
    const id = await start(page)
    await page.getByText('Pay with stablecoin instead').click()
    const { session } = await payPageOf(service, id)
    await page.getByText(session.depositAddress).first().waitFor()
    await pay(merchant, id, { method: 'onchain' })
    await screen(page, 'paid')
    await page.goto(`${service.url}/pay/${linkId}`)
    await page.getByRole('radio', { name: 'USDC' }).check()
    await start(page)
    await page.getByText('Pay by bank transfer instead').click()
    await page.getByRole('button', { name: /Get an account for\s+NGN\s15,000.00/ }).click()
    await page.getByRole('button', { name: 'Copy the account number' }).waitFor()
  })

  test.each(['ar', 'yo', 'de', 'zh'])(
    'in the language %s nothing is wider than 320 pixels, in light and dark, and axe finds nothing',
    async (locale) => {
      const { page } = await begin()
      await page.setViewportSize({ width: 320, height: 640 })
      const id = await start(page)
      await page.goto(`${service.url}/pay/${id}?lang=${locale}`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await fitsWidth(page)).toBe(true)
        expect(await violations(page)).toEqual([])
        await shoot(page, `transfer-waiting-320-${locale}-${colorScheme}`)
      }
    },
  )

  test('without a script the account and the end of the time can be read', async () => {
    const { page } = await begin()
    const id = await start(page)
    const context = await browser.newContext({ javaScriptEnabled: false })
    contexts.push(context)
    const plain = await context.newPage()
    await plain.goto(`${service.url}/pay/${id}`)
    const { bankAccount } = (await payPageOf(service, id)).session
    for (const text of [bankAccount.accountNumber, bankAccount.bankName, bankAccount.reference])
      await plain.getByText(text).waitFor()
    expect(await plain.getByRole('button', { name: 'Copy the account number' }).count()).toBe(0)
    await plain.setViewportSize({ width: 1280, height: 900 })
    await shoot(plain, 'transfer-waiting-laptop')
  })
})
