import { designedEmail } from '@payments/accounts'
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
    paragraphs: [
      '10 USDC of 25 USDC arrived and went to Ada Ltd.',
      'Send 15 USDC <b>on Ethereum</b> to the same address.',
    ],
    facts: [
      ['Address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
      ['Transaction', `0x${'9c2d0e5a'.repeat(8)}`],
      ['Payment number', '01936f2a-7c1e-7000-8000-000000000081'],
    ],
    button: { text: 'Show the payment', url: `https://payments.test/pay/${'1'.repeat(60)}` },
    footer: 'Questions about the payment? Ask Ada Ltd, and name the payment number.',
  })

describe.runIf(hasTools(chromiumCommand()))('emails to payers in Chromium', () => {
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

  test('loads nothing, and says everything in its plain text too', () => {
    for (const locale of locales) {
      const { html, text } = email(locale)
      expect(html).not.toMatch(/<img|<link|@import|url\(|<script/)
      for (const part of ['15 USDC <b>', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'https://payments.test/pay/'])
        expect(text).toContain(part)
    }
  })
})
