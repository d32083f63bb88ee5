import { locales } from '@payments/pay-page'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  act,
  call,
  chromiumCommand,
  hasTools,
  type Merchant,
  newCollection,
  newMerchant,
  payPageOf,
  paySession,
  sized,
  startSession,
  useArtefact,
} from '#testing'
import { startChromium } from './chromium.ts'
import { type Device, devices, fitsWidth, openContext, openTab, violations } from './page.ts'
import { SCREENSHOTS, shoot } from './shots.ts'

const service = useArtefact({ settings: { RATE_LIMIT_GLOBAL: '100000' } })

const looks = ['light', 'dark', 'arabic'] as const

/** Waits until the session has a status. */
async function reached(id: string, status: string): Promise<void> {
  for (let tries = 0; (await payPageOf(service, id)).status !== status; tries++) {
    if (tries === 200) throw new Error(`${id} does not become ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Waits until the first payment of a session was delivered. */
async function delivered(id: string): Promise<string> {
  for (let tries = 0; (await payPageOf(service, id)).session.payments[0]?.status !== 'completed'; tries++) {
    if (tries === 200) throw new Error(`The payment to ${id} is not delivered`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return id
}

/** Advances the sandbox clock. */
const advance = (merchant: Merchant, minutes: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds: minutes * 60 } })

const items = [
  { description: 'Consulting, one day', quantity: 2, unitAmount: '400', taxPercent: 7.5 },
  { description: 'Travel from Lagos to Abuja and back', quantity: 1, unitAmount: '120.5' },
]

/** A session whose payment the provider takes its time with. */
async function confirming(merchant: Merchant): Promise<string> {
  const id = await session(merchant)
  await paySession(merchant, id)
  await service.runtime.pool.query(
    `update sandbox_relay_requests r set settles_at = now() + interval '1 hour' from checkout_sessions s
      where s.id = $1 and r.address = s.deposit_address`,
    [id],
  )
  await reached(id, 'processing')
  return id
}

/** A light accent, and a dark colour around a light page: texts of the page could be read on neither. */
const BRANDING = {
  displayName: 'Adaeze’s workshop for furniture and restoration',
  accentColor: '#ffd43b',
  backgroundColor: '#1e3a5f',
  supportEmail: 'help@workshop.example',
  supportUrl: 'https://workshop.example/help',
  websiteUrl: 'https://workshop.example',
  legalName: 'Adaeze Workshop for Furniture and Restoration Limited',
  address: '12 Broad Street, Lagos Island, Lagos',
  taxId: '12345678-0001',
  termsUrl: 'https://workshop.example/terms',
  privacyUrl: 'https://workshop.example/privacy',
}
/** A ring on 48 × 48 pixels. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAABO0lEQVR4AdXB7W3DIBSG0ee+QmUTr1hGYMWyCb9uI6VS+pHExpDanGMf72/MTEwuMI7TzugU6OP0cW6MHQL7OOM5V0YD0c55LadBYDvn/zhXxgqxjXMMZ4VY5xzLeUI855yD84B4zDkX5w4xOXGfc07OL+Iv59ycb8TkxE/OHJwvgcGWXFlTUmQUMdCSK1ssuTKKuHE6LLnSYsmVTs6FGGDJlT2WXOklOi250mPJlR5icmJyYnJicmJyYnJicmJyolNJkR4lRXqIAUqK7FFSpJe4MTqUFGlRUqSTcSEGKimyRUmRUQKDlRT5T+InYw7GFzE58ZdxbsY34j7jnIxfxOTEY8a5GHeI54xzMB4Q64xjGU+IbYxjGCsC2xlXzusZG4l2xmsZDQL7GFfOOMYOgT7GjdPO6BQYxzjAJ7WVOiSsRgBNAAAAAElFTkSuQmCC'

/** How each screen comes about. Each gives the id of a page that shows it. */
const screens: Readonly<Record<string, (merchant: Merchant) => Promise<string>>> = {
  choose: async (merchant) => (await newCollection(merchant, { description: 'Two days on site, in Lagos.' })).id,
  'choose-branded': async (merchant) => {
    await merchant.call('PATCH /v1/branding', { body: BRANDING })
    await merchant.call('PUT /v1/branding/logo', { body: { image: LOGO } })
    // As if the DNS record of the domain had been found.
    await service.runtime.pool.query(
      `update brandings set verified_domain = 'workshop.example' where organisation_id = $1`,
      [merchant.organisationId],
    )
    return (await newCollection(merchant, { cancelUrl: 'https://workshop.example/cart' })).id
  },
  'choose-own-amount': async (merchant) =>
    (await newCollection(merchant, { amount: undefined, title: 'Donation', paymentPolicy: { mismatch: 'return' } })).id,
  'choose-invoice': async (merchant) =>
    (await newCollection(merchant, { type: 'invoice', amount: undefined, items, dueAt: '2036-01-31T00:00:00Z' })).id,
  waiting: (merchant) => session(merchant),
  'waiting-solana': (merchant) => session(merchant, {}, { networkKey: 'solana' }),
  'waiting-tron': (merchant) =>
    session(merchant, { currency: 'USDT', destinationChainKey: 'ethereum' }, { networkKey: 'tron', currency: 'USDT' }),
  confirming: (merchant) => confirming(merchant),
  'confirming-slow': async (merchant) => {
    const id = await confirming(merchant)
    await service.runtime.pool.query(
      `update checkout_sessions set payments = jsonb_set(payments, '{0,receivedAt}', '"2026-01-01T00:00:00.000Z"') where id = $1`,
      [id],
    )
    return id
  },
  underpaid: (merchant) => session(merchant, {}, {}, 'underpaid', { amount: '10' }),
  'underpaid-grace': async (merchant) => {
    const id = await session(merchant, {}, {}, 'underpaid', { amount: '10' })
    await advance(merchant, 20)
    await reached(id, 'expired')
    return id
  },
  'underpaid-late': async (merchant) => {
    const id = await session(merchant, {}, {}, 'underpaid', { amount: '10' })
    await advance(merchant, 100)
    await reached(id, 'expired')
    return id
  },
  'underpaid-suspended': async (merchant) => {
    const id = await session(merchant, {}, {}, 'underpaid', { amount: '10' })
    await suspend(merchant)
    return id
  },
  other: async (merchant) => {
    const id = await session(merchant)
    await paySession(merchant, id, { currency: 'USDT', amount: '25' })
    return delivered(id)
  },
  large: async (merchant) =>
    session(merchant, {
      amount: '1234567.891234',
      title: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'.repeat(2),
      description: 'x'.repeat(300),
    }),
  paid: (merchant) => session(merchant, { redirectUrl: 'https://merchant.example/thanks' }, {}, 'paid', {}),
  overpaid: (merchant) => session(merchant, {}, {}, 'paid', { amount: '30' }),
  returned: (merchant) => session(merchant, {}, {}, 'returned', { outcome: 'refunded' }),
  failed: (merchant) => session(merchant, {}, {}, 'failed', { outcome: 'failed' }),
  cancelled: async (merchant) => {
    const id = await session(merchant)
    await act(service, id, { action: 'cancel' })
    return id
  },
  expired: async (merchant) => {
    const id = await session(merchant)
    await advance(merchant, 20)
    await reached(id, 'expired')
    return id
  },
  closed: async (merchant) => {
    const { id } = await newCollection(merchant)
    await merchant.call(`DELETE /v1/collections/${id}`)
    return id
  },
  unknown: async () => '01936f2a-7c1e-7000-8000-000000000099',
  unavailable: async (merchant) => {
    const { id } = await newCollection(merchant)
    await suspend(merchant)
    return id
  },
}

const suspend = ({ organisationId }: Merchant) =>
  service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [organisationId])

async function session(
  merchant: Merchant,
  collection: Record<string, unknown> = {},
  start: Record<string, unknown> = {},
  status?: string,
  payment: Record<string, string> = {},
): Promise<string> {
  const link = await newCollection(merchant, collection)
  const { id } = await startSession(service, link.id, start)
  if (!status) return id
  await paySession(merchant, id, payment)
  await reached(id, status)
  return id
}

describe.runIf(hasTools(chromiumCommand()))('the screens of the pay page in Chromium', () => {
  let browser: Browser
  /** One for each device: what a screen keeps, it keeps for its tab. */
  const contexts = {} as Record<Device, BrowserContext>
  /** All screens come about at once: most of the time is waiting for the sandbox. */
  const ready = new Map<string, Promise<string>>()
  beforeAll(async () => {
    browser = await startChromium()
    for (const device of Object.keys(devices) as Device[]) contexts[device] = await openContext(browser, device)
    for (const [name, make] of Object.entries(screens)) ready.set(name, newMerchant(service).then(make))
    await Promise.all(ready.values())
  })
  afterAll(() => browser.close())

  test.for(Object.keys(screens))(
    'the screen "%s" loads from this service only, fits a phone and a desktop, and satisfies WCAG 2.2 AA in light, in dark and from right to left',
    async (name) => {
      const id = await ready.get(name)
      const expected = name === 'unknown' ? '404' : name === 'unavailable' ? '403' : undefined
      for (const device of Object.keys(devices) as Device[]) {
        const { page, problems } = await openTab(contexts[device], service.url)
        // Only the width differs on a desktop, and only its screenshots need the other looks.
        for (const look of device === 'phone' || SCREENSHOTS ? looks : looks.slice(0, 1)) {
          await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' })
          if (look !== 'dark') await page.goto(`${service.url}/pay/${id}${look === 'arabic' ? '?lang=ar' : ''}`)
          expect(await page.getAttribute('html', 'dir')).toBe(look === 'arabic' ? 'rtl' : 'ltr')
          // What axe checks does not depend on the width.
          const found = { fits: await fitsWidth(page), violations: device === 'phone' ? await violations(page) : [] }
          expect({ name, look, ...found }).toEqual({ name, look, fits: true, violations: [] })
          await shoot(page, `pay-${name}-${device}-${look}`)
        }
        expect(problems.filter((problem) => !expected || !problem.includes(expected))).toEqual([])
        await page.close()
      }
    },
  )

  test.each([
    [360, 640],
    [390, 844],
    [1280, 720],
  ])(
    'at %d × %d the first screen holds amount, network, address with copy, code and time left',
    async (width, height) => {
      const context = await browser.newContext({ viewport: { width, height } })
      const page = await context.newPage()
      for (const name of ['waiting', 'waiting-solana', 'waiting-tron', 'underpaid']) {
        await page.goto(`${service.url}/pay/${await ready.get(name)}`)
        await shoot(page, `pay-${name}-${width}x${height}`)
        const copyAddress = page.getByRole('button', { name: 'Copy the address' })
        for (const id of ['amount-text', 'network-text', 'address-text', 'qr', 'time-left']) {
          const box = await page.locator(`#${id}`).boundingBox()
          expect([name, id, box && box.y + box.height <= height]).toEqual([name, id, true])
        }
        const box = await copyAddress.boundingBox()
        expect([name, box && box.y + box.height <= height]).toEqual([name, true])
      }
      await context.close()
    },
  )

  // In the short form each language shows every third screen, each screen in a third of the languages.
  const step = sized(1, 3)
  test.for(locales.map((locale, index) => [locale, index] as const))(
    'in %s every screen fits 320 px',
    async ([locale, index]) => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 }, isMobile: true })
      const page = await context.newPage()
      for (const name of Object.keys(screens).filter((_name, place) => (place + index) % step === 0)) {
        await page.goto(`${service.url}/pay/${await ready.get(name)}?lang=${locale}`)
        expect(await page.getAttribute('html', 'lang')).toBe(locale)
        expect({ name, locale, fits: await fitsWidth(page) }).toEqual({ name, locale, fits: true })
        if (['waiting', 'underpaid', 'other'].includes(name)) await shoot(page, `pay-${name}-narrow-${locale}`)
      }
      await context.close()
    },
  )

  test('no screen names what only the merchant may know', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newCollection(merchant, { metadata: { note: 'secret note' } })
    const { text } = await call(service, `GET /pay/${id}`)
    expect(text).not.toMatch(/secret note/)
    expect(text).not.toContain(merchant.organisationId)
  })
})
