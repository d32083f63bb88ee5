import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tokenContracts } from '@payments/kernel'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  chromiumCommand,
  hasTools,
  newCollection,
  newMerchant,
  payPageOf,
  paySession,
  someWallet,
  startSession,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'
import { readCode } from './qr.ts'

const service = useArtefact({ settings: { RATE_LIMIT_GLOBAL: '100000' } })
const LIVE = { timeout: 60_000 }

const screen = (page: Page, name: string) => page.locator(`main[data-screen="${name}"]`).waitFor(LIVE)
const open = (page: Page, id: string) => page.goto(`${service.url}/pay/${id}`)
/** The id that the page shows. */
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string
/** The network and the currency that are chosen. */
const chosen = (page: Page) => page.locator('[name=option]:checked').inputValue()
/** Chooses what is preselected and starts. */
async function begin(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Continue' }).click()
  await screen(page, 'waiting')
  return idOf(page)
}
const advance = (merchant: Awaited<ReturnType<typeof newMerchant>>, minutes: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds: minutes * 60 } })
const statusOf = async (id: string) => (await payPageOf(service, id)).status

/** Opens the page of a session as that of a live one: in the sandbox no wallet is asked. */
async function openAsLive(page: Page, id: string, ...changes: readonly (readonly [string, string])[]): Promise<void> {
  await page.unroute(`**/pay/${id}`)
  await page.route(`**/pay/${id}`, async (route) => {
    const reply = await route.fetch()
    const all = [['"environment":"test"', '"environment":"live"'] as const, ...changes]
    const body = all.reduce((text, [from, to]) => text.replaceAll(from, to), await reply.text())
    await route.fulfill({ response: reply, body })
  })
  await page.route(`**/v1/pay/${id}/stream`, (route) => route.abort())
  await page.route(`**/v1/pay/${id}`, (route) => route.abort())
  await open(page, id)
}

/** Problems of a page that are not those of requests that {@link openAsLive} aborts. */
const othersThan = (problems: readonly string[], id: string) =>
  problems.filter((problem) => !problem.includes(`/v1/pay/${id}`) && !problem.includes('ERR_FAILED'))

describe.runIf(hasTools(chromiumCommand()))('paying in Chromium', () => {
  let browser: Browser
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  /** A phone with an empty page, and what went wrong on it. */
  async function phone(): Promise<{ context: BrowserContext; page: Page; problems: readonly string[] }> {
    const visit = await openWindow(browser, service.url, 'phone')
    contexts.push(visit.context)
    return visit
  }

  test('a payer chooses, pays exactly and sees the payment arrive without reloading, and the code in a screenshot decodes to what is shown', async () => {
    const merchant = await newMerchant(service)
    const { id: linkId } = await newCollection(merchant, {
      redirectUrl: 'https://merchant.example/thanks/{SESSION_ID}?status={STATUS}',
    })
    const { page, problems } = await phone()
    await open(page, linkId)
    const id = await begin(page)
    const { session } = await payPageOf(service, id)
    expect(await readCode(browser, page.locator('#qr'))).toBe(session.depositAddress)
    await page.locator('#wallet').selectOption('metamask')
    expect(await readCode(browser, page.locator('#qr'))).toBe(session.paymentUri)
    await page.getByRole('switch', { name: 'Address only' }).check()
    expect(await readCode(browser, page.locator('#qr'))).toBe(session.depositAddress)
    await page.evaluate('globalThis.sameDocument = true')
    await paySession(merchant, id)
    await screen(page, 'paid')
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true)
    await page.getByText('has received your payment of 25 USDC').waitFor()
    await page.getByText(/You return to .* in \d+ seconds/).waitFor()
    await page.getByRole('button', { name: 'Stay here' }).click()
    expect(await page.getByRole('link', { name: 'Back to' }).getAttribute('href')).toBe(
      `https://merchant.example/thanks/${id}?status=paid`,
    )
    expect(problems).toEqual([])
  })

  test.each([
    ['Asia/Kolkata', 'GMT+5:30'],
    ['UTC', 'UTC'],
  ])('a payer in %s reads when they paid in their own zone, with its name', async (timezoneId, name) => {
    const merchant = await newMerchant(service)
    const { id } = await startSession(service, (await newCollection(merchant)).id)
    await paySession(merchant, id)
    const context = await browser.newContext({ timezoneId })
    contexts.push(context)
    const page = await context.newPage()
    await open(page, id)
    await screen(page, 'paid')
    const { paidAt } = (await payPageOf(service, id)).session
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: timezoneId } as const
    const shown = `${new Intl.DateTimeFormat('en-GB', format).format(new Date(paidAt))} ${name}`
    await page.locator(`time[datetime="${paidAt}"]`, { hasText: shown }).waitFor()
    // A page that is opened when it was paid long ago, too.
    await page.reload()
    await page.locator(`time[datetime="${paidAt}"]`, { hasText: shown }).waitFor()
  })

  test('a little less within the tolerance is paid', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    await paySession(merchant, await begin(page), { amount: '24.9' })
    await screen(page, 'paid')
  })

  test('less than asked shows what is missing with a code for it, and the rest completes it', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    const id = await begin(page)
    await paySession(merchant, id, { amount: '10' })
    await screen(page, 'underpaid')
    await page.getByRole('heading', { name: '15 USDC left to pay' }).waitFor()
    await page.locator('#wallet').selectOption('metamask')
    expect(await readCode(browser, page.locator('#qr'))).toContain('uint256=15000000')
    await paySession(merchant, id, { amount: '15' })
    await screen(page, 'paid')
  })

  test('more than asked is paid, and the page says that it was more', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    await paySession(merchant, await begin(page), { amount: '30' })
    await screen(page, 'paid')
    await page.getByText('It is 5 USDC more than the 25 USDC').waitFor()
  })

  test('a payment after the end counts within the grace time, and after it is shown and does not', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    for (const [minutes, last, text] of [
      [20, 'paid', 'arrived late, and was accepted'],
      [90, 'expired', 'arrived too late. It went to'],
    ] as const) {
      await open(page, (await newCollection(merchant)).id)
      const id = await begin(page)
      await advance(merchant, minutes)
      await screen(page, 'expired')
      await paySession(merchant, id)
      await page.getByText(text).waitFor(LIVE)
      await screen(page, last)
    }
  })

  test('a wrong amount that the merchant does not keep is returned', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant, { paymentPolicy: { mismatch: 'return' } })).id)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This is not an address on the network that you chose.').waitFor()
    await page.getByLabel('Your address on this network').fill(someWallet())
    await paySession(merchant, await begin(page), { amount: '10' })
    await screen(page, 'returned')
  })

  test('a part, and the time is over: the rest is asked for while it counts, and later nothing is', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    const id = await begin(page)
    await paySession(merchant, id, { amount: '10' })
    await screen(page, 'underpaid')
    await advance(merchant, 20)
    await page.getByText('The payment has expired, but the rest is still accepted.').waitFor(LIVE)
    await page.getByRole('heading', { name: '15 USDC left to pay' }).waitFor()
    expect(await page.locator('#address-text').count()).toBe(1)
    await advance(merchant, 90)
    await page.reload()
    await page.getByText('The rest, 15 USDC, was not paid in time.').waitFor()
    expect(await page.locator('#address-text, #again').count()).toBe(0)
  })

  test('another currency is announced with where it went, and the address is not offered for a second payment', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    await paySession(merchant, await begin(page), { currency: 'EURC', amount: '25' })
    await page.getByRole('heading', { name: 'Another currency or network arrived' }).waitFor(LIVE)
    expect(await page.locator('#announcer').textContent()).toBe('Another currency or network arrived')
    expect(await page.locator('#address-text').isVisible()).toBe(false)
    await page.getByText('Pay 25 USDC here all the same').click()
    expect(await page.locator('#address-text').isVisible()).toBe(true)
  })

  test('open pages of a merchant that is suspended hide the address at once, and show a payment that was sent before', async () => {
    const merchant = await newMerchant(service)
    const { page, context } = await phone()
    await open(page, (await newCollection(merchant)).id)
    const id = await begin(page)
    const second = await context.newPage()
    await open(second, (await newCollection(merchant)).id)
    const part = await begin(second)
    await paySession(merchant, part, { amount: '10' })
    await screen(second, 'underpaid')
    const suspended = Date.now()
    await service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [
      merchant.organisationId,
    ])
    await Promise.all([
      page.locator('main[data-screen="unavailable"]').waitFor(LIVE),
      second.getByText('Do not send the rest.').waitFor(LIVE),
    ])
    expect(Date.now() - suspended).toBeLessThan(5000)
    for (const each of [page, second]) expect(await each.locator('#address-text').count()).toBe(0)
    expect(await page.locator('main').textContent()).toContain('Already sent? It is still delivered')
    // The suspended merchant's key cannot pay: the payment comes as the sandbox reports it.
    await service.runtime.pool.query('update organisations set suspended_at = null where id = $1', [
      merchant.organisationId,
    ])
    await paySession(merchant, id)
    await service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [
      merchant.organisationId,
    ])
    await expect.poll(async () => (await page.goto(`${service.url}/pay/${id}`))?.status(), LIVE).toBe(200)
    await screen(page, 'paid')
  })

  test('a request that the merchant withdraws says so on the page of a part, at once', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    const { id: checkout } = await newCollection(merchant, { type: 'checkout' })
    await open(page, checkout)
    await paySession(merchant, await begin(page), { amount: '10' })
    await screen(page, 'underpaid')
    await merchant.call(`DELETE /v1/collections/${checkout}`)
    await page.getByText('has withdrawn this request for payment.').waitFor(LIVE)
    expect(await page.locator('#address-text').count()).toBe(0)
  })

  test('another language and a reload keep what was chosen, and another language what was typed', async () => {
    const merchant = await newMerchant(service)
    const { page, problems } = await phone()
    await open(page, (await newCollection(merchant, { amount: undefined })).id)
    await page.getByLabel('Amount in USDC').fill('1,500')
    await page.getByLabel('Email address').fill('payer@example.com')
    const networks = () => page.locator('fieldset.networks:not([hidden]) label span > bdi').allTextContents()
    expect(await networks()).toEqual(['Base', 'Optimism', 'Polygon', 'Solana', 'Arbitrum One', 'Ethereum'])
    await page.getByText('fees about US$0.01, usually 1 min').first().waitFor()
    await page.getByRole('radio', { name: 'Ethereum' }).check()
    await page.getByRole('radio', { name: 'EURC' }).check()
    expect([await networks(), await chosen(page)]).toEqual([['Base', 'Solana', 'Ethereum'], 'ethereum:EURC'])
    await page.getByRole('link', { name: 'Yorùbá' }).click()
    await page.locator('html[lang=yo]').waitFor()
    expect(await page.locator('#amount').inputValue()).toBe('1,500')
    expect(await page.locator('#payerEmail').inputValue()).toBe('payer@example.com')
    expect(await chosen(page)).toBe('ethereum:EURC')
    await page.reload()
    expect([await networks(), await chosen(page)]).toEqual([['Base', 'Solana', 'Ethereum'], 'ethereum:EURC'])
    expect(problems).toEqual([])
  })

  test('what is chosen before the script has loaded is what is asked for, and nothing can be sent until then', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    let load = () => undefined as unknown
    const loading = new Promise((resolve) => {
      load = () => resolve(undefined)
    })
    await page.route('**/pay/page.js*', (route) => loading.then(() => route.continue()))
    await page.goto(`${service.url}/pay/${(await newCollection(merchant)).id}`, { waitUntil: 'commit' })
    await page.getByRole('radio', { name: 'EURC' }).check(LIVE)
    await page.getByRole('button', { name: 'Continue' }).waitFor({ state: 'hidden' })
    expect(await page.locator('html.script').count()).toBe(0)
    load()
    await begin(page)
    await page.getByText('EURC').first().waitFor()
    expect(await payPageOf(service, idOf(page))).toMatchObject({ session: { currency: 'EURC' } })
  })

  test('a payer can cancel, go back to the merchant, and start again', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    const cancelUrl = 'https://merchant.example/cart?session={SESSION_ID}&status={STATUS}'
    await open(page, (await newCollection(merchant, { cancelUrl })).id)
    const back = page.getByRole('link', { name: 'Back to' })
    const addressOf = (session: string, status: string) =>
      `https://merchant.example/cart?session=${session}&status=${status}`
    expect(await back.getAttribute('href')).toBe(addressOf('', 'active'))
    const id = await begin(page)
    await page.getByRole('button', { name: 'Cancel this payment' }).click()
    await screen(page, 'cancelled')
    expect(await back.getAttribute('href')).toBe(addressOf(id, 'cancelled'))
    await page.getByRole('link', { name: 'Start again' }).click()
    expect(await begin(page)).not.toBe(id)
  })

  test('a session that ends in time says so by itself, and a new one can be started', async () => {
    const merchant = await newMerchant(service)
    const { page } = await phone()
    await open(page, (await newCollection(merchant)).id)
    await begin(page)
    await advance(merchant, 16)
    await screen(page, 'expired')
    await page.getByRole('link', { name: 'Start again' }).click()
    await begin(page)
  })

  test('a reload in the middle and a second tab show the same session, and both see the payment', async () => {
    const merchant = await newMerchant(service)
    const { page, context } = await phone()
    await open(page, (await newCollection(merchant)).id)
    const id = await begin(page)
    await page.reload()
    expect(idOf(page)).toBe(id)
    const second = await context.newPage()
    await open(second, id)
    await paySession(merchant, id)
    await Promise.all([screen(page, 'paid'), screen(second, 'paid')])
  })

  test('without a connection the page says so, and recovers by itself', async () => {
    const merchant = await newMerchant(service)
    const { page, context } = await phone()
    await open(page, (await newCollection(merchant)).id)
    const id = await begin(page)
    // The page is shown before its script is loaded, and without it nothing can say that the connection is lost.
    await page.locator('html.script').waitFor(LIVE)
    await context.setOffline(true)
    await page.getByText('No connection. Reconnecting automatically').waitFor(LIVE)
    await page.locator('#help summary').click()
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.locator('#looked', { hasText: 'No connection' }).waitFor(LIVE)
    await paySession(merchant, id)
    await expect.poll(() => statusOf(id), LIVE).toBe('paid')
    await context.setOffline(false)
    await screen(page, 'paid')
    expect(await page.locator('#connection').textContent()).toBe('')
  })

  test('without JavaScript the session can be read: merchant, amount, address and code', async () => {
    const merchant = await newMerchant(service)
    const { id } = await startSession(service, (await newCollection(merchant)).id)
    const context = await browser.newContext({ javaScriptEnabled: false })
    contexts.push(context)
    const page = await context.newPage()
    await open(page, id)
    const { session, merchant: who } = await payPageOf(service, id)
    const text = await page.locator('main').textContent()
    for (const shown of [who.name, '25 USDC', session.depositAddress]) expect(text).toContain(shown)
    expect(await readCode(browser, page.locator('#qr'))).toBe(session.depositAddress)
    expect(await page.locator('[data-script]').first().isVisible()).toBe(false)
  })

  test('a wallet in the browser is asked for exactly the amount, on the network, once, and its transaction is shown', async () => {
    const merchant = await newMerchant(service)
    const { id } = await startSession(service, (await newCollection(merchant)).id, { networkKey: 'polygon' })
    const { session } = await payPageOf(service, id)
    const { page, problems } = await phone()
    await page.addInitScript(FAKE_WALLETS)
    await open(page, id)
    expect(await page.locator('#wallets button').count()).toBe(0)
    await openAsLive(page, id)
    await page.getByRole('button', { name: 'Pay with Stubborn' }).click()
    await page.locator('#wallet-status').getByText('Switch your wallet to Polygon').waitFor()
    await page.getByRole('button', { name: 'Pay with Refusing' }).click()
    await page.locator('#wallet-status').getByText('Nothing was sent.').waitFor()
    await page.getByRole('button', { name: 'Pay with Good' }).click()
    await page.locator('#wallet-status code').waitFor()
    expect(await page.locator('#wallet-status').textContent()).toMatch(/do not send it again\.0xfeed$/)
    expect(await page.locator('#wallets button').count()).toBe(0)
    const word = (hex: string) => hex.toLowerCase().padStart(64, '0')
    expect(await page.evaluate('globalThis.asked')).toEqual([
      ['Stubborn', 'eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId'],
      ['Refusing', 'eth_requestAccounts', 'eth_chainId', 'eth_chainId', 'eth_sendTransaction'],
      [
        'Good',
        'eth_requestAccounts',
        'eth_chainId',
        'wallet_switchEthereumChain',
        'eth_chainId',
        'eth_sendTransaction',
      ],
    ])
    expect(await page.evaluate('globalThis.signed')).toEqual({
      from: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      to: tokenContracts.polygon?.USDC,
      value: '0x0',
      chainId: '0x89',
      data: `0xa9059cbb${word(session.depositAddress.slice(2))}${word((25_000_000).toString(16))}`,
    })
    await page.reload()
    await page.locator('#wallet-status code').waitFor()
    expect(await page.locator('#wallets button').count()).toBe(0)
    expect(othersThan(problems, id)).toEqual([])
  })

  test('a Solana wallet in the browser is asked to send the transaction of the service, once, and its signature is shown; without one there is no button', async () => {
    const merchant = await newMerchant(service)
    const { id } = await startSession(service, (await newCollection(merchant)).id, { networkKey: 'solana' })
    const { page, problems } = await phone()
    await page.addInitScript(FAKE_STANDARD_WALLETS)
    const link = ['"walletLinks":{}', '"walletLinks":{"phantom":"https://wallet.test/open"}'] as const
    await openAsLive(page, id, link)
    // Without a node of Solana the service builds none.
    await page.locator('#wallet').selectOption('phantom')
    expect(await page.getByRole('link', { name: 'Open this page in Phantom' }).getAttribute('href')).toBe(
      link[1].slice(26, -2),
    )
    expect([await page.locator('#wallets button').count(), await page.evaluate('globalThis.asked')]).toEqual([0, []])
    const wanted: unknown[] = []
    await page.route(`**/pay/${id}/transaction`, async (route) => {
      wanted.push([route.request().method(), route.request().postDataJSON()])
      await route.fulfill({ json: { transaction: 'AQID', message: 'Ada' } })
    })
    await openAsLive(page, id, link, ['"transactionUrl":null', '"transactionUrl":"https://pay.test"'])
    await page.locator('#wallet').selectOption('phantom')
    // A wallet is there, so the page is where it can be asked.
    await page.getByRole('button', { name: 'Pay with Late' }).waitFor()
    expect(await page.locator('#open-wallet').count()).toBe(0)
    await page.getByRole('button', { name: 'Pay with Refusing' }).click()
    await page.locator('#wallet-status').getByText('Nothing was sent.').waitFor()
    expect((await page.locator('#wallets button').allTextContents()).sort()).toEqual([
      'Pay with Late',
      'Pay with Refusing',
    ])
    await page.getByRole('button', { name: 'Pay with Late' }).click()
    await expect.poll(() => page.evaluate('typeof globalThis.answer')).toBe('function')
    expect(await page.locator('#wallets button:not(:disabled)').count()).toBe(0)
    await page.evaluate('globalThis.answer()')
    await page.locator('#wallet-status code').waitFor()
    expect(await page.locator('#wallet-status').textContent()).toMatch(/do not send it again\.1{63}2$/)
    expect(await page.evaluate('globalThis.asked')).toEqual([
      ['Refusing', 'connect', 'solana:mainnet', [1, 2, 3]],
      ['Late', 'connect', 'solana:mainnet', [1, 2, 3]],
    ])
    const post = ['POST', { account: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV' }]
    expect(wanted).toEqual([post, post])
    await page.reload()
    await page.locator('#wallet-status code').waitFor()
    expect(await page.locator('#wallets button').count()).toBe(0)
    expect(othersThan(problems, id)).toEqual([])
  })

  test('everything can be done with the keyboard alone', async () => {
    const merchant = await newMerchant(service)
    const { page, context } = await openWindow(browser, service.url, 'desktop')
    contexts.push(context)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, (await newCollection(merchant, { amount: undefined })).id)
    const press = async (name: RegExp) => {
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press('Tab')
        if (name.test(String(await page.evaluate(FOCUSED)))) return
      }
      throw new Error(`${name} is not reached by keyboard`)
    }
    await press(/^Amount/)
    await page.keyboard.type('12,5')
    await press(/^Continue/)
    await page.keyboard.press('Enter')
    await screen(page, 'waiting')
    await press(/^Copy the amount/)
    await page.keyboard.press('Enter')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('12.5')
    await press(/^Cancel this payment/)
    await page.keyboard.press('Enter')
    await screen(page, 'cancelled')
  })

  test('a site that the merchant allows embeds the page in its colours and hears what happens, and no other site can frame it', async () => {
    const merchant = await newMerchant(service)
    const shop = await startShop()
    try {
      const { id: linkId } = await newCollection(merchant, { allowedOrigins: [shop.origin] })
      const start = async () => (await startSession(service, linkId)).id
      const [id, cancelled, expired] = [await start(), await start(), await start()]
      const foreigner = (await newCollection(merchant)).id
      shop.show(id, cancelled, expired, foreigner, 'unknown')
      const context = await browser.newContext()
      contexts.push(context)
      const page = await context.newPage()
      await page.goto(shop.origin)
      const frameOf = (shown: string) => page.locator(`payment-page[collection="${shown}"] iframe`)
      const frame = frameOf(id).contentFrame()
      await frame.locator('main[data-screen="waiting"]').waitFor(LIVE)
      // The shop is dark on a computer that is light: the frame is dark too, and lets the shop's own colour through.
      expect(await frame.locator('html').evaluate(COLOURS)).toEqual(['dark', 'rgba(0, 0, 0, 0)'])
      const height = () =>
        frameOf(id)
          .boundingBox()
          .then((box) => box?.height)
      await expect.poll(height).not.toBe(760)
      await paySession(merchant, id)
      await page.waitForFunction('globalThis.paid', undefined, LIVE)
      expect(await page.evaluate('globalThis.paid')).toEqual({ id, linkId })
      await frameOf(cancelled).contentFrame().getByRole('button', { name: 'Cancel this payment' }).click()
      await page.evaluate("document.documentElement.style.colorScheme = 'light'")
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => frame.locator('html').evaluate(COLOURS)).toEqual(['light', 'rgba(0, 0, 0, 0)'])
      await advance(merchant, 16)
      await frameOf(expired).contentFrame().locator('main[data-screen="expired"]').waitFor(LIVE)
      const heard = async (shown: string) =>
        ((await page.evaluate('globalThis.events')) as [string, string, { reason?: string }][])
          .filter(([of, type]) => of === shown && type !== 'processing')
          .map(([, type, { reason }]) => (reason ? `${type}: ${reason}` : type))
          .filter((type, index, all) => type !== 'height' || all.indexOf(type) === index)
      await expect.poll(() => heard(id)).toEqual(['ready', 'started', 'height', 'paid'])
      await expect.poll(() => heard(cancelled)).toEqual(['ready', 'started', 'height', 'cancelled'])
      await expect.poll(() => heard(expired)).toEqual(['ready', 'started', 'height', 'expired'])
      await expect.poll(() => heard(foreigner), LIVE).toEqual(['error: refused'])
      await expect.poll(() => heard('unknown'), LIVE).toEqual(['error: unknown'])
      const foreign = await context.newPage()
      const refused: string[] = []
      foreign.on('console', (message) => refused.push(message.text()))
      await foreign.goto(shop.origin.replace('127.0.0.1', 'localhost'))
      await expect.poll(() => refused.join(' ')).toContain('frame-ancestors')
      expect(await foreign.frames()[1]?.locator('main').count()).toBe(0)
    } finally {
      await shop.close()
    }
  })

  test('the React example says how a payment stands, thanks the payer once, and shows another collection or says that it cannot', async () => {
    const merchant = await newMerchant(service)
    const shop = await startReactShop()
    try {
      const [first, second] = await Promise.all(
        [1, 2].map(() => newCollection(merchant, { type: 'checkout', allowedOrigins: [shop.origin] })),
      )
      const { page, problems } = await openWindow(browser, shop.origin, 'phone')
      contexts.push(page.context())
      await page.goto(`${shop.origin}/?${first?.id}`)
      const frame = page.locator('payment-page iframe').contentFrame()
      const says = (text: string) => page.getByRole('status').getByText(text).first().waitFor(LIVE)
      await frame.getByRole('button', { name: 'Continue' }).click()
      await says('Waiting for your payment')
      await frame.locator('main[data-screen="waiting"]').waitFor(LIVE)
      const { sessions } = (await merchant.call(`GET /v1/collections/${first?.id}/sessions`)).body.data
      await paySession(merchant, sessions[0].id)
      await says('Thank you, your payment is complete')
      expect(await page.evaluate('globalThis.thanked')).toEqual([sessions[0].id])
      await page.evaluate(`globalThis.show('${second?.id}')`)
      await frame.getByRole('button', { name: 'Continue' }).waitFor(LIVE)
      expect(await page.getByRole('status').textContent()).toBe('')
      await page.evaluate("globalThis.show('unknown')")
      await says('The payment cannot be shown here')
      expect(problems.filter((problem) => !problem.includes(service.url) && !problem.includes('404'))).toEqual([])
    } finally {
      await shop.close()
    }
  })
})

/** A site of another origin that is the React example: its query names the collection, and `show` another one. */
async function startReactShop(): Promise<{ origin: string; close(): Promise<void> }> {
  const { build } = await import('vite')
  const example = fileURLToPath(new URL('../../../../examples/payment.tsx', import.meta.url))
  const main = `import { createElement, StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    import { Payment } from '${example}'
    const root = createRoot(document.getElementById('root'))
    globalThis.thanked = []
    globalThis.show = (collection) => root.render(createElement(StrictMode, null, createElement(Payment,
      { service: '${service.url}', collection, onPaid: (id) => globalThis.thanked.push(id) })))
    show(location.search.slice(1))`
  const bundle = await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'shop',
        enforce: 'pre',
        resolveId: (id) => (id === 'virtual:shop' ? id : undefined),
        load: (id) => (id === 'virtual:shop' ? main : undefined),
      },
    ],
    resolve: { alias: reactHere() },
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: { write: false, rollupOptions: { input: 'virtual:shop' } },
  })
  const [output] = [bundle].flat()
  const code = output && 'output' in output ? output.output[0].code : ''
  const server = createServer((request, response) => {
    const isScript = request.url === '/main.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(
      isScript
        ? code
        : '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/main.js"></script>',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The example has no installation of its own. */
const reactHere = () =>
  ['react-dom', 'react'].map((name) => ({
    find: new RegExp(`^${name}(?=/|$)`),
    replacement: dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
  }))

/** Three wallets (EIP-6963) that record what they are asked: one stays on its network, one refuses, one does what it is asked. */
const FAKE_WALLETS = `
  globalThis.asked = []
  const wallet = (name, chain, can) => {
    const calls = [name]
    return {
      info: { uuid: name, name, icon: 'data:,', rdns: 'test.' + name },
      provider: {
        async request({ method, params }) {
          if (calls.length === 1) asked.push(calls)
          calls.push(method)
          if (method === 'eth_requestAccounts') return ['0x8617E340B3D01FA5F11F306F4090FD50E238070D']
          if (method === 'eth_chainId') return chain
          if (method === 'wallet_switchEthereumChain') return void (chain = can === 'switch' ? params[0].chainId : chain)
          if (can === 'refuse') throw Object.assign(new Error('User rejected'), { code: 4001 })
          globalThis.signed = params[0]
          return '0xfeed'
        },
      },
    }
  }
  const wallets = [wallet('Stubborn', '0x1', 'stay'), wallet('Refusing', '0x89', 'refuse'), wallet('Good', '0x1', 'switch')]
  addEventListener('eip6963:requestProvider', () => {
    for (const detail of wallets) dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  })`

/**
 * Wallets (Wallet Standard) that record what they are asked: one cannot send on Solana, one is refused by its user, and one answers when it is
 * told to. The first two are there before the page, the last one registers itself later.
 */
const FAKE_STANDARD_WALLETS = `
  globalThis.asked = []
  const account = {
    address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
    chains: ['solana:mainnet'],
    features: ['solana:signAndSendTransaction'],
  }
  const wallet = (name, chains, answer) => {
    const calls = [name]
    return {
      version: '1.0.0', name, icon: 'data:,', chains, accounts: [],
      features: {
        'standard:connect': {
          async connect() {
            asked.push(calls)
            calls.push('connect')
            return { accounts: [account] }
          },
        },
        'solana:signAndSendTransaction': {
          supportedTransactionVersions: ['legacy', 0],
          async signAndSendTransaction({ account: { address }, chain, transaction }) {
            calls.push(chain, [...transaction])
            return answer()
          },
        },
      },
    }
  }
  const signature = new Uint8Array(64)
  signature[63] = 1
  const wallets = [
    wallet('Elsewhere', ['sui:mainnet'], () => []),
    wallet('Refusing', ['solana:mainnet'], () => { throw Object.assign(new Error('User rejected'), { code: 4001 }) }),
  ]
  const late = wallet('Late', ['solana:mainnet'], () => new Promise((resolve) => {
    globalThis.answer = () => resolve([{ signature }])
  }))
  const announce = (...all) => dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: ({ register }) => register(...all) }))
  addEventListener('wallet-standard:app-ready', ({ detail: { register } }) => register(...wallets))
  addEventListener('load', () => announce(late))`

/** The name of what has the focus: its own label, that of its field, or its text. */
const FOCUSED = `(({ activeElement: it }) => it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent)(document)`

/** The colour scheme of a page, and the background of its body. */
const COLOURS =
  '[getComputedStyle(document.documentElement).colorScheme, getComputedStyle(document.body).backgroundColor]'

/** A site of another origin with pay pages in it. */
async function startShop(): Promise<{ origin: string; show(...ids: string[]): void; close(): Promise<void> }> {
  let ids: readonly string[] = []
  const server: Server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><html style="color-scheme: dark"><title>Shop</title><link rel="icon" href="data:,"><script type="module" src="${service.url}/embed.js"></script>
      ${ids.map((id) => `<payment-page collection="${id}"></payment-page>`).join('')}
      <script>addEventListener('paid', ({ detail }) => { globalThis.paid = detail })
        globalThis.events = []
        for (const type of ['ready', 'height', 'started', 'processing', 'paid', 'expired', 'cancelled', 'error'])
          addEventListener(type, ({ target, detail }) => {
            if (target.localName === 'payment-page') globalThis.events.push([target.getAttribute('collection'), type, detail])
          })</script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (...given) => {
      ids = given
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
