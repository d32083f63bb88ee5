import { createHmac } from 'node:crypto'
import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import {
  expectConsistent,
  type Merchant,
  newMerchant,
  newOfframpBody,
  newOnrampBody,
  type TestService,
  useService,
} from '#testing'
import { type PaycrestServer, SECRET, startPaycrest } from '../test/server.ts'
import { isAuthentic, referenceOf } from './callback.ts'

const TIMEOUT_MS = 3000
const world: PaycrestServer = await startPaycrest({ timeoutMs: TIMEOUT_MS })
afterAll(() => world.close())
const service: TestService = useService({ live: [bind(fiatProvider, 'live', world.provider)], worker: true })

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }
const signed = (body: Buffer, signature?: string) => ({
  body,
  header: (name: string) => ({ 'x-paycrest-signature': signature })[name],
})
const sign = (body: Buffer, key = SECRET) => createHmac('sha256', key).update(body).digest('hex')

const post = (body: Buffer, signature: string, cell = '') =>
  fetch(`${service.url}/v1/callbacks/paycrest${cell}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-paycrest-signature': signature },
    body: new Uint8Array(body),
  })
const live = () => newMerchant(service, { environment: 'live' })
const create = (merchant: Merchant, given: object = {}) =>
  merchant.call('POST /v1/offramps', { body: newOfframpBody({ refundAddress: WALLET, ...given }) })

test('a signature covers the exact bytes, or the bytes without the newline behind them', () => {
  const body = Buffer.from('{"event":"payment_order.settled","data":{"reference":"r"}}')
  const sent = Buffer.concat([body, Buffer.from('\n')])
  expect(isAuthentic(SECRET, signed(body, sign(body)))).toBe(true)
  expect(isAuthentic(SECRET, signed(sent, sign(body)))).toBe(true)
  expect(isAuthentic(SECRET, signed(sent, sign(sent)))).toBe(true)
})

test('a signature of other bytes or another key, two newlines, a truncated one and a missing one are rejected', () => {
  const body = Buffer.from('{"event":"payment_order.settled", "data":{"reference":"r"}}')
  const respelled = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  expect(isAuthentic(SECRET, signed(respelled, sign(body)))).toBe(false)
  expect(isAuthentic(SECRET, signed(body, sign(body, 'other')))).toBe(false)
  expect(isAuthentic(SECRET, signed(Buffer.concat([body, Buffer.from('\n\n')]), sign(body)))).toBe(false)
  expect(isAuthentic(SECRET, signed(body, sign(body).slice(0, 32)))).toBe(false)
  expect(isAuthentic(SECRET, signed(body))).toBe(false)
})

test('during a rotation callbacks signed with either secret are accepted, and none without one', () => {
  const body = Buffer.from('{"event":"payment_order.settled","data":{"reference":"r"}}')
  const both = `new-secret, ${SECRET}`
  expect([sign(body), sign(body, 'new-secret')].map((by) => isAuthentic(both, signed(body, by)))).toEqual([true, true])
  expect(isAuthentic(both, signed(body, sign(body, both)))).toBe(false)
  expect(isAuthentic('new-secret,', signed(body, sign(body, '')))).toBe(false)
})

test('a callback is received at the address of this cell, as at the one without a cell, and at that of no other', async () => {
  const body = Buffer.from('{"event":"payment_order.settled","data":{"reference":"r"}}')
  const statuses = await Promise.all(['', '/000', '/001', '/0', '/000/000'].map((cell) => post(body, sign(body), cell)))
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 404, 404, 404])
  expect((await post(body, sign(body, 'other'), '/000')).status).toBe(401)
})

test('a body without a reference is about no order', () => {
  expect(referenceOf(Buffer.from('{"event":"x","data":{"reference":"r"}}'))).toBe('r')
  for (const text of ['{"event":"x","data":{}}', '{"data":', '[]', '7'])
    expect(referenceOf(Buffer.from(text))).toBeNull()
})

test('a callback only triggers a poll: what it says of amounts and status is not believed', async () => {
  const merchant = await live()
  const made = await create(merchant)
  expect(made.status, made.text).toBe(201)
  const { id, deposit } = made.body.data
  const status = async () => (await merchant.call(`GET /v1/offramps/${id}`)).body.data.status
  const kept = world.order(id)
  const lying = Buffer.from(
    JSON.stringify({ event: 'payment_order.settled', data: { reference: id, status: 'settled', amountPaid: '25' } }),
  )
  expect((await post(lying, sign(lying))).status).toBe(200)
  await world.pay(id, BigInt(Math.round(Number(deposit.amount) * 1e6)))
  const { body, signature } = world.callback(kept, 'payment_order.deposited', { newline: true })
  expect((await post(body, signature)).status).toBe(200)
  await expect.poll(status, { timeout: 10_000 }).toBe('processing')
  await world.settle()
  const settled = world.callback(kept, 'payment_order.settled')
  for (let times = 0; times < 3; times++) expect((await post(settled.body, settled.signature)).status).toBe(200)
  await expect.poll(status, { timeout: 10_000 }).toBe('delivered')
  await expectConsistent(service)
})

test('a callback about an order whose polls have ended begins them anew', async () => {
  const { pool } = service.runtime
  const { id } = (await create(await live())).body.data
  const polled = async () => (await pool.query('select from fiat_polls where id = $1', [id])).rows.length
  await pool.query('delete from fiat_polls where id = $1', [id])
  expect(await polled()).toBe(0)
  const { body, signature } = world.callback(world.order(id), 'payment_order.refunded')
  expect((await post(body, signature)).status).toBe(200)
  expect(await polled()).toBe(1)
})

test('an unsigned callback is a 401 and changes nothing', async () => {
  const merchant = await live()
  const { id } = (await create(merchant)).body.data
  const body = Buffer.from(JSON.stringify({ event: 'payment_order.settled', data: { reference: id } }))
  const due = async () =>
    (await service.runtime.pool.query('select next_poll_at::text as at from fiat_polls where id = $1', [id])).rows[0]
  const before = await due()
  expect((await post(body, sign(body, 'other'))).status).toBe(401)
  expect(await due()).toEqual(before)
  const unknown = Buffer.from('{"event":"payment_order.settled","data":{"reference":"nobody"}}')
  expect((await post(unknown, sign(unknown))).status).toBe(200)
})

test('a timeout at creation is a 503 that stores nothing; the order that nobody funds is Paycrest’s to expire', async () => {
  const merchant = await live()
  const before = world.orders.length
  world.spoil = (line) => (line === 'POST /sender/orders' ? { lateMs: TIMEOUT_MS + 500 } : undefined)
  const answer = await create(merchant)
  world.spoil = () => undefined
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(world.orders.slice(before)).toMatchObject([{ status: 'initiated', amountPaid: 0n }])
  expect((await merchant.call('GET /v1/offramps')).body.data.total).toBe(0)
  expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(0)
})

test('live orders need somewhere to send money back to', async () => {
  const merchant = await live()
  const offramp = await merchant.call('POST /v1/offramps', { body: newOfframpBody() })
  expect([offramp.status, offramp.body.errors]).toEqual([422, { refundAddress: 'Required in the live environment' }])
  const onramp = await merchant.call('POST /v1/onramps', { body: newOnrampBody({ amount: '5000' }) })
  expect([onramp.status, onramp.body.errors]).toEqual([422, { refundBankAccount: 'Required in the live environment' }])
  const made = await merchant.call('POST /v1/onramps', { body: newOnrampBody({ amount: '5000', refundBankAccount }) })
  expect([made.status, made.body.data.paymentAccount.amount], made.text).toEqual([201, '5000'])
})

test('a quote is taken with its rate and fee; once Paycrest charges another fee it is refused, and the next quote has it', async () => {
  const merchant = await live()
  await create(merchant)
  const quote = async () =>
    (
      await merchant.call('POST /v1/fiat/quotes/sell', {
        body: { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '25' },
      })
    ).body.data
  const first = await quote()
  const taken = await create(merchant, { quoteId: first.quoteId })
  expect(taken.body.data).toMatchObject({ rate: first.rate, fee: '0.05', convertedAmount: first.convertedAmount })
  world.fees.networkFee = '0.07'
  const refused = await create(merchant, { quoteId: first.quoteId })
  expect(refused.body.errors).toEqual({
    quoteId: 'The provider does not honour this quote any more: request another one',
  })
  const second = await quote()
  expect(second.fee).toBe('0.07')
  expect((await create(merchant, { quoteId: second.quoteId })).status).toBe(201)
  world.fees.networkFee = '0.05'
})
