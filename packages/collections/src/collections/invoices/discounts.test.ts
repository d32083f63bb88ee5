import { afterAll, expect, test } from 'vitest'
import { newCollectionBody, newMerchant, startMailbox, startSession, useService } from '#testing'
import { BUYER, issued, pdfText, texts, xmlOf } from '../../../test/invoices.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

test('half an hour at 8.875 % with a discount is exact in the invoice, its page, its PDF, the data and the email', async () => {
  const made = await issued(service, {
    invoice: {
      pricing: { currency: 'USD' },
      items: [
        { description: 'Consulting, one hour', quantityDecimal: '0.5', unitAmount: '99.99', taxPercent: 8.875 },
        { description: 'Travel', quantity: 2, unitAmount: '20', taxCategory: 'zero_rated' },
      ],
      discount: { percent: 10, description: 'Early payment' },
    },
  })
  const { merchant, invoice } = made
  // 49.995 rounded up; 10 % of 90.00; 8.875 % of 45.00 is 3.99375; 86.99375 cannot come from sums that are rounded once each.
  expect(invoice).toMatchObject({
    pricing: { currency: 'USD', amount: '84.99' },
    subtotal: '90.00',
    discount: { percent: 10, amount: '9.00', description: 'Early payment' },
    tax: '3.99',
    items: [
      { quantity: 0, quantityDecimal: '0.5', subtotal: '50', discount: '5', tax: '3.99' },
      { quantity: 2, quantityDecimal: '2', subtotal: '40', discount: '4', tax: '0' },
    ],
  })
  const xml = await xmlOf(made)
  const sums = ['LineTotalAmount', 'AllowanceTotalAmount', 'TaxBasisTotalAmount', 'TaxTotalAmount', 'GrandTotalAmount']
  expect({
    quantities: texts(xml, 'BilledQuantity'),
    allowances: texts(xml, 'ActualAmount'),
    bases: texts(xml, 'BasisAmount'),
    taxes: texts(xml, 'CalculatedAmount'),
    why: [texts(xml, 'ReasonCode'), texts(xml, 'Reason'), texts(xml, 'CalculationPercent')],
    sums: sums.map((name) => texts(xml, name).at(-1)),
  }).toEqual({
    quantities: ['0.5', '2'],
    allowances: ['5.00', '4.00'],
    // Of the taxes, and of the discounts.
    bases: ['45.00', '36.00', '50.00', '40.00'],
    taxes: ['3.99', '0.00'],
    why: [
      ['95', '95'],
      ['Early payment', 'Early payment'],
      ['10', '10'],
    ],
    sums: ['90.00', '9.00', '81.00', '3.99', '84.99'],
  })
  const text = await pdfText(made)
  for (const part of [
    'Subtotal: US$90.00',
    'Early payment (10 %): −US$9.00',
    'Tax 8.875 %: US$3.99 on US$45.00',
    'Amount due: US$84.99, payable in USDC',
  ])
    expect(text).toContain(part)
  expect(text).toMatch(/Consulting, one hour \(tax 8\.875 %\)\s+0\.5\s+99\.99\s+50/)
  const page = await (await fetch(`${service.url}/pay/${invoice.id}?lang=en`)).text()
  for (const part of ['<td>0.5</td>', 'Early payment', '−US$9.00', 'US$84.99']) expect(page).toContain(part)
  expect((await merchant.call('GET /v1/collections/export')).text).toMatch(/,84\.99,USD,90\.00,3\.99,.*,9\.00$/m)
  await merchant.call(`POST /v1/collections/${invoice.id}/send`)
  expect((await mailbox.emailTo(BUYER.email)).raw).toContain('Amount due: US$84.99, payable in USDC')
  const session = await startSession(service, invoice.id)
  expect(session.amount).toBe('84.99')
})

test('a new due date is on the page, in the PDF, in the data and in the next email alike', async () => {
  const made = await issued(service, { buyer: { email: 'due@example.com' } })
  const { merchant, invoice } = made
  await merchant.call(`PATCH /v1/collections/${invoice.id}`, { body: { dueAt: '2037-02-28' } })
  expect(await pdfText(made)).toContain('Due: 2037-02-28')
  expect(await xmlOf(made)).toContain('20370228')
  expect(await (await fetch(`${service.url}/pay/${invoice.id}?lang=en`)).text()).toContain('28 February 2037')
  await merchant.call(`POST /v1/collections/${invoice.id}/send`)
  expect((await mailbox.emailTo('due@example.com')).raw).toContain('Due: 28 February 2037')
  await merchant.call(`PATCH /v1/collections/${invoice.id}`, { body: { dueAt: null } })
  expect(await pdfText(made)).not.toContain('Due:')
  expect(await xmlOf(made)).not.toContain('DueDateDateTime')
})

test.each([
  [{ items: [{ quantity: undefined }] }, { 'items.0.quantity': 'Required' }],
  [{ items: [{ quantityDecimal: '0.5' }] }, { 'items.0.quantityDecimal': 'Must be left out: quantity is given' }],
  [
    { items: [{ quantity: undefined, quantityDecimal: '0.1234567' }] },
    { 'items.0.quantityDecimal': 'Must have at most 6 decimals' },
  ],
  [
    { items: [{ quantity: undefined, quantityDecimal: '1000000.5' }] },
    { 'items.0.quantityDecimal': 'Must be at most 1000000' },
  ],
  [
    { items: [{ quantity: undefined, quantityDecimal: '0.000001', unitAmount: '1' }], pricing: { currency: 'EUR' } },
    { items: 'Must sum up to more than zero' },
  ],
  [{ discount: {} }, { 'discount.percent': 'Required, or amount' }],
  [{ discount: { percent: 5, amount: '1' } }, { 'discount.amount': 'Must be left out: percent is given' }],
  [{ discount: { amount: '4' } }, { 'discount.amount': 'Must be less than the sum of the items' }],
  [{ discount: { percent: 100 } }, { 'discount.percent': 'Must be at most 99.9999' }],
  [{ discount: { percent: 8.87501 } }, { 'discount.percent': 'Must have at most 4 decimals' }],
  [
    { items: undefined, amount: '4', discount: { percent: 5 } },
    { discount: 'Only an invoice with items has a discount' },
  ],
])('a quantity or a discount that is unclear is refused with what would be right: %j', async (given, errors) => {
  const [line] = 'items' in given ? (given.items ?? []) : []
  const items = [{ description: 'Day', quantity: 1, unitAmount: '4', ...line }]
  const body = { type: 'invoice', amount: undefined, ...given, ...('amount' in given ? {} : { items }) }
  const refused = await (await newMerchant(service)).call('POST /v1/collections', { body: newCollectionBody(body) })
  expect([refused.status, refused.body.errors]).toEqual([422, errors])
})
