import { newId } from '@payments/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import { fiatContract } from '#testing'
import { type Fault, type PaycrestServer, startPaycrest } from '../test/server.ts'

const servers: PaycrestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(...given: Parameters<typeof startPaycrest>): Promise<PaycrestServer> {
  const server = await startPaycrest(...given)
  servers.push(server)
  return server
}

fiatContract('Paycrest', begin)

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
const posts = ({ calls }: PaycrestServer) => calls.filter(({ line }) => line === 'POST /sender/orders')
const asked = (providerOrderId: string, reference: string) =>
  ({ direction: 'offramp', reference, providerOrderId, asset: 'USDC', currency: 'NGN' }) as const

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
    ['fulfilled', 'settled'],
    ['validated', 'delivered'],
    ['settling', 'delivered'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['cancelled', 'failed'],
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
    ['cancelled', 'failed'],
    ['expired', 'expired'],
  ])('reads the status %s of an onramp as %s', async (status, expected) => {
    const world = await begin()
    const { account: _account, refundAddress: _refund, quote: _quote, ...order } = newOrder({ amount: 5_000_000n })
    const { providerOrderId } = await world.provider.createOnramp({ ...order, address: WALLET, refundAccount: null })
    world.order(order.reference).status = status
    const query = { ...asked(providerOrderId, order.reference), direction: 'onramp' as const }
    expect((await world.provider.report(query)).report.status).toBe(expected)
  })

  test('finds a compliance hold, which no status tells, in the list of callbacks', async () => {
    const world = await begin()
    const order = newOrder()
    const { providerOrderId, deposit } = await world.provider.createOfframp(order)
    world.order(order.reference).outcome = 'held'
    await world.pay(order.reference, deposit.amount)
    for (const status of ['pending', 'expired']) {
      world.order(order.reference).status = status
      expect(await world.provider.report(asked(providerOrderId, order.reference))).toMatchObject({
        calls: 2,
        report: { status: 'failed', failureReason: 'compliance_hold', receivedAmount: deposit.amount },
      })
    }
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

test('a bank that fails says nothing about an account: 503, neither verified nor missing', async () => {
  const world = await begin()
  await world.provider.offers()
  world.fail({ status: 503, body: '{"status":"error","message":"Failed to verify account","data":null}' })
  const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
  await expect(world.provider.accountName(account, 'order')).rejects.toMatchObject({ status: 503 })
})
