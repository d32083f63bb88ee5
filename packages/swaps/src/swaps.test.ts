import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, depositFor, newMerchant, newSwap, newSwapBody, signedIn, startService, useService } from '#testing'
import { eventsOf, processAfter } from '../test/chain.ts'
import { swapsProvider } from './provider/provider.ts'
import { sandboxSwaps } from './provider/sandbox.ts'

const service = useService()

test('a new swap shows its price, its minimum, its address and its end', async () => {
  const merchant = await newMerchant(service)
  const before = Date.now()
  const swap = await newSwap(merchant, { maxSlippagePercent: 1.25, metadata: { orderNumber: '7' } })
  expect(swap).toMatchObject({
    status: 'awaiting_deposit',
    amount: '100',
    expectedAmount: '107.946',
    minimumAmount: '106.596675',
    maxSlippagePercent: 1.25,
    depositedAmount: '0',
    receivedAmount: null,
    fees: null,
    rate: '1.07946',
    metadata: { orderNumber: '7' },
    customerId: null,
  })
  const minutes = (Date.parse(swap.expiresAt as string) - before) / 60_000
  expect(minutes).toBeGreaterThan(29.9)
  expect(minutes).toBeLessThan(30.5)
  expect(await eventsOf(service, swap.id)).toEqual(['>awaiting_deposit'])
  const { transactions, total } = (await merchant.call('GET /v1/transactions')).body.data
  expect([total, transactions[0]]).toMatchObject([
    1,
    {
      id: swap.id,
      kind: 'swap',
      amount: '100 EURC',
      amountUsd: '107.946',
      destination: 'Solana USDC 2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
      receipt: { type: 'swap', depositedAmount: '0', destination: { amount: '0', amountUsd: '' } },
    },
  ])
})

test.each([
  [{ toCurrency: 'EURC' }, { toCurrency: 'Must differ from fromCurrency' }],
  [{ fromCurrency: 'USDT' }, { fromCurrency: 'Must be one of EURC, USDC' }],
  [{ amount: '0.5' }, { amount: 'Must be at least 1 EURC' }],
  [{ amount: '100000.000001' }, { amount: 'Must be at most 100000 EURC' }],
  [{ amount: '1.0000001' }, { amount: 'EURC has at most 6 decimals' }],
  [
    { destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
    { destinationAddress: 'Must be a Solana address: 32 bytes in base58' },
  ],
  [
    { refundAddress: '1nc1nerator11111111111111111111111111111111' },
    { refundAddress: 'Must not be a burn address: what is sent there is lost' },
  ],
  [{ maxSlippagePercent: 5.01 }, { maxSlippagePercent: 'Must be at most 5' }],
  [{ maxSlippagePercent: 0.005 }, { maxSlippagePercent: 'Must have at most 2 decimals' }],
  [{ maxSlippagePercent: '1' }, { maxSlippagePercent: 'Must be a number' }],
  [{ customerId: '01936f2a-7c1e-7000-8000-000000000099' }, { customerId: 'Customer not found' }],
])('a swap with %j is refused with its field', async (given, errors) => {
  const merchant = await newMerchant(service)
  const { status, body } = await merchant.call('POST /v1/swaps', { body: newSwapBody(given) })
  expect([status, body.errors]).toEqual([422, errors])
  expect((await merchant.call('GET /v1/swaps')).body.data).toEqual({ swaps: [], total: 0 })
})

test('without a live provider swaps and rates answer 503 and store nothing', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const answers = [await merchant.call('POST /v1/swaps', { body: newSwapBody() }), await merchant.call('GET /v1/rates')]
  for (const { status, body } of answers)
    expect([status, body.message]).toEqual([503, 'Swaps are not available in the live environment'])
  expect((await merchant.call('GET /v1/swaps')).body.data.total).toBe(0)
})

test('where the provider has no default refund address, a swap needs one', async () => {
  const { refundAddress: _default, ...provider } = sandboxSwaps(service.runtime.pool)
  const own = await startService({ database: service.database, live: [bind(swapsProvider, 'live', provider)] })
  try {
    const merchant = await newMerchant(own, { environment: 'live' })
    const { status, body } = await merchant.call('POST /v1/swaps', { body: newSwapBody() })
    expect([status, body.errors]).toEqual([422, { refundAddress: 'Required in the live environment' }])
    const refundAddress = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
    expect(await newSwap(merchant, { refundAddress })).toMatchObject({ status: 'awaiting_deposit', refundAddress })
  } finally {
    await own.stop()
  }
})

test('the list shows the newest first and counts all', async () => {
  const merchant = await newMerchant(service)
  const made = [await newSwap(merchant), await newSwap(merchant), await newSwap(merchant)]
  const { swaps, total } = (await merchant.call('GET /v1/swaps')).body.data
  expect([total, swaps.map(({ id }: { id: string }) => id)]).toEqual([3, made.map(({ id }) => id).toReversed()])
})

test('the export has one line for each swap of the range, with exact amounts', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant, { amount: '1.000001' })
  const { text } = await merchant.call('GET /v1/swaps/export')
  const [heading, line, ...rest] = text.trimEnd().split('\r\n')
  expect(heading).toMatch(/^id,status,customerId,fromCurrency,amount,/)
  expect(line).toMatch(new RegExp(`^${id},awaiting_deposit,,EURC,1.000001,0,0,USDC,`))
  expect(rest).toEqual([])
})

test('a swap can be cancelled while it waits, once, and in no other state', async () => {
  const merchant = await newMerchant(service)
  const waiting = await newSwap(merchant)
  const cancel = (id: string) => merchant.call(`POST /v1/swaps/${id}/cancel`)
  expect((await cancel(waiting.id)).body.data.status).toBe('cancelled')
  const paid = await newSwap(merchant)
  await depositFor(merchant, paid.id)
  await processAfter(service, merchant, paid.id)
  for (const id of [waiting.id, paid.id]) {
    const { status, body } = await cancel(id)
    expect([status, body.message]).toEqual([409, 'Swap cannot be cancelled'])
  }
  expect(await eventsOf(service, waiting.id)).toEqual(['>awaiting_deposit', 'awaiting_deposit>cancelled'])
})

test('of a cancellation and a deposit at the same time one wins, and the money follows it', async () => {
  const merchant = await newMerchant(service)
  for (let round = 0; round < 5; round++) {
    const { id } = await newSwap(merchant)
    await depositFor(merchant, id)
    const [cancelled] = await Promise.all([
      merchant.call(`POST /v1/swaps/${id}/cancel`),
      processAfter(service, merchant, id),
    ])
    const [, second] = await eventsOf(service, id)
    expect(second).toBe(`awaiting_deposit>${cancelled.status === 200 ? 'cancelled' : 'swapping'}`)
  }
})

test('operators see swaps in flight with what they hold, and process one now', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const processed = await call(service, `POST /v1/admin/ops/swaps/${id}/process`, {
    token,
    key: null,
    body: { reason: 'Asked for' },
  })
  expect([processed.status, processed.body.data?.status]).toEqual([200, 'swapping'])
  const { swaps, total } = (await call(service, 'GET /v1/admin/ops/swaps', { token })).body.data
  expect(total).toBe(swaps.length)
  expect(swaps.find((swap: { id: string }) => swap.id === id)).toMatchObject({
    organisationId: merchant.organisationId,
    environment: 'test',
    heldAmount: '100',
    openSignature: expect.any(String),
    error: null,
  })
})
