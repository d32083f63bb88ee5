import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { cngnBodies, enabledCustomer, newCngn, newMerchant, useService } from '#testing'
import { startCngn } from '../test/server.ts'
import { isAuthentic } from './callback.ts'

// Its list is read every ten minutes, so that only a callback can be the reason of a poll.
const world = await startCngn({ requestsPerMinute: 6000, pollSeconds: { soonest: 600, longest: 600 } })
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })

const post = (request: ReturnType<typeof world.callback>, body: Buffer = request.body) =>
  fetch(`${service.url}/v1/callbacks/cngn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cngn-signature': request.header('x-cngn-signature') ?? '' },
    body: new Uint8Array(body),
  })

test('a signed callback triggers a poll, and nothing that it says is believed; an unsigned one triggers none', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const payin = await newCngn(merchant, 'payins', customerId)
  const show = async () => (await merchant.call(`GET /v1/cngn/payins/${payin.id}`)).body.data
  const { pool } = service.runtime
  const due = async () =>
    (await pool.query("select next_poll_at <= now() + interval '5 seconds' as soon from cngn_feeds")).rows
  await pool.query("update cngn_feeds set next_poll_at = now() + interval '1 hour'")
  const lie = world.callback({
    event: 'deposit.completed',
    data: { trx_ref: payin.reference, status: 'completed', amount: '999999', trx_type: 'fiat_buy' },
  })
  const forged = await post(lie, Buffer.from(`${lie.body} `))
  expect([forged.status, await due()]).toEqual([401, [{ soon: false }]])
  expect((await post(lie)).status).toBe(200)
  await expect.poll(() => world.calls.some(({ line }) => line === 'GET /transactions'), { timeout: 10_000 }).toBe(true)
  expect((await show()).status).toBe('pending')
  await world.pay(payin.reference, 5_000_000_000n)
  await world.settle()
  await post(lie)
  await expect.poll(async () => (await show()).status, { timeout: 10_000 }).toBe('completed')
  expect((await show()).amount).toBe('5000')
  const balance = await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)
  expect(balance.body.data.available).toBe('5000')
})

test('what the merchant API cannot do is a 503 with a sentence, and stores nothing', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const accounts = 'Accounts and deposit addresses of customers for cNGN are not available in the live environment'
  const out = { fromCurrency: 'cNGN', toCurrency: 'USDC', destinationAddress: cngnBodies.withdrawals.address }
  const attempts = [
    [await merchant.call(`GET /v1/cngn/customers/${customerId}/virtual-account`), accounts],
    [await merchant.call('POST /v1/cngn/deposits', { body: { customerId, ...cngnBodies.deposits } }), accounts],
    [await merchant.call('POST /v1/cngn/converts', { body: { customerId, ...cngnBodies.converts } }), accounts],
    [
      await merchant.call('POST /v1/cngn/converts', { body: { customerId, ...cngnBodies.converts, ...out } }),
      'Converts out of cNGN are not available in the live environment',
    ],
  ] as const
  for (const [{ status, body }, message] of attempts) expect([status, body.message]).toEqual([503, message])
  for (const kind of ['deposits', 'converts'])
    expect((await merchant.call(`GET /v1/cngn/${kind}`)).body.data.total).toBe(0)
})

test('money that no reference ties to a payin is in suspense without an organisation, whatever its amount', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const payin = await newCngn(merchant, 'payins', customerId, { amount: '4321' })
  await world.pay('no reference', 4_321_000_000n)
  await world.settle()
  await post(world.callback({ event: 'deposit.completed' }))
  const { pool } = service.runtime
  const suspense = async () =>
    (await pool.query("select organisation_id, amount::text from cngn_receipts where status = 'suspense'")).rows
  await expect.poll(suspense, { timeout: 10_000 }).toEqual([{ organisation_id: null, amount: '4321000000' }])
  expect((await merchant.call(`GET /v1/cngn/payins/${payin.id}`)).body.data.status).toBe('pending')
})

test('during a rotation callbacks signed with either secret are accepted', () => {
  const request = world.callback({ event: 'deposit.completed', data: {} })
  const accepted = ['callback secret', 'new one,callback secret', 'callback secret, old one', 'another', '', ',']
  expect(accepted.map((secrets) => isAuthentic(secrets, request))).toEqual([true, true, true, false, false, false])
})
