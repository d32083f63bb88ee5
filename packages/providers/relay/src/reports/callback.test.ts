import { createHmac } from 'node:crypto'
import { bind } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { routesProvider } from '@payments/routes'
import { afterAll, expect, test } from 'vitest'
import { call, type Merchant, newMerchant, signedIn, startService, type TestService, useService } from '#testing'
import { type RelayServer, startRelay } from '../../test/server.ts'
import { addressOf, isAuthentic } from './callback.ts'

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
for (const chain of world.chains) chain.disabled = chain.id === 10
for (const token of world.tokens) token.depositAddress = token.chainId !== 8453 || token.symbol !== 'EURC'
afterAll(() => world.close())
const service: TestService = useService({ live: [bind(routesProvider, 'live', world.provider)] })

test('a timestamp may be in seconds or milliseconds', () => {
  expect(isAuthentic(KEY, signed(String(NOW)), NOW)).toBe(true)
  expect(isAuthentic(KEY, signed(String(Math.floor(NOW / 1000))), NOW)).toBe(true)
})

test('a signature is accepted up to five minutes in the past or the future', () => {
  for (const away of [300_000, -300_000]) {
    expect(isAuthentic(KEY, signed(String(NOW)), NOW + away)).toBe(true)
    expect(isAuthentic(KEY, signed(String(NOW)), NOW + away + Math.sign(away))).toBe(false)
  }
})

test('a signature of other bytes, another key or another time, a truncated one and a missing one are rejected', () => {
  const at = String(NOW)
  const respelled = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  expect(isAuthentic(KEY, signed(at, sign(at), respelled), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(at, body, 'other')), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(String(NOW + 1))), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed(at, sign(at).slice(0, 32)), NOW)).toBe(false)
  expect(isAuthentic(KEY, signed('yesterday'), NOW)).toBe(false)
  expect(isAuthentic(KEY, { body, header: () => undefined }, NOW)).toBe(false)
})

test('a body without an address refers to no route', () => {
  expect(addressOf(body)).toBe('0xAb')
  for (const text of ['{"data":{"depositAddress":null}}', '{"data":', '[]', '7']) {
    expect(addressOf(Buffer.from(text))).toBeNull()
  }
})

async function post(text: string, signature?: string, at: { url: string } = service, path = 'relay') {
  const timestamp = String(Date.now())
  return fetch(`${at.url}/v1/callbacks/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature-timestamp': timestamp,
      'x-signature-sha256': signature ?? sign(timestamp, Buffer.from(text)),
    },
    body: text,
  })
}

const routeOf = (merchant: Merchant, given: Record<string, string> = {}) =>
  merchant.call('POST /v1/payment-routes', {
    body: {
      name: 'Treasury',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      ...given,
    },
  })

const callbackOf = (address: string) =>
  JSON.stringify({ event: 'request.status.updated', data: { status: 'success', depositAddress: { address } } })

test('an authentic callback moves the next poll of its route forward and writes nothing else', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const made = await routeOf(merchant)
  expect(made.status, made.text).toBe(201)
  const due = async () => {
    const { rows } = await service.runtime.pool.query<{ due: boolean }>(
      'select next_poll_at <= now() as due from payment_route_polls where id = $1',
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

test('a callback about an unknown address is accepted and changes nothing, also at the path that all providers of payment routes share', async () => {
  const callback = callbackOf('0x0000000000000000000000000000000000000001')
  expect((await post(callback)).status).toBe(200)
  expect((await post(callback, undefined, service, 'payment-routes')).status).toBe(200)
  expect((await post(callback, '0'.repeat(64), service, 'payment-routes')).status).toBe(401)
  expect((await post(callback, undefined, service, 'paycrest')).status).toBe(404)
})

test('callbacks with a valid signature are not rate limited; others are', async () => {
  const narrow = await startService({
    live: [bind(routesProvider, 'live', world.provider)],
    settings: { RATE_LIMIT_GLOBAL: '3' },
  })
  try {
    const callback = callbackOf('0x0000000000000000000000000000000000000001')
    const forged = async () => (await post(callback, '0'.repeat(64), narrow)).status
    for (let time = 0; time < 5; time++) expect((await post(callback, undefined, narrow)).status).toBe(200)
    expect([await forged(), await forged(), await forged(), await forged()]).toEqual([401, 401, 401, 429])
    expect((await post(callback, undefined, narrow)).status).toBe(200)
  } finally {
    await narrow.stop()
  }
})

test('a live deposit at Relay appears in the list of transactions', async () => {
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

test('the live networks are those that Relay supports, by network keys and symbols alone', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { networks } = (await merchant.call('GET /v1/payment-routes/networks')).body.data
  expect(networks.map(({ key }: { key: string }) => key)).not.toContain('optimism')
  const { body } = await merchant.call('GET /v1/payment-routes/networks/base/currencies')
  expect(body.data.currencies).toEqual([
    { symbol: 'USDC', decimals: 6, origin: true, destination: true },
    { symbol: 'EURC', decimals: 6, origin: false, destination: true },
    { symbol: 'ETH', decimals: 18, origin: true, destination: true },
  ])
  expect((await merchant.call('GET /v1/payment-routes/networks/optimism/currencies')).status).toBe(404)
  const quotes = () => world.calls.filter(({ line }) => line === 'POST /quote/v2').length
  const before = quotes()
  for (const [given, errors] of [
    [{ originChainKey: 'base', originCurrency: 'EURC' }, { originCurrency: 'Not available on base: one of USDC, ETH' }],
    [
      { originChainKey: 'optimism' },
      { originChainKey: 'Unknown network "optimism": see GET /payment-routes/networks' },
    ],
  ] as const) {
    const answer = await routeOf(merchant, given)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  }
  expect(quotes()).toBe(before)
  expect((await routeOf(merchant, { destinationCurrency: 'EURC' })).status).toBe(201)
})

test('a deposit in another currency is listed and posted in the currency received', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id, depositAddress } = (await routeOf(merchant)).body.data
  await world.pay(depositAddress, 7_000_000n, 'completed')
  const request = world.requests.at(-1)
  if (request) request.from = { chainId: 1, address: '0xdac17f958d2ee523a2206206994597c13d831ec7' }
  await world.settle()
  expect((await merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)).body.data.created).toBe(1)
  const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
  expect(transactions).toMatchObject([
    { amount: '7 USDT', receipt: { origin: { network: 'ethereum', symbol: 'USDT', amount: '7' } } },
  ])
  expect(await checkLedger(service.runtime)).toMatchObject({ ok: true, findings: [] })
})

test('a request that is superseded while pending stays one deposit, also where only its successor is listed', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id, depositAddress } = (await routeOf(merchant)).body.data
  const sync = async () => (await merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)).body.data
  await world.pay(depositAddress, 3_000_000n, 'completed')
  const request = world.requests.at(-1) as RelayServer['requests'][number]
  expect(await sync()).toEqual({ synced: 1, created: 1, updated: 0 })
  world.supersede(request)
  await world.settle()
  world.distort = (page) => page.filter((one) => !one.supersededByRequestId)
  expect(await sync()).toEqual({ synced: 1, created: 0, updated: 1 })
  world.distort = (page) => page
  expect(await sync()).toEqual({ synced: 1, created: 0, updated: 0 })
  expect((await merchant.call('GET /v1/payment-routes/deposits')).body.data).toMatchObject({
    total: 1,
    deposits: [{ relayRequestId: request.id, status: 'completed' }],
  })
})

test('the cause of a failed call to Relay is logged and not sent to the merchant', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  world.fail({ status: 401, body: '{"message":"secret detail"}' })
  const rejected = await routeOf(merchant)
  expect([rejected.status, rejected.body.message]).toEqual([502, 'The payment provider failed, please retry'])
  const lines = service.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request refused')
  expect(lines.at(-1)).toMatchObject({ level: 'warn', err: { message: expect.stringContaining('Status 401') } })
  expect(service.logs.join('')).not.toContain('secret detail')
})

test('an operator’s sync finds deposits that changed before the last known change', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id, depositAddress } = (await routeOf(merchant)).body.data
  const sync = async () => (await merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)).body.data
  await world.pay(depositAddress, 1_000_000n, 'completed')
  const hidden = world.requests.at(-1) as RelayServer['requests'][number]
  hidden.updatedAt -= 2 * 3_600_000
  world.distort = (page) => page.filter((one) => one.id !== hidden.id)
  await world.pay(depositAddress, 2_000_000n, 'completed')
  expect(await sync()).toEqual({ synced: 1, created: 1, updated: 0 })
  world.distort = (page) => page
  expect(await sync()).toEqual({ synced: 1, created: 0, updated: 0 })
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const synced = await call(service, `POST /v1/admin/ops/payment-routes/${id}/deposits/sync`, {
    token,
    key: null,
    body: { reason: 'Asked for' },
  })
  expect(synced.body.data).toEqual({ synced: 2, created: 1, updated: 0 })
})
