import { createHmac } from 'node:crypto'
import { bind } from '@payments/kernel'
import { routesProvider } from '@payments/routes'
import { afterAll, expect, test } from 'vitest'
import { type Merchant, newMerchant, type TestService, useService } from '#testing'
import { addressOf, isAuthentic } from './callback.ts'
import { type RelayServer, startRelay } from './testing.ts'

const KEY = 'relay-key'
const NOW = 1_774_993_296_140
const body = Buffer.from('{"event":"request.status.updated",  "data":{"depositAddress":{"address":"0xAb"}}}')
const sign = (timestamp: string, bytes: Buffer = body, key = KEY) =>
  createHmac('sha256', key).update(`${timestamp}.`).update(bytes).digest('hex')
const signed = (timestamp: string, signature = sign(timestamp), bytes = body) => ({
  body: bytes,
  header: (name: string) => ({ 'x-signature-timestamp': timestamp, 'x-signature-sha256': signature })[name],
})

const world: RelayServer = await startRelay()
afterAll(() => world.close())
const service: TestService = useService({ live: [bind(routesProvider, 'live', world.provider)] })

test('a timestamp may count seconds or milliseconds', () => {
  expect(isAuthentic(KEY, signed(String(NOW)), NOW)).toBe(true)
  expect(isAuthentic(KEY, signed(String(Math.floor(NOW / 1000))), NOW)).toBe(true)
})

test('what is five minutes old is the last to be taken, and the same ahead', () => {
  for (const away of [300_000, -300_000]) {
    expect(isAuthentic(KEY, signed(String(NOW)), NOW + away)).toBe(true)
    expect(isAuthentic(KEY, signed(String(NOW)), NOW + away + Math.sign(away))).toBe(false)
  }
})

test('other bytes, another key, another time, half a signature and none are not authentic', () => {
  const at = String(NOW)
  const respelled = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  expect(isAuthentic(KEY, signed(at, sign(at), respelled), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(at, body, 'other')), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(String(NOW + 1))), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(at).slice(0, 32)), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed('yesterday'), NOW)).toBe(false)
  expect(isAuthentic(KEY, { body, header: () => undefined }, NOW)).toBe(false)
})

test('a body without an address is about none', () => {
  expect(addressOf(body)).toBe('0xAb')
  for (const text of ['{"data":{"depositAddress":null}}', '{"data":', '[]', '7']) {
    expect(addressOf(Buffer.from(text))).toBeNull()
  }
})

async function post(text: string, signature?: string) {
  const timestamp = String(Date.now())
  return fetch(`${service.url}/v1/callbacks/payment-routes`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature-timestamp': timestamp,
      'x-signature-sha256': signature ?? sign(timestamp, Buffer.from(text)),
    },
    body: text,
  })
}

const routeOf = (merchant: Merchant) =>
  merchant.call('POST /v1/payment-routes', {
    body: {
      name: 'Treasury',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
  })

const callbackOf = (address: string) =>
  JSON.stringify({ event: 'request.status.updated', data: { status: 'success', depositAddress: { address } } })

test('an authentic callback brings the look at its route forward and books nothing by itself', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const made = await routeOf(merchant)
  expect(made.status, made.text).toBe(201)
  const due = async () => {
    const { rows } = await service.runtime.pool.query<{ due: boolean }>(
      'select next_poll_at <= now() as due from payment_routes where id = $1',
      [made.body.data.id],
    )
    return rows[0]?.due
  }
  const callback = callbackOf(made.body.data.depositAddress.toUpperCase().replace('0X', '0x'))
  expect((await post(callback, '0'.repeat(64))).status).toBe(401)
  expect(await due()).toBe(false)
  expect((await post(callback)).status).toBe(200)
  expect(await due()).toBe(true)
  expect((await merchant.call('GET /v1/payment-routes/deposits')).body.data.total).toBe(0)
})

test('a callback about an address that is nobody’s is taken and changes nothing', async () => {
  expect((await post(callbackOf('0x0000000000000000000000000000000000000001'))).status).toBe(200)
})

test('a merchant’s live deposit goes from Relay to the list of transactions', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const made = await routeOf(merchant)
  const sync = async () => (await merchant.call(`POST /v1/payment-routes/${made.body.data.id}/deposits/sync`)).body
  await world.pay(made.body.data.depositAddress, 12_500_000n, 'completed')
  expect((await sync()).data).toEqual({ synced: 1, created: 1, updated: 0 })
  await world.settle()
  expect((await sync()).data).toEqual({ synced: 1, created: 0, updated: 1 })
  world.fail({ status: 500 }, { status: 500 }, { status: 500 })
  expect(await sync()).toMatchObject({ message: 'The payment provider is not available, please retry', data: null })
  const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
  expect(transactions).toMatchObject([{ kind: 'payment_route', status: 'completed', amount: '12.5 USDC' }])
})
