import { languages } from '@payments/pay-page'
import { PNG } from 'pngjs'
import { extractText, getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import { type Merchant, newCollection, newMerchant, paySession, startSession, useService } from '#testing'
import { getSession, poll, settle } from '../../../test/sessions.ts'

const service = useService()
const BROWSER = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
const BRAND = {
  displayName: 'Ada & Söhne',
  legalName: 'Ada Workshop Ltd',
  address: '1 Marina\nLagos',
  country: 'NG',
  taxId: '12345678-0001',
  supportEmail: 'help@merchant.example',
}

interface Given {
  readonly given?: Record<string, unknown>
  readonly start?: Record<string, unknown>
  readonly payment?: Record<string, unknown>
}

async function paid({ given = {}, start = {}, payment = {} }: Given = {}) {
  const merchant = await newMerchant(service)
  await merchant.call('PATCH /v1/branding', { body: BRAND })
  const collection = await newCollection(merchant, { title: 'Order 1042', ...given })
  const session = await startSession(service, collection.id, start)
  await paySession(merchant, session.id, payment)
  await settle(service, merchant)
  return { merchant, collection, session: await getSession(merchant, session.id) }
}

const fetchFile = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers })

async function textOf(reply: Response): Promise<{ raw: string; text: string }> {
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const bytes = new Uint8Array(await reply.arrayBuffer())
  const raw = Buffer.from(bytes).toString('latin1')
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true })
  return { raw, text: text.replace(/\s+/g, ' ') }
}

const receiptOf = async (id: string, lang = 'en') => textOf(await fetchFile(`/pay/${id}/receipt.pdf?lang=${lang}`))

test('a receipt says who was paid, for what, how much, in which network and transaction, when, and that it is a test', async () => {
  const { session } = await paid()
  const { raw, text } = await receiptOf(session.id)
  const [payment] = session.payments
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  for (const part of [
    'Ada & Söhne Ada Workshop Ltd 1 Marina Lagos, NG Tax number: 12345678-0001',
    'Test payment: no money moves',
    'Receipt Order 1042 Paid',
    'Ada & Söhne has received your payment of 25 USDC.',
    `Payment number ${session.id}`,
    `Paid on ${time.format(new Date(session.paidAt))} UTC`,
    '25 USDC · delivered',
    'Network Ethereum',
    `Received on ${time.format(new Date(payment.receivedAt))} UTC`,
    'Help: help@merchant.example',
    `/pay/${session.id}`,
  ])
    expect(text).toContain(part)
  // The hash takes two lines.
  expect(text.replaceAll(' ', '')).toContain(payment.txHash)
  expect(raw.slice(0, 8)).toBe('%PDF-1.7')
  expect(raw).toMatch(/\/MarkInfo/)
  expect(raw).toMatch(/\/S \/GTS_PDFA1\n.*\/DestOutputProfile \d+ 0 R/s)
  expect(raw.match(/\/Type \/FontDescriptor/g)?.length).toBe(raw.match(/\/FontFile\d \d+ 0 R/g)?.length)
})

test('the times of a receipt are in the zone of the organisation, with its name', async () => {
  const { collection, session } = await paid()
  await service.runtime.pool.query("update collections set time_zone = 'Asia/Kolkata' where id = $1", [collection.id])
  const { text } = await receiptOf(session.id)
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Kolkata' })
  for (const [label, at] of [
    ['Paid on', session.paidAt],
    ['Received on', session.payments[0].receivedAt],
  ])
    expect(text).toContain(`${label} ${time.format(new Date(at))} GMT+5:30`)
  expect(text).not.toContain('UTC')
})

test('a receipt is in the language of its payer, or in the one that is asked for, with every sign of each language', async () => {
  const { merchant, session } = await paid({ start: { locale: 'de' } })
  const own = await fetchFile(`/v1/collections/sessions/${session.id}/receipt.pdf`, {
    authorization: `Bearer ${merchant.key}`,
  })
  expect((await textOf(own)).text).toContain('Zahlungsnummer')
  expect((await textOf(await fetchFile(`/pay/${session.id}/receipt.pdf`))).text).toContain('Quittung Order 1042')
  const french = await fetchFile(`/v1/collections/sessions/${session.id}/receipt.pdf?locale=fr`, {
    authorization: `Bearer ${merchant.key}`,
  })
  expect((await textOf(french)).text).toContain('Numéro de paiement')
  for (const locale of Object.keys(languages)) {
    const { raw, text } = await receiptOf(session.id, locale)
    expect([locale, raw.includes(`/Lang (${locale})`), text.includes('□')]).toEqual([locale, true, false])
  }
  expect((await receiptOf(session.id, 'zh')).text).toContain('收据')
  expect((await receiptOf(session.id, 'ar')).text).toContain('تم الدفع')
})

/** What the page says about the money of a session, from its heading to the receipt. */
async function saidOnPage(id: string): Promise<string[]> {
  const page = await (await fetchFile(`/pay/${id}?lang=en`)).text()
  const said = page.match(/<h2 id="heading"[^>]*>(.*?)<\/h2>\s*((?:<p>.*?<\/p>\s*)*)/s)
  const clean = (html = '') =>
    html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#38;', '&')
      .replace(/\s+/g, ' ')
      .trim()
  return [clean(said?.[1]), ...(said?.[2] ?? '').split('</p>').map(clean)].filter(Boolean)
}

test.each<[string, Given]>([
  ['paid', {}],
  ['too much', { payment: { amount: '31' } }],
  ['a part', { payment: { amount: '4' } }],
  ['sent back', { payment: { outcome: 'refunded' } }],
  ['held', { payment: { outcome: 'failed' } }],
  ['another currency', { payment: { currency: 'USDT', amount: '25' } }],
])('a receipt says about the money what the page says, and nothing else: %s', async (_name, given) => {
  const { session } = await paid(given)
  const said = await saidOnPage(session.id)
  expect(said.length).toBeGreaterThan(1)
  const { text } = await receiptOf(session.id)
  expect(text).toContain(said.join(' '))
  expect(text.indexOf(said[0] ?? '')).toBe(text.indexOf('Order 1042') + 'Order 1042 '.length)
})

test('a receipt shows the logo of the merchant with its name', async () => {
  const { merchant, session } = await paid()
  const logo = new PNG({ width: 64, height: 32, fill: true })
  logo.data.fill(0x80)
  await merchant.call('PUT /v1/branding/logo', { body: { image: PNG.sync.write(logo).toString('base64') } })
  const { raw } = await receiptOf(session.id)
  expect(raw).toMatch(/\/Subtype \/Image/)
  expect(raw).toMatch(/\/S \/Figure/)
})

const refusal = async (merchant: Merchant, id: string) =>
  (await merchant.call(`GET /v1/collections/sessions/${id}/receipt.pdf`)).body.message

test('there is no receipt before a payment has come, while it is being confirmed, for a link, and in another organisation', async () => {
  const merchant = await newMerchant(service)
  const { id: link } = await newCollection(merchant)
  const { id } = await startSession(service, link)
  const found = async () => (await fetchFile(`/pay/${id}/receipt.pdf`)).status
  expect([await refusal(merchant, link), await refusal(merchant, id), await found()]).toEqual([
    'Checkout session not found',
    'Receipt not found',
    404,
  ])
  await paySession(merchant, id)
  await poll(service, merchant)
  expect((await getSession(merchant, id)).status).toBe('processing')
  const page = async () => (await fetchFile(`/pay/${id}?lang=en`)).text()
  expect([await refusal(merchant, id), await found(), (await page()).includes('receipt.pdf')]).toEqual([
    'Receipt not found',
    404,
    false,
  ])
  await settle(service, merchant)
  expect([await found(), (await page()).includes(`href="/pay/${id}/receipt.pdf?lang=en"`)]).toEqual([200, true])
  expect(await refusal(await newMerchant(service), id)).toBe('Checkout session not found')
})

test('a browser that finds no receipt gets a page that says so in its language, never JSON', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const reply = await fetchFile(`/pay/${id}/receipt.pdf?lang=fr`, { accept: BROWSER })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await reply.text()).toContain('lang="fr"')
})
