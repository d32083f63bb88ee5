import { designedEmail, serviceEmails } from '@payments/accounts'
import { locales } from '@payments/pay-page'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumCommand, hasTools } from '#testing'
import { startChromium } from './chromium.ts'
import { fitsWidth, schemes, violations } from './page.ts'
import { shoot } from './shots.ts'

/** The email of a part, with everything as long as it can be. */
const email = (lang: string) =>
  designedEmail({
    to: 'payer@example.com',
    subject: 'Incomplete payment: Consulting',
    lang,
    brand: `Ada ${'Unternehmensberatungsgesellschaft'.repeat(2)}`,
    heading: '1,234,567.891234 USDC left to pay',
    paragraphs: ['Ada Ltd has received 10 USDC of 25 USDC.', 'Send 15 USDC <b>on Ethereum</b> to the same address.'],
    facts: [
      ['Address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
      ['Transaction', `0x${'9c2d0e5a'.repeat(8)}`],
      ['Payment number', '01936f2a-7c1e-7000-8000-000000000081'],
    ],
    button: { text: 'Show the payment', url: `https://payments.test/pay/${'1'.repeat(60)}` },
    footer: 'Questions about the payment? Ask Ada Ltd, and name the payment number.',
  })

const SERVICE = { name: 'Payments', dashboard: 'https://payments.test/dashboard' }
const LONG = `Ada ${'Unternehmensberatungsgesellschaft'.repeat(2)}`
const NOTICE = { title: '100 USDC for Order 1043 is on hold', body: 'The provider holds it. You need not do anything.' }
const about = (count: number) => ({ organisation: LONG, environment: 'live', notifications: Array(count).fill(NOTICE) })
/** Every email of the service itself, with everything as long as it can be. */
const OF_SERVICE = {
  code: serviceEmails.codeEmail(SERVICE, 'ada@example.com', '123456'),
  registration: serviceEmails.registrationEmail(SERVICE, 'ada@example.com', 7),
  invitation: serviceEmails.invitationEmail(SERVICE, 'ada@example.com', {
    ...{ organisation: LONG, invitedBy: `${'a'.repeat(60)}@example.com`, role: 'owner', days: 7 },
  }),
  owners: serviceEmails.ownersEmail(SERVICE, 'ada@example.com', LONG, {
    ...{ title: 'Member invited', body: 'ada@example.com invited bob@example.com to join as owner.' },
    unexpected: 'end all sessions of the member who invited',
  }),
  'wrong-codes': serviceEmails.wrongCodesEmail(SERVICE, 'ada@example.com', new Date(0)),
  'new-device': serviceEmails.newDeviceEmail(SERVICE, 'ada@example.com', {
    ...{ device: 'Mozilla/5.0 (X11; Linux x86_64)', address: '2001:db8::1', time: new Date(0) },
  }),
  notification: serviceEmails.notificationsEmail(SERVICE, 'ada@example.com', about(1)),
  notifications: serviceEmails.notificationsEmail(SERVICE, 'ada@example.com', about(25)),
}

describe.runIf(hasTools(chromiumCommand()))('emails in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test.each([
    [320, 'en'],
    [640, 'en'],
    [320, 'ar'],
    [640, 'ar'],
  ])('at %d px in %s nothing is wider than the window, and light and dark satisfy WCAG 2.2 AA', async (width, lang) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      await page.setContent(email(lang).html)
      const found = { fits: await fitsWidth(page), violations: await violations(page) }
      expect({ width, lang, colorScheme, ...found }).toEqual({ width, lang, colorScheme, fits: true, violations: [] })
      await shoot(page, `email-${lang}-${width}-${colorScheme}`)
    }
    expect(await page.locator('b').count()).toBe(0)
    await page.close()
  })

  test.each(Object.entries(OF_SERVICE))(
    'the %s email fits into 320 px, can be read in light and dark, and says the same in its plain text',
    async (name, { subject, html, text }) => {
      const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
      for (const width of [320, 700]) {
        await page.setViewportSize({ width, height: 640 })
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          await page.setContent(html)
          const found = { fits: await fitsWidth(page), violations: await violations(page) }
          expect({ width, colorScheme, ...found }).toEqual({ width, colorScheme, fits: true, violations: [] })
          await shoot(page, `email-${name}-${width}-${colorScheme}`)
        }
      }
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(subject)
      // One button at most, and its address in the text for whoever sees no button.
      const buttons = await page
        .locator('a.button')
        .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href))
      expect(buttons.length).toBeLessThanOrEqual(1)
      for (const url of buttons) expect(text).toContain(url)
      const words = (content: string) => content.replace(/\s+/g, ' ')
      for (const part of await page.locator('p:not(.brand, .link, .code), td').allInnerTexts())
        if (!buttons.length || !(await page.locator('a.button').allInnerTexts()).includes(part))
          for (const line of part.split('\n'))
            expect(words(text).replaceAll(': ', ' ')).toContain(words(line).replaceAll(': ', ' '))
      await page.close()
    },
  )

  test('loads nothing, and says everything in its plain text too', () => {
    for (const locale of locales) {
      const { html, text } = email(locale)
      expect(html).not.toMatch(/<img|<link|@import|url\(|<script/)
      for (const part of ['15 USDC <b>', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'https://payments.test/pay/'])
        expect(text).toContain(part)
    }
  })
})
