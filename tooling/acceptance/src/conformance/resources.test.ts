import { generateKeyPairSync } from 'node:crypto'
import { transactionKinds } from '@payments/ledger'
import { beforeAll, expect } from 'vitest'
import { advance, call, launchArtefact, type Merchant, newMerchant, newRoute, pay, sync, useArtefact } from '#testing'
import { conforms } from '../../test/conforms.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const service = useArtefact()
let merchant: Merchant
let route: Awaited<ReturnType<typeof newRoute>>
beforeAll(async () => {
  merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
  route = await newRoute(merchant, { customerId: customer.body.data.id })
  await pay(merchant, route.id, '12.5')
  await advance(merchant, 5)
  await sync(merchant, route.id)
})
const transaction = async () => (await merchant.call('GET /v1/transactions')).body.data.transactions[0]

conforms('tenancy', async () => {
  const stranger = await newMerchant(service)
  expect((await stranger.call(`GET /v1/payment-routes/${route.id}`)).status).toBe(404)
  expect((await stranger.call('GET /v1/payment-routes')).body.data).toEqual({ paymentRoutes: [], total: 0 })
})

conforms('health', async () => {
  const { status, body } = await call(service, 'GET /health', { token: null })
  expect([status, Object.keys(body)]).toEqual([200, ['status', 'env', 'ts']])
  expect([typeof body.status, typeof body.env, new Date(body.ts).toISOString()]).toEqual(['string', 'string', body.ts])
  expect((await call(service, 'GET /v1/health', { token: null })).status).toBe(404)
})

conforms('jsonBodies', async () => {
  const body = JSON.stringify({ name: 'Ada', email: 'json@example.com' })
  const send = (type: string) => merchant.call('POST /v1/customers', { body, headers: { 'content-type': type } })
  expect((await send('text/plain')).status).toBe(415)
  expect((await send('application/json')).status).toBe(201)
})

conforms('envelopeStatus', async () => {
  expect((await merchant.call('GET /v1/customers')).body.status).toBe('success')
  for (const line of ['GET /v1/none', 'GET /v1/customers/none', 'POST /v1/customers'])
    expect((await merchant.call(line)).body.status).toBe('error')
})

conforms('envelopeMessage', async () => {
  for (const line of ['GET /v1/customers', 'GET /v1/none'])
    expect((await merchant.call(line)).body.message).toMatch(/^[A-Z][a-z ]+$/)
})

conforms('envelopeData', async () => {
  const found = await merchant.call('GET /v1/customers')
  expect(Object.keys(found.body)).toEqual(['status', 'message', 'data'])
  expect(typeof found.body.data).toBe('object')
  expect((await merchant.call('GET /v1/none')).body.data).toBeNull()
})

conforms('envelopeErrors', async () => {
  const refused = await merchant.call('POST /v1/customers', { body: { name: 'Ada' } })
  expect([refused.status, refused.body.message, refused.body.errors]).toEqual([
    422,
    'Validation failed',
    { email: 'Required' },
  ])
  expect((await merchant.call('GET /v1/none')).body).not.toHaveProperty('errors')
})

conforms('transactionFields', async () => {
  const { id, customerName, status, destination, amount } = await transaction()
  for (const field of [id, customerName, status, destination, amount]) expect(typeof field).toBe('string')
  expect([customerName, status, amount]).toEqual(['Ada Obi', 'completed', '12.5 USDC'])
  expect(destination).toContain(`USDC ${route.destinationAddress}`)
})

conforms('transactionKind', async () => {
  expect([...transactionKinds].sort()).toEqual(
    [
      ...['payment_route', 'swap', 'collection', 'offramp', 'onramp'],
      ...['cngn_convert', 'cngn_withdrawal', 'cngn_payout', 'cngn_payin', 'cngn_deposit'],
    ].sort(),
  )
  expect((await transaction()).kind).toBe('payment_route')
})

conforms('transactionCustomer', async () => {
  expect((await transaction()).customerId).toMatch(UUID)
  const other = await newMerchant(service)
  await pay(other, (await newRoute(other)).id, '1.5')
  await advance(other, 5)
  const [routed] = (await other.call('GET /v1/payment-routes')).body.data.paymentRoutes
  await sync(other, routed.id)
  expect((await other.call('GET /v1/transactions')).body.data.transactions[0].customerId).toBeNull()
})

conforms('transactionUsd', async () => expect((await transaction()).amountUsd).toBe('12.5'))

conforms('transactionCreated', async () => {
  const { createdAt } = await transaction()
  expect(new Date(createdAt).toISOString()).toBe(createdAt)
})

conforms('transactionReceipt', async () => expect(typeof (await transaction()).receipt).toBe('object'))

conforms('routeReceipt', async () => {
  const { receipt } = await transaction()
  expect(Object.keys(receipt).sort()).toEqual(
    [
      ...['type', 'depositId', 'relayRequestId', 'routeId', 'routeName', 'status', 'origin', 'destination'],
      'depositTxHash',
    ].sort(),
  )
  expect([receipt.type, receipt.routeId]).toEqual(['payment_route_deposit', route.id])
  expect(Object.keys(receipt.origin).sort()).toEqual(['amount', 'amountUsd', 'network', 'symbol'])
  expect(Object.keys(receipt.destination).sort()).toEqual(['address', 'amount', 'amountUsd', 'network', 'symbol'])
})

conforms('receiptAmounts', async () => {
  for (const leg of [(await transaction()).receipt.origin, (await transaction()).receipt.destination])
    expect([typeof leg.amount, typeof leg.amountUsd]).toEqual(['string', 'string'])
})

conforms('transactionList', async () => {
  const { data } = (await merchant.call('GET /v1/transactions')).body
  expect([Object.keys(data).sort(), Array.isArray(data.transactions), data.total]).toEqual([
    ['total', 'transactions'],
    true,
    1,
  ])
})

conforms('routeFields', async () => {
  const five = {
    name: 'Ops',
    originChainKey: 'ethereum',
    destinationChainKey: 'base',
    destinationCurrency: 'USDC',
    destinationAddress: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  }
  const created = await merchant.call('POST /v1/payment-routes', { body: five })
  expect([created.status, created.body.data]).toEqual([201, expect.objectContaining(five)])
})

conforms('routeId', () => expect(route.id).toMatch(UUID))

conforms('discovery', async () => {
  const { text, body } = await merchant.call('GET /v1/payment-routes/networks')
  for (const network of body.data.networks)
    expect(Object.keys(network).sort()).toEqual(['currencies', 'key', 'name', 'type'])
  expect(text).not.toMatch(/chainId|"?8453|42161/)
})

conforms('customerId', async () => {
  const [customer] = (await merchant.call('GET /v1/customers')).body.data.customers
  expect([customer.id, customer.email]).toEqual([expect.stringMatching(UUID), expect.stringContaining('@')])
})

conforms('lists', async () => {
  for (const [path, name] of [
    ['customers', 'customers'],
    ['payment-routes', 'paymentRoutes'],
    ['payment-routes/deposits', 'deposits'],
    ['transactions', 'transactions'],
    ['webhooks', 'webhookEndpoints'],
    ['notifications', 'notifications'],
    ['events', 'events'],
  ]) {
    const { data } = (await merchant.call(`GET /v1/${path}`)).body
    expect([Object.keys(data).sort(), Number.isInteger(data.total)]).toEqual([[name, 'total'].sort(), true])
  }
})

conforms('pathIds', async () => {
  for (const id of [route.depositAddress, route.destinationAddress, '1'])
    expect((await merchant.call(`GET /v1/payment-routes/${id}`)).status).toBe(404)
  expect((await merchant.call(`GET /v1/payment-routes/${route.id}`)).status).toBe(200)
})

conforms('routeConflict', async () => {
  const again = await merchant.call('POST /v1/payment-routes', {
    body: {
      name: 'Again',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: route.destinationAddress,
    },
  })
  expect([again.status, again.body.message]).toEqual([409, 'Payment route already active'])
})

conforms('https', async () => {
  const production = await launchArtefact({
    settings: {
      NODE_ENV: 'production',
      BASE_URL: 'https://payments.example',
      TRUST_PROXY: '127.0.0.1',
      DATABASE_URL: 'postgres://payments@127.0.0.1/payments',
      JWT_PRIVATE_KEY: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      SMTP_URL: 'smtps://127.0.0.1:9',
      EMAIL_FROM: 'payments@example.com',
    },
  })
  try {
    const { status, body } = await call(production, 'GET /v1/customers', { token: null })
    expect([status, body.message]).toEqual([403, 'HTTPS is required'])
  } finally {
    await production.stop()
  }
})
