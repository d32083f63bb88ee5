import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import decodeQR from 'qr/decode.js'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, expect, test } from 'vitest'
import {
  advance,
  call,
  connected,
  hasTools,
  type Merchant,
  newCollection,
  newCollectionBody,
  newMerchant,
  paySession,
  signedIn,
  startMailbox,
  startService,
  startSession,
  useService,
} from '#testing'
import { getSession, settle } from '../../../test/sessions.ts'
import { applyDue } from '../expiry.ts'

const service = useService()
const folder = mkdtempSync(join(tmpdir(), 'invoices-'))
afterAll(() => rmSync(folder, { recursive: true }))
const ITEMS = [
  { description: 'Consulting, one day', quantity: 3, unitAmount: '400.50', taxPercent: 7.5 },
  { description: 'Travel ₦ and €', quantity: 1, unitAmount: '99.999999', taxPercent: 7.5 },
]
const invoice = (merchant: Merchant, given: Record<string, unknown> = {}) =>
  newCollection(merchant, { type: 'invoice', amount: undefined, items: ITEMS, ...given })

test('the sums of an invoice follow from its items, with the tax of each line rounded half up', async () => {
  expect(await invoice(await newMerchant(service))).toMatchObject({
    number: 'INV-000001',
    status: 'open',
    subtotal: '1301.499999',
    tax: '97.6125',
    amount: '1399.112499',
    items: [
      { subtotal: '1201.5', tax: '90.1125' },
      { subtotal: '99.999999', tax: '7.5' },
    ],
  })
})

test('a sales tax of 8.875 % is exact in the sums and in the document, and one with five decimals is refused', async () => {
  const merchant = await newMerchant(service)
  const items = [{ description: 'Lamp', quantity: 3, unitAmount: '19.99', taxPercent: 8.875 }]
  const { id, ...made } = await invoice(merchant, { items, pricing: { currency: 'USD' } })
  // 59.97 × 0.08875 = 5.3223375
  expect(made).toMatchObject({
    subtotal: '59.97',
    tax: '5.32',
    pricing: { amount: '65.29' },
    items: [{ taxPercent: 8.875 }],
  })
  const { text } = await extractText((await pdfOf(merchant, id)).document, { mergePages: true })
  expect(text).toContain('Tax 8.875 %')
  const wrong = newCollectionBody({ type: 'invoice', amount: undefined, items: [{ ...items[0], taxPercent: 8.87501 }] })
  const refused = await merchant.call('POST /v1/collections', { body: wrong })
  expect([refused.status, refused.body.errors]).toEqual([422, { 'items.0.taxPercent': 'Must have at most 4 decimals' }])
})

test('invoices are numbered without gaps, also when they are created at the same time and some fail', async () => {
  const [merchant, other] = [await newMerchant(service), await newMerchant(service)]
  const body = (number: number) =>
    // Every third fails after it has taken its number, when its row is written.
    newCollectionBody({ type: 'invoice', ...(number % 3 === 0 ? { title: 'refused' } : {}) })
  const owner = await connected(service)
  await owner.query("alter table collections add constraint refused check (title <> 'refused') not valid")
  const all = await Promise.all(
    Array.from({ length: 24 }, (_, index) => merchant.call('POST /v1/collections', { body: body(index + 1) })),
  )
  await owner.query('alter table collections drop constraint refused')
  await owner.end()
  const numbers = all.flatMap(({ status, body: { data } }) => (status === 201 ? [data.number] : [])).sort()
  expect(all.filter(({ status }) => status === 500)).toHaveLength(8)
  expect(numbers).toEqual(Array.from({ length: 16 }, (_, index) => `INV-${String(index + 1).padStart(6, '0')}`))
  expect((await invoice(other)).number).toBe('INV-000001')
})

test.each([
  [{ type: 'invoice', amount: undefined }, ['amount']],
  [{ type: 'checkout', amount: undefined }, ['amount']],
  [{ type: 'invoice', items: ITEMS }, ['amount']],
  [{ type: 'link', items: ITEMS, amount: undefined }, ['items']],
  [{ type: 'link', dueAt: '2090-01-01T00:00:00Z' }, ['dueAt']],
  [{ type: 'checkout', maxPayments: 3 }, ['maxPayments']],
  [{ expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
  [{ amount: '1.1234567' }, ['amount']],
  [{ destinationChainKey: 'atlantis' }, ['destinationChainKey']],
  [{ destinationChainKey: 'tron', destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }, ['currency']],
  [{ destinationAddress: '0x0000000000000000000000000000000000000000' }, ['destinationAddress']],
  [{ acceptedNetworks: ['atlantis'] }, ['acceptedNetworks']],
  [{ redirectUrl: 'http://merchant.example' }, ['redirectUrl']],
  [{ cancelUrl: 'https://ada:secret@merchant.example' }, ['cancelUrl']],
  [{ allowedOrigins: ['https://merchant.example/shop'] }, ['allowedOrigins.0']],
  [{ embedConfig: { accentColor: 'blue' } }, ['embedConfig.accentColor']],
  [{ paymentPolicy: { tolerancePercent: 6 } }, ['paymentPolicy.tolerancePercent']],
  [{ customerId: '01936f2a-7c1e-7000-8000-000000000099' }, ['customerId']],
])('a collection with wrong fields is refused with their names: %j', async (given, fields) => {
  const refused = await (await newMerchant(service)).call('POST /v1/collections', { body: newCollectionBody(given) })
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, fields])
})

async function pdfOf(merchant: Merchant, id: string) {
  const answer = await fetch(`${service.url}/v1/collections/${id}/invoice.pdf`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { answer, raw: Buffer.from(bytes).toString('latin1'), document: await getDocumentProxy(bytes) }
}

test('the PDF of an invoice is tagged, has embedded fonts, and shows ₦ and €', async () => {
  const merchant = await newMerchant(service)
  const { id } = await invoice(merchant)
  const { answer, raw, document } = await pdfOf(merchant, id)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(raw).toMatch(/\/MarkInfo/)
  expect(raw).toMatch(/\/StructTreeRoot/)
  expect(raw).toMatch(/\/FontFile2/)
  const { text } = await extractText(document, { mergePages: true })
  for (const part of ['Invoice INV-000001', 'Travel ₦ and €', '1,399.112499 USDC', '97.6125', `/pay/${id}`])
    expect(text).toContain(part)
})

test('the PDF of an invoice is built as PDF/A-3b asks: colours with a profile, every font embedded, readable metadata, nothing that runs', async () => {
  const merchant = await newMerchant(service)
  const displayName = 'Adé & Söhne <Lagos>'
  await merchant.call('PATCH /v1/branding', { body: { displayName } })
  const { id } = await invoice(merchant, { description: 'One\ttwo\u3000three\nfour' })
  const { raw, document } = await pdfOf(merchant, id)
  expect(raw.slice(0, 8)).toBe('%PDF-1.7')
  expect(raw).toMatch(/\/S \/GTS_PDFA1\n.*\/DestOutputProfile \d+ 0 R/s)
  expect(raw).toMatch(/\/ID \[<[0-9a-f]{32}> <[0-9a-f]{32}>\]/)
  expect(raw).not.toMatch(/\/(Encrypt|JavaScript|JS|Launch|EmbeddedFile|Helvetica)\b/)
  const count = (pattern: RegExp) => raw.match(pattern)?.length
  expect(count(/\/Type \/FontDescriptor/g)).toBe(2)
  expect(count(/\/FontFile2 \d+ 0 R/g)).toBe(2)
  const xmp = Buffer.from(raw.match(/<x:xmpmeta.*<\/x:xmpmeta>/s)?.[0] ?? '', 'latin1').toString()
  expect(xmp.replace(/&(amp|lt|gt);/g, '')).not.toContain('&')
  const { metadata, info } = await document.getMetadata()
  expect([metadata?.get('pdfaid:part'), metadata?.get('pdfaid:conformance')]).toEqual(['3', 'B'])
  expect([metadata?.get('dc:title'), metadata?.get('dc:creator')]).toEqual(['Invoice INV-000001', [displayName]])
  expect(info).toMatchObject({ Title: 'Invoice INV-000001', Author: displayName })
  const { text } = await extractText(document, { mergePages: true })
  expect(text).toMatch(/One two three\s+four/)
})

/** The tables of the service with their number of rows. */
async function rowsOf(): Promise<string> {
  const { rows } = await service.runtime.pool.query<{ tables: string }>(
    `select string_agg(table_name || ' ' || (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || table_name, false, true, '')))[1], ', ' order by table_name) as tables
       from information_schema.tables
      where table_schema = 'public' and table_name ~ '^(collections|invoice_counters|checkout_sessions|ledger|outbox|idempotency|emails)' and table_type = 'BASE TABLE'`,
  )
  return rows[0]?.tables ?? ''
}

test('a preview shows the page and the PDF that the invoice will have, says that it is one, and stores nothing', async () => {
  const merchant = await newMerchant(service)
  const body = newCollectionBody({
    type: 'invoice',
    amount: undefined,
    items: ITEMS,
    title: 'Work in <January>',
    dueAt: '2036-01-31T00:00:00Z',
  })
  const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'member' })
  const before = await rowsOf()
  const preview = async (format: string) => {
    const answer = await fetch(`${service.url}/v1/collections/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, format }),
    })
    return { answer, bytes: new Uint8Array(await answer.arrayBuffer()) }
  }
  const page = await preview('html')
  expect([page.answer.status, page.answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const html = Buffer.from(page.bytes).toString()
  for (const part of ['Preview: nothing can be paid here yet', 'Work in &#60;January&#62;', '1,399.112499', '97.6125'])
    expect(html).toContain(part)
  expect(html).not.toMatch(/<script|<noscript/)
  const pdf = await preview('pdf')
  const { text } = await extractText(await getDocumentProxy(pdf.bytes), { mergePages: true })
  for (const part of ['Invoice INV-…', 'Preview, not an invoice', 'Travel ₦ and €', '1,399.112499 USDC'])
    expect(text).toContain(part)
  expect(await rowsOf()).toBe(before)
  // The page and the document of what is then created are the same, but for the marks of the preview.
  const created = await newCollection(merchant, body)
  expect(created.number).toBe('INV-000001')
  const real = await (await fetch(`${service.url}/pay/${created.id}?lang=en`)).text()
  const marks =
    /<noscript>.*?<\/noscript>|Preview: nothing can be paid here yet<br>| data-script(?=><button type="submit")/g
  const contentOf = (text: string) =>
    text
      .match(/<main[\s\S]*<\/main>/)?.[0]
      .replace(marks, '')
      .replace(/\s+/g, ' ')
      .replace('INV-000001', 'INV-…')
  expect(contentOf(html)).toBe(contentOf(real))
})

test.each([
  [{ type: 'invoice', amount: undefined }, ['amount']],
  [{ type: 'invoice', destinationChainKey: 'atlantis' }, ['destinationChainKey']],
  [{ type: 'link', format: 'pdf' }, ['format']],
  [{ type: 'link', format: 'doc' }, ['format']],
  [{ type: 'link', colour: 'red' }, ['colour']],
])('a preview is refused where the creation would be, with the names of the fields: %j', async (given, fields) => {
  const { organisationId } = await newMerchant(service)
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'member' })
  const refused = await call(service, 'POST /v1/collections/preview', {
    token,
    key: null,
    body: newCollectionBody(given),
  })
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, fields])
})

test('the PDF of an open invoice says what is due and in what it can be paid, never that it was paid', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, {
    type: 'invoice',
    amount: undefined,
    pricing: { currency: 'NGN', amount: '250000' },
  })
  const { text } = await extractText((await pdfOf(merchant, id)).document, { mergePages: true })
  expect(text.replaceAll('\u00a0', ' ')).toContain('Amount due: NGN 250,000.00, payable in USDC')
  expect(text).not.toContain('paid in')
})

test('a due date is that day in every document, in the email and on the page, and an instant is the day in UTC', async () => {
  const merchant = await newMerchant(service)
  for (const [given, at] of [
    ['2036-12-31', '2036-12-31T23:59:59.999Z'],
    ['2036-12-31T12:00:00Z', '2036-12-31T12:00:00.000Z'],
  ]) {
    const { id, dueAt } = await newCollection(merchant, { type: 'invoice', dueAt: given })
    expect(dueAt).toBe(at)
    const { text } = await extractText((await pdfOf(merchant, id)).document, { mergePages: true })
    expect(text).toContain('Due: 2036-12-31')
    expect(await (await fetch(`${service.url}/pay/${id}?lang=en`)).text()).toContain('31 December 2036')
    const moved = await merchant.call(`PATCH /v1/collections/${id}`, { body: { dueAt: '2037-02-28' } })
    expect(moved.body.data.dueAt).toBe('2037-02-28T23:59:59.999Z')
  }
  for (const dueAt of ['2036-02-30', '2036-1-1', '2001-01-01', 'soon']) {
    const refused = await merchant.call('POST /v1/collections', { body: newCollectionBody({ type: 'invoice', dueAt }) })
    expect([dueAt, refused.status, Object.keys(refused.body.errors)]).toEqual([dueAt, 422, ['dueAt']])
  }
})

test('a due date ends at the end of its day in the time zone of the organisation, and an invoice keeps its zone', async () => {
  for (const [zone, ends, moved] of [
    ['America/New_York', '2037-01-01T04:59:59.999Z', '2037-03-01T04:59:59.999Z'],
    ['Asia/Tokyo', '2036-12-31T14:59:59.999Z', '2037-02-28T14:59:59.999Z'],
  ]) {
    const merchant = await newMerchant(service)
    const inZone = (name: string | undefined) =>
      service.runtime.pool.query('update organisations set time_zone = $1 where id = $2', [
        name,
        merchant.organisationId,
      ])
    await inZone(zone)
    const { id, dueAt, timeZone } = await newCollection(merchant, { type: 'invoice', dueAt: '2036-12-31' })
    expect([dueAt, timeZone]).toEqual([ends, zone])
    await inZone('UTC')
    const { text } = await extractText((await pdfOf(merchant, id)).document, { mergePages: true })
    expect(text).toContain('Due: 2036-12-31')
    expect(await (await fetch(`${service.url}/pay/${id}?lang=en`)).text()).toContain('31 December 2036')
    const { body } = await merchant.call(`PATCH /v1/collections/${id}`, { body: { dueAt: '2037-02-28' } })
    expect(body.data).toMatchObject({ dueAt: moved, timeZone: zone })
  }
})

test('a character without a glyph is replaced, and the document and the log say so', async () => {
  const merchant = await newMerchant(service)
  const { id } = await invoice(merchant, { title: 'Tea 𓀀, 茶' })
  const { document } = await pdfOf(merchant, id)
  const { text } = await extractText(document, { mergePages: true })
  expect(text).toContain('Tea □, 茶')
  expect(text).toContain('□ stands for a character that cannot be printed here.')
  expect(service.logs.some((line) => line.includes('invoice characters replaced') && line.includes('U+13000'))).toBe(
    true,
  )
})

/** The text of the QR code on the first page, as a camera reads it from the print; undefined without one. */
function codeOn(raw: string): string | undefined {
  const [pdf, png] = ['invoice.pdf', 'invoice'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(pdf, raw, 'latin1')
  execFileSync('pdftoppm', ['-r', '150', '-png', '-singlefile', pdf, png])
  const image = PNG.sync.read(readFileSync(`${png}.png`))
  try {
    return decodeQR({ ...image, data: Uint8Array.from(image.data) })
  } catch {
    return undefined
  }
}

test.runIf(hasTools('pdftoppm'))(
  'the code on the PDF of an invoice leads to its page, which stands beside it, for as long as it can be paid',
  async () => {
    const merchant = await newMerchant(service)
    const { id, payUrl } = await invoice(merchant)
    const open = await pdfOf(merchant, id)
    const { text } = await extractText(open.document, { mergePages: true })
    expect([codeOn(open.raw), text.includes(payUrl)]).toEqual([payUrl, true])
    // Shapes, not pixels.
    expect(open.raw).not.toMatch(/\/Subtype \/Image/)
    await merchant.call(`DELETE /v1/collections/${id}`)
    expect(codeOn((await pdfOf(merchant, id)).raw)).toBe(undefined)
  },
)

test('a long invoice has several pages, and a link has no invoice', async () => {
  const merchant = await newMerchant(service)
  const items = Array.from({ length: 100 }, (_, index) => ({ ...ITEMS[0], description: `Line ${index + 1}` }))
  const { document } = await pdfOf(merchant, (await invoice(merchant, { items })).id)
  expect(document.numPages).toBeGreaterThan(2)
  const { text } = await extractText(document, { mergePages: true })
  expect(text).toContain('Line 100')
  const { id } = await newCollection(merchant)
  expect((await merchant.call(`GET /v1/collections/${id}/invoice.pdf`)).body).toMatchObject({
    message: 'Invoice not found',
  })
})

test('an invoice is emailed with its PDF, then as a reminder, also when it becomes overdue', async () => {
  const mailbox = await startMailbox()
  const own = await startService({ worker: true, settings: { SMTP_URL: mailbox.url } })
  try {
    const merchant = await newMerchant(own)
    const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
    const made = await merchant.call('POST /v1/collections', {
      body: newCollectionBody({
        type: 'invoice',
        customerId: customer.body.data.id,
        dueAt: new Date(Date.now() + 600_000).toISOString(),
      }),
    })
    const line = `POST /v1/collections/${made.body.data.id}/send`
    expect((await merchant.call(line)).status).toBe(200)
    const first = await mailbox.emailTo('ada@example.com')
    expect(first.raw).toMatch(/Subject: \[Test\] Invoice INV-000001/)
    expect(first.raw).toContain('application/pdf')
    expect((await merchant.call(line)).status).toBe(429)
    await advance(merchant, 700)
    await applyDue(own.runtime, new AbortController().signal)
    const second = await mailbox.emailTo('ada@example.com', 1)
    expect(second.raw).toMatch(/Subject: \[Test\] Reminder: invoice/)
    expect((await merchant.call(`GET /v1/collections/${made.body.data.id}`)).body.data.status).toBe('overdue')
  } finally {
    await own.stop()
    await mailbox.close()
  }
})

test('an invoice without a customer, and one that is paid, cannot be sent', async () => {
  const merchant = await newMerchant(service)
  const { id } = await invoice(merchant)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
  const forgotten = await invoice(merchant, { customerId: customer.body.data.id })
  await merchant.call(`POST /v1/customers/${customer.body.data.id}/anonymise`)
  expect((await merchant.call(`POST /v1/collections/${forgotten.id}/send`)).status).toBe(409)
  const refused = await merchant.call(`POST /v1/collections/${id}/send`)
  expect([refused.status, refused.body.message]).toEqual([409, 'Invoice has no customer to send it to'])
  const session = await startSession(service, id)
  await paySession(merchant, session.id)
  await settle(service, merchant)
  expect((await merchant.call(`POST /v1/collections/${id}/send`)).body.message).toBe(
    'Collection accepts no payments any more',
  )
})

test('an anonymised customer is in no session, event, search or delivery of what they paid, which stays paid', async () => {
  const merchant = await newMerchant(service)
  const email = `ada.${crypto.randomUUID()}@example.com`
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email } })
  const { id } = await invoice(merchant, { customerId: customer.body.data.id })
  const session = await startSession(service, id, { payerEmail: email })
  await paySession(merchant, session.id)
  await settle(service, merchant)
  const texts = async () =>
    [
      await merchant.call('GET /v1/events'),
      await merchant.call(`GET /v1/collections/${session.id}`),
      await merchant.call('GET /v1/collections/sessions/export'),
      await merchant.call('POST /v1/search', { body: { text: email } }),
    ].map(({ text }) => text.includes(email))
  expect((await texts()).slice(0, 3)).toEqual([true, true, true])
  expect((await merchant.call(`POST /v1/customers/${customer.body.data.id}/anonymise`)).status).toBe(200)
  expect(await texts()).toEqual([false, false, false, false])
  expect(await getSession(merchant, session.id)).toMatchObject({ status: 'paid', payerEmail: null })
})

test('a payer who gave an email address gets a message about what is missing, then a receipt, in their language', async () => {
  const mailbox = await startMailbox()
  const own = await startService({ worker: true, settings: { SMTP_URL: mailbox.url } })
  try {
    const merchant = await newMerchant(own)
    const { id } = await newCollection(merchant, { title: 'Visit https://evil.example' })
    const session = await startSession(own, id, { payerEmail: 'payer@example.com', locale: 'fr' })
    await paySession(merchant, session.id, { amount: '10' })
    const missing = await mailbox.emailTo('payer@example.com')
    expect(missing.raw).toMatch(/Paiement_incomplet/)
    expect(missing.raw).not.toContain('https://evil.example')
    await paySession(merchant, session.id)
    const receipt = await mailbox.emailTo('payer@example.com', 1)
    expect(receipt.raw).toMatch(/Re=C3=A7u/)
    expect((await getSession(merchant, session.id)).status).toBe('paid')
    expect((await call(own, `GET /v1/pay/${session.id}`)).body.data.status).toBe('paid')
  } finally {
    await own.stop()
    await mailbox.close()
  }
})
