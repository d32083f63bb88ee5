import { extractText, getDocumentProxy } from 'unpdf'
import { expect, test, vi } from 'vitest'
import { type Merchant, newCollection, newMerchant, paySession, startSession, useService } from '#testing'

const service = useService({ worker: true })

const newCustomer = async (merchant: Merchant, name: string): Promise<string> => {
  const email = `${crypto.randomUUID()}@example.com`
  return (await merchant.call('POST /v1/customers', { body: { name, email } })).body.data.id
}

/** A customer who paid two links and an invoice in two currencies, and had two payments sent back, one for too much. */
async function payer() {
  const merchant = await newMerchant(service)
  const [customerId, other] = [await newCustomer(merchant, 'Ada & Obi'), await newCustomer(merchant, 'Eze')]
  const ids: string[] = []
  for (const [given, payment, customer] of [
    [{}, {}, customerId],
    [{ type: 'invoice', title: 'Work, "May"', amount: '12.345678' }, {}, customerId],
    [{}, { outcome: 'refunded' }, customerId],
    [{ amount: '100' }, { amount: '130' }, customerId],
    [{}, {}, other],
  ] as const) {
    const { id } = await newCollection(merchant, { ...given, customerId: customer })
    const session = await startSession(service, id, { refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' })
    await paySession(merchant, session.id, payment)
    if (customer === customerId) ids.push(session.id)
  }
  await vi.waitUntil(
    async () => {
      const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
      return transactions.length === 5 && transactions.every((each: { status: string }) => each.status !== 'processing')
    },
    { timeout: 60_000, interval: 300 },
  )
  return { merchant, customerId, ids }
}

const units = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}
const sum = (texts: readonly string[]): bigint => texts.reduce((total, each) => total + units(each), 0n)

test('the statement of a customer’s payments has every transaction of the list, its amount and fees to the unit, what came back, and totals that add up', async () => {
  const { merchant, customerId, ids } = await payer()
  const { status, body } = await merchant.call(`GET /v1/customers/${customerId}/payments`)
  const { payments, totals, customerName } = body.data
  const list = (await merchant.call(`GET /v1/transactions?customerId=${customerId}`)).body.data.transactions
  expect([status, customerName, payments.map(({ id }: { id: string }) => id).toSorted()]).toEqual([
    200,
    'Ada & Obi',
    ids.toSorted(),
  ])
  type Line = (typeof payments)[number]
  const shown = ({ id, kind, status: state, amount, asset, createdAt }: Line) => [
    id,
    kind,
    state,
    `${amount} ${asset}`,
    createdAt,
  ]
  expect(payments.map(shown)).toEqual(
    list.toReversed().map((each: Line) => [each.id, each.kind, each.status, each.amount, each.createdAt]),
  )
  for (const each of payments) {
    const { receipt } = list.find(({ id }: { id: string }) => id === each.id)
    expect(each.fees.map(({ amount }: Line) => amount)).toEqual(receipt.fees === '0' ? [] : [receipt.fees])
  }
  expect(payments.find(({ number }: Line) => number !== null)).toMatchObject({
    number: 'INV-000001',
    title: 'Work, "May"',
  })
  expect(payments.filter(({ returned }: Line) => returned.length > 0)).toMatchObject([
    { returned: [{ asset: 'USDC', amount: '25' }] },
  ])
  expect(totals).toMatchObject([{ asset: 'USDC', count: 4 }])
  const [total] = totals
  expect(units(total.amount)).toBe(sum(payments.map(({ amount }: Line) => amount)))
  expect(units(total.fees)).toBe(sum(payments.flatMap(({ fees }: Line) => fees.map(({ amount }: Line) => amount))))
  expect([total.returned, total.amount, total.succeededAmount]).toEqual(['25', '167.345678', '167.345678'])
  expect([total.inAmount, total.outAmount, total.exchangedAmount]).toEqual(['167.345678', '0', '0'])

  const csv = (await merchant.call(`GET /v1/customers/${customerId}/payments/export`)).text.trimEnd().split('\r\n')
  expect(csv).toHaveLength(1 + 4 + 2)
  expect(csv.join('\n')).toContain('"Work, ""May"""')
  expect(csv.at(-2)).toContain(`total,,,,167.345678,USDC,${total.fees} USDC,25 USDC`)
  expect(csv.at(-1)).toContain('total in,,,,167.345678,USDC,,')
  const reply = await fetch(`${service.url}/v1/customers/${customerId}/payments/export?format=pdf`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await reply.arrayBuffer())), {
    mergePages: true,
  })
  for (const part of [
    'Statement of payments',
    'Ada & Obi',
    'Test: no money moved',
    'INV-000001',
    '12.345678 USDC',
    '167.345678',
  ])
    expect(text.replace(/\s+/g, ' ')).toContain(part)
})

test('a statement of payments is of one customer of the own organisation and environment, and of its period alone', async () => {
  const { merchant, customerId } = await payer()
  const empty = await merchant.call(`GET /v1/customers/${customerId}/payments?from=2026-01-01&to=2026-01-31`)
  expect(empty.body.data).toMatchObject({ payments: [], totals: [] })
  for (const path of ['payments', 'payments/export']) {
    const stranger = await (await newMerchant(service)).call(`GET /v1/customers/${customerId}/${path}`)
    expect([stranger.status, stranger.body.message]).toEqual([404, 'Customer not found'])
  }
  const wrong = await merchant.call(`GET /v1/customers/${customerId}/payments?from=2026-02-01&to=2026-01-01`)
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['from']])
})

test('a period with more transactions than a document has is refused with the reason', async () => {
  const merchant = await newMerchant(service)
  const customerId = await newCustomer(merchant, 'Many')
  await service.runtime.pool.query(
    `insert into transactions (id, organisation_id, environment, kind, customer_id, status, destination, amount, currency, amount_usd, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'cngn_payin', $2, 'completed', 'Base USDC', 12.5, 'cNGN', null, '{}', now(), now() from generate_series(1, 501)`,
    [merchant.organisationId, customerId],
  )
  const refused = await merchant.call(`GET /v1/customers/${customerId}/payments`)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    { to: 'Must be earlier: the period has more than 500 transactions' },
  ])
})
