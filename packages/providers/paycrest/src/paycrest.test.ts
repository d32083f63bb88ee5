import { newId } from '@payments/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import { fiatContract, random } from '#testing'
import { type Fault, type PaycrestServer, startPaycrest } from '../test/server.ts'
import { paycrest } from './paycrest.ts'

const servers: PaycrestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(...given: Parameters<typeof startPaycrest>): Promise<PaycrestServer> {
  const server = await startPaycrest(...given)
  servers.push(server)
  return server
}

fiatContract('Paycrest', () => begin())
for (const seed of [1, 2, 3])
  fiatContract(`Paycrest, which omits, repeats and delays (seed ${seed}),`, () => begin({ random: random(seed) }))

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const newOrder = (given: object = {}) => ({
  reference: newId(),
  amount: 25_000_000n,
  asset: 'USDC',
  networkKey: 'base',
  currency: 'NGN',
  account: { currency: 'NGN', bankCode: '058', accountNumber: '0123456789', accountName: 'Ada Obi' },
  refundAddress: WALLET,
  quote: null,
  ...given,
})
async function newOnramp(world: PaycrestServer, amount = 5_000_000n) {
  const { account: _account, refundAddress: _refund, quote: _quote, ...order } = newOrder({ amount })
  const accepted = await world.provider.createOnramp({
    ...order,
    amount: { input: amount },
    address: WALLET,
    refundAccount: null,
  })
  const query = {
    ...asked(accepted.providerOrderId, order.reference),
    direction: 'onramp' as const,
    amount,
    asked: amount,
  }
  return { order, accepted, query }
}
const posts = ({ calls }: PaycrestServer) => calls.filter(({ line }) => line === 'POST /sender/orders')
const asked = (providerOrderId: string, reference: string) =>
  ({
    direction: 'offramp',
    reference,
    providerOrderId,
    asset: 'USDC',
    networkKey: 'base',
    currency: 'NGN',
    amount: 25_000_000n,
    asked: 25_050_000n,
    rate: '1580.25',
  }) as const

describe('creating an offramp', () => {
  test('sends Paycrest’s names, our reference, a memo and the key', async () => {
    const world = await begin()
    const order = newOrder({ networkKey: 'arbitrum', asset: 'USDT' })
    await world.provider.createOfframp(order)
    expect(posts(world)[0]).toMatchObject({
      key: 'paycrest-key',
      body: {
        amount: '25',
        reference: order.reference,
        source: { type: 'crypto', currency: 'USDT', network: 'arbitrum-one', refundAddress: WALLET },
        destination: {
          type: 'fiat',
          currency: 'NGN',
          recipient: {
            institution: 'GTBINGLA',
            accountIdentifier: '0123456789',
            accountName: 'Ada Obi',
            memo: expect.stringMatching(/^Payment /),
          },
        },
      },
    })
    expect(posts(world)[0]?.body).not.toHaveProperty('rate')
  })

  test('to M-Pesa sends the number without its plus, the channel and the business number', async () => {
    const world = await begin()
    const account = { currency: 'KES', bankCode: 'SAFAKEPC', accountNumber: '+254712345678', accountName: 'Ada' }
    await world.provider.createOfframp(newOrder({ currency: 'KES', account }))
    const paybill = { ...account, accountNumber: 'A1', channel: 'paybill', businessNumber: '888880' }
    await world.provider.createOfframp(newOrder({ currency: 'KES', account: paybill }))
    expect(posts(world).map(({ body }) => (body.destination as { recipient: object }).recipient)).toMatchObject([
      { accountIdentifier: '254712345678' },
      { accountIdentifier: 'A1', metadata: { channel: 'Paybill', businessNumber: '888880' } },
    ])
  })

  test('with a quote sends its rate and providers; a rate that is not achievable any more is an error of the quote', async () => {
    const world = await begin()
    const order = newOrder()
    const quote = await world.provider.sellQuote(order)
    await world.provider.createOfframp({ ...order, quote })
    expect(posts(world)[0]?.body).toMatchObject({ rate: '1580.25', destination: { providerIds: ['AbCdEfGh'] } })
    world.rates.NGN = '1500'
    await expect(world.provider.createOfframp(newOrder({ quote }))).rejects.toMatchObject({
      status: 422,
      fields: { quoteId: 'The provider does not honour this quote any more: request another one' },
    })
  })

  test.each<[string, Fault, number]>([
    ['500', { status: 500 }, 503],
    ['429', { status: 429, body: '{"status":"error","data":{"retry_after":7}}' }, 503],
    ['no answer in time', 'silent', 503],
    ['half an answer', 'truncated', 502],
    ['another shape', { status: 200, body: '{"status":"success","data":{}}' }, 502],
    ['401', { status: 401 }, 502],
  ])('%s is one error without the provider’s text, and the call is not repeated', async (_name, fault, status) => {
    const world = await begin(fault === 'silent' ? { timeoutMs: 500 } : {})
    await world.provider.offers()
    world.fail(fault)
    const error = await world.provider.createOfframp(newOrder()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ServiceError', status, message: expect.not.stringContaining('secret') })
    expect(posts(world)).toHaveLength(1)
  })

  test('a reference that exists, a 400 there, means that the order was created: it is found and used', async () => {
    const world = await begin()
    const order = newOrder()
    const first = await world.provider.createOfframp(order)
    for (let more = 0; more < 120; more++) await world.provider.createOfframp(newOrder())
    expect(await world.provider.createOfframp(order)).toEqual(first)
    expect(world.orders.filter(({ reference }) => reference === order.reference)).toHaveLength(1)
  })

  test.each([
    [{ field: 'Amount', message: 'x' }, { amount: 'Not accepted by the provider' }],
    [
      [{ field: 'Recipient.AccountIdentifier', message: 'x' }],
      { 'bankAccount.accountNumber': 'Not accepted by the provider' },
    ],
    [[{ field: 'RefundAddress', message: 'x' }], { refundAddress: 'Not accepted by the provider' }],
  ])('a rejected field %j is an error of the merchant’s field, in both shapes of the reply', async (data, fields) => {
    const world = await begin()
    await world.provider.offers()
    world.fail({ status: 400, body: JSON.stringify({ status: 'error', message: 'Failed to validate payload', data }) })
    await expect(world.provider.createOfframp(newOrder())).rejects.toMatchObject({ status: 422, fields })
  })

  test('a recipient that does not fit Paycrest’s encryption is refused before the call', async () => {
    const world = await begin()
    const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789', accountName: 'Ä'.repeat(200) }
    await expect(world.provider.createOfframp(newOrder({ account }))).rejects.toMatchObject({
      status: 422,
      fields: { 'bankAccount.accountName': 'Too long for the provider' },
    })
    expect(posts(world)).toHaveLength(0)
  })
})

describe('the offers', () => {
  test('are the currencies, banks and tokens that are known on both sides', async () => {
    const world = await begin()
    const { corridors } = await world.provider.offers()
    const of = (name: 'currency' | 'asset' | 'networkKey') => [...new Set(corridors.map((each) => each[name]))].sort()
    expect(of('currency')).toEqual(['KES', 'NGN', 'UGX'])
    expect(of('asset')).toEqual(['USDC', 'USDT'])
    expect(of('networkKey')).toEqual(['arbitrum', 'base', 'ethereum', 'polygon', 'tron'])
    expect(await world.provider.institutions('NGN')).toEqual([
      { code: '058', name: 'Guaranty Trust Bank', type: 'bank' },
      { code: '057', name: 'Zenith Bank', type: 'bank' },
      { code: '999992', name: 'OPay', type: 'bank' },
    ])
  })

  test('are used again for an hour, and while Paycrest does not answer', async () => {
    const world = await begin({ offersMs: 1 })
    const before = await world.provider.offers()
    await new Promise((resolve) => setTimeout(resolve, 20))
    world.spoil = () => ({ status: 500 })
    expect(await world.provider.offers()).toEqual(before)
  })
})

describe('a poll', () => {
  test.each([
    ['initiated', 'waiting'],
    ['deposited', 'received'],
    ['pending', 'received'],
    ['fulfilling', 'received'],
    ['fulfilled', 'received'],
    ['validated', 'delivered'],
    ['settling', 'delivered'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['expired', 'expired'],
  ])('reads the status %s of an offramp as %s', async (status, expected) => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId } = await world.provider.createOfframp(order)
    world.order(order.reference).status = status
    const { report } = await world.provider.report(asked(providerOrderId, order.reference))
    expect(report.status).toBe(expected)
  })

  test.each([
    ['initiated', 'waiting'],
    ['pending', 'waiting'],
    ['fulfilling', 'received'],
    ['fulfilled', 'received'],
    ['validated', 'received'],
    ['settling', 'received'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['expired', 'expired'],
  ])('reads the status %s of an onramp as %s', async (status, expected) => {
    const world = await begin()
    const { account: _account, refundAddress: _refund, quote: _quote, ...order } = newOrder({ amount: 5_000_000n })
    const { providerOrderId } = await world.provider.createOnramp({
      ...order,
      amount: { input: order.amount },
      address: WALLET,
      refundAccount: null,
    })
    world.order(order.reference).status = status
    const query = { ...asked(providerOrderId, order.reference), direction: 'onramp' as const }
    expect((await world.provider.report(query)).report.status).toBe(expected)
  })

  test('finds a compliance hold of an onramp, which neither its status nor its amount tells, in the list of callbacks', async () => {
    const world = await begin()
    const { order, query } = await newOnramp(world)
    world.order(order.reference).outcome = 'held'
    expect((await world.provider.report(query)).report).toMatchObject({ status: 'waiting', receivedAmount: null })
    await world.pay(order.reference, order.amount)
    for (const status of ['pending', 'expired']) {
      world.order(order.reference).status = status
      expect(await world.provider.report(query)).toMatchObject({
        calls: 2,
        report: { status: 'failed', failureReason: 'compliance_hold', receivedAmount: order.amount },
      })
    }
  })

  test('of an order that Paycrest hides, because it was cancelled, is no failure: it is assigned again, and may be paid', async () => {
    const world = await begin()
    await world.provider.createOfframp(newOrder())
    const order = newOrder()
    const { providerOrderId, deposit } = await world.provider.createOfframp(order)
    await world.pay(order.reference, deposit.amount)
    world.order(order.reference).outcome = 'reassigned'
    const poll = () => world.provider.report(asked(providerOrderId, order.reference))
    while (world.order(order.reference).status !== 'cancelled') world.step()
    expect((await poll()).report).toMatchObject({ status: 'waiting', cancelled: true, outcomeUnknown: true })
    await world.settle()
    expect((await poll()).report).toMatchObject({ status: 'delivered', receivedAmount: deposit.amount })
  })

  test.each<[string, object]>([
    ['a wrong base URL', { baseUrl: '/wrong' }],
    ['a wrong key', { apiKey: 'other' }],
  ])('with %s says nothing of an order', async (_name, options) => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId } = await world.provider.createOfframp(order)
    const baseUrl = 'baseUrl' in options ? `${world.url}${options.baseUrl}` : world.url
    const other = paycrest({
      ...{ apiKey: 'paycrest-key', apiSecret: 'x', requestsPerMinute: 600, maxOrder: 100, retryMs: 1, ...options },
      baseUrl,
    })
    await expect(other.report(asked(providerOrderId, order.reference))).rejects.toMatchObject({ status: 502 })
    const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
    if ('baseUrl' in options) await expect(other.accountName(account, 'order')).rejects.toMatchObject({ status: 502 })
  })

  test('books another deposit than was asked for at what is paid out for it, whatever fees grow on chain', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId } = await world.provider.createOfframp(order)
    const poll = async () => (await world.provider.report(asked(providerOrderId, order.reference))).report
    await world.pay(order.reference, 12_550_000n)
    const booked = { receivedAmount: 12_550_000n, convertedAmount: 1_975_300n, fee: 50_000n }
    expect(await poll()).toMatchObject({ status: 'received', ...booked })
    await world.settle()
    expect(world.order(order.reference).protocolFee).toBeGreaterThan(0n)
    expect(await poll()).toMatchObject({ status: 'delivered', ...booked })
    // What the server has not rewritten is not believed.
    for (const [amountPaid, converted] of [
      ['12.5', 1_967_400n],
      ['0.12', 11_100n],
      ['25', 3_942_700n],
    ] as const) {
      world.distort = (wire) => ({ ...wire, amount: '25', amountPaid })
      expect(await poll()).toMatchObject({ convertedAmount: converted })
    }
    world.distort = ({ amountPaid: _paid, ...wire }) => wire
    expect(await poll()).toMatchObject(booked)
  })

  test('keeps the hash of the deposit, not that of a later transaction', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId, deposit } = await world.provider.createOfframp(order)
    await world.pay(order.reference, deposit.amount)
    const { txHash } = world.order(order.reference)
    await world.settle()
    expect(world.order(order.reference).txHash).not.toBe(txHash)
    const poll = async () => (await world.provider.report(asked(providerOrderId, order.reference))).report.txHash
    expect(await poll()).toBe(txHash)
    world.distort = ({ transactionLogs: _logs, ...wire }) => wire
    expect(await poll()).toBeNull()
  })

  test('follows a deposit of an expired order to its refund, of which no status tells', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId, deposit } = await world.provider.createOfframp(order)
    await world.pay(order.reference, deposit.amount)
    world.order(order.reference).status = 'expired'
    const { report } = await world.provider.report(asked(providerOrderId, order.reference))
    expect(report).toMatchObject({
      status: 'failed',
      failureReason: 'deposit_not_received',
      receivedAmount: deposit.amount,
      refund: { status: 'pending' },
    })
  })

  test('an undocumented status of a paid order is an unknown outcome, not a failure', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId, deposit } = await world.provider.createOfframp(order)
    await world.pay(order.reference, deposit.amount)
    world.order(order.reference).status = 'something new'
    const { report } = await world.provider.report(asked(providerOrderId, order.reference))
    expect(report).toMatchObject({ status: 'received', outcomeUnknown: true })
  })

  test('is retried after transient errors, and stops all calls until the pause of a 429 has passed', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId } = await world.provider.createOfframp(order)
    const poll = () => world.provider.report(asked(providerOrderId, order.reference))
    world.fail({ status: 500 }, 'truncated')
    expect((await poll()).report.status).toBe('waiting')
    world.fail({ status: 429, body: '{"status":"error","message":"x","data":{"retry_after":30,"limit":20}}' })
    await expect(poll()).rejects.toMatchObject({ status: 503, retryAfter: 30 })
    const calls = world.calls.length
    await expect(poll()).rejects.toMatchObject({ status: 503 })
    expect(world.calls.length).toBe(calls)
  })
})

describe('an onramp', () => {
  test('delivers the amount of Paycrest’s reply for what is to be transferred, which contains the sender’s fee; both readings are evidence', async () => {
    const world = await begin()
    world.fees.senderFeePercent = '1'
    const { accepted, order, query } = await newOnramp(world)
    const kept = world.order(order.reference)
    expect(accepted).toMatchObject({
      convertedAmount: 31_640_563n,
      fee: 50_000n,
      paymentAccount: { amount: 5_049_999n },
      evidence: { amount: '31.640563', amountToTransfer: '50499.99', senderFee: '0.3164', transactionFee: '0.05' },
    })
    expect(accepted.evidence?.amountAsDocumented).toBe('31.590562')
    await world.pay(order.reference, 5_049_999n)
    await world.settle()
    const { report } = await world.provider.report({ ...query, asked: 5_049_999n })
    expect(report).toMatchObject({ status: 'delivered', receivedAmount: 5_049_999n, convertedAmount: 31_640_563n })
    expect(kept.paidOut).toBe(31_640_563n * 10n ** 12n)
  })

  test('for a delivery is ordered in stablecoin, so that Paycrest asks for what it costs, and delivers exactly that', async () => {
    const world = await begin()
    world.fees.senderFeePercent = '1'
    const { account: _account, refundAddress: _refund, quote: _quote, ...order } = newOrder()
    const accepted = await world.provider.createOnramp({
      ...order,
      amount: { output: 25_000_001n },
      address: WALLET,
      refundAccount: null,
    })
    expect(posts(world)[0]?.body).toMatchObject({ amount: '25.000001', amountIn: 'crypto' })
    // 25.000001 × 1580.25, and the sender's fee of 0.25 × 1580.25, each to the kobo.
    expect(accepted).toMatchObject({
      convertedAmount: 25_000_001n,
      fee: 39_506n,
      paymentAccount: { amount: 3_990_131n },
    })
    await world.pay(order.reference, 3_990_131n)
    await world.settle()
    expect(world.order(order.reference).paidOut).toBe(25_000_001n * 10n ** 12n)
  })
})

describe('a percentage fee of the sender', () => {
  test('belongs to the amount of each quote, not to that of the last order', async () => {
    const world = await begin()
    world.fees.senderFeePercent = '0.75'
    for (const amount of [25_000_000n, 333_333_333n, 1_000_001n, 9_999_999_999n]) {
      await world.provider.createOfframp(newOrder())
      const order = newOrder({ amount })
      const quote = await world.provider.sellQuote(order)
      const accepted = await world.provider.createOfframp({ ...order, quote })
      expect([amount, accepted.fee]).toEqual([amount, quote.fee])
    }
  })

  test('is at most what an order has shown to be its cap, and a fixed fee is the same for every amount', async () => {
    const world = await begin()
    Object.assign(world.fees, { senderFeePercent: '1', maxFeeCap: '2' })
    await world.provider.createOfframp(newOrder({ amount: 1_000_000_000n }))
    expect((await world.provider.sellQuote(newOrder({ amount: 500_000_000n }))).fee).toBe(2_050_000n)
    expect((await world.provider.sellQuote(newOrder({ amount: 100_000_000n }))).fee).toBe(1_050_000n)
    Object.assign(world.fees, { senderFeePercent: '', senderFee: '0.5' })
    await world.provider.createOfframp(newOrder())
    expect((await world.provider.sellQuote(newOrder({ amount: 500_000_000n }))).fee).toBe(550_000n)
  })
})

test.each<[string, Fault]>([
  ['401', { status: 401, body: '{"status":"error","message":"Invalid API key or token","data":null}' }],
  ['403', { status: 403 }],
  ['404', { status: 404, body: '{"status":"error","message":"Route Not Found","data":null}' }],
  ['400 on the bank', { status: 400, body: '{"status":"error","data":{"field":"Institution","message":"x"}}' }],
])(
  'a check of an account that is answered with %s does not say that there is no such account',
  async (_name, fault) => {
    const world = await begin()
    await world.provider.offers()
    world.fail(fault)
    const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
    await expect(world.provider.accountName(account, 'order')).rejects.toMatchObject({ name: 'ServiceError' })
  },
)

test('a bank that fails says nothing about an account: 503, neither verified nor missing', async () => {
  const world = await begin()
  await world.provider.offers()
  world.fail({ status: 503, body: '{"status":"error","message":"Failed to verify account","data":null}' })
  const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
  await expect(world.provider.accountName(account, 'order')).rejects.toMatchObject({ status: 503 })
})
