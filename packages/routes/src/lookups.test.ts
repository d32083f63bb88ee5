import { newId } from '@payments/kernel'
import { describe, expect, test } from 'vitest'
import { advance, newMerchant, newRoute, pay, sync, useService } from '#testing'

const service = useService()

/** A merchant with a route and deposits of these outcomes, all settled. */
async function withDeposits(...outcomes: string[]) {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  for (const [index, outcome] of outcomes.entries()) await pay(merchant, route.id, `${index + 1}.5`, outcome)
  await advance(merchant, 5)
  await sync(merchant, route.id)
  const { deposits } = (await merchant.call('GET /v1/payment-routes/deposits')).body.data
  return { merchant, route, deposits: deposits as { id: string; origin: { amount: string } }[] }
}

test('each deposit is found by its id, as the list shows it, by its organisation only', async () => {
  const { merchant, deposits } = await withDeposits('completed')
  const [deposit] = deposits
  const found = await merchant.call(`GET /v1/payment-routes/deposits/${deposit?.id}`)
  expect([found.status, found.body.message, found.body.data]).toEqual([200, 'Deposit retrieved', deposit])
  const stranger = await newMerchant(service)
  for (const [caller, id] of [
    [stranger, deposit?.id],
    [merchant, newId()],
    [merchant, 'none'],
  ] as const) {
    const { status, body } = await caller.call(`GET /v1/payment-routes/deposits/${id}`)
    expect([status, body.message]).toEqual([404, 'Deposit not found'])
  }
})

test('the deposits of one route are listed with their own total', async () => {
  const { merchant, route } = await withDeposits('completed', 'refunded')
  const other = await newRoute(merchant)
  const of = async (id: string) => (await merchant.call(`GET /v1/payment-routes/${id}/deposits`)).body.data
  expect([(await of(route.id)).total, (await of(route.id)).deposits.length]).toEqual([2, 2])
  expect(await of(other.id)).toEqual({ deposits: [], total: 0 })
  const none = await merchant.call(`GET /v1/payment-routes/${newId()}/deposits`)
  expect([none.status, none.body.message]).toEqual([404, 'Payment route not found'])
})

test('an export has every deposit with exact amounts, most recently changed first', async () => {
  const { merchant, deposits } = await withDeposits('completed', 'refunded', 'failed')
  const { status, headers, text } = await merchant.call('GET /v1/payment-routes/deposits/export')
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="deposits.csv"'])
  const [heading, ...lines] = text.trimEnd().split('\r\n')
  const column = (name: string) => heading?.split(',').indexOf(name) ?? -1
  const cells = (name: string) => lines.map((line) => line.split(',')[column(name)])
  expect(cells('id')).toEqual(deposits.map(({ id }) => id))
  expect(cells('originAmount')).toEqual(deposits.map(({ origin }) => origin.amount))
  expect(cells('destinationAmount').filter(Boolean)).toHaveLength(1)
})

test('a deposit that the provider holds for compliance says so, is in suspense, and is in the operators’ queue', async () => {
  const { merchant, deposits } = await withDeposits('blocked')
  expect(deposits[0]).toMatchObject({ status: 'failed', failureReason: 'provider_blocked' })
  const [entry] = (await merchant.call('GET /v1/transactions')).body.data.transactions
  expect(entry).toMatchObject({ status: 'failed', receipt: { depositId: deposits[0]?.id } })
  const { rows } = await service.runtime.pool.query(
    "select balance::text from ledger_accounts where organisation_id = $1 and purpose = 'suspense'",
    [merchant.organisationId],
  )
  expect(rows).toEqual([{ balance: '1500000' }])
  const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
  expect(notifications[0].body).toContain('for a compliance check')
})

test('the amounts of a receipt are strings in every state', async () => {
  const { merchant, route } = await withDeposits('completed', 'refunded', 'failed', 'blocked')
  await pay(merchant, route.id, '9.5')
  await sync(merchant, route.id)
  const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
  expect(transactions).toHaveLength(5)
  for (const { status, receipt } of transactions) {
    expect(receipt.origin).toMatchObject({ amount: expect.stringMatching(/^\d+\.5$/), amountUsd: expect.any(String) })
    const delivered = status === 'completed' ? receipt.origin.amount : '0'
    expect(receipt.destination).toMatchObject({ amount: delivered, amountUsd: status === 'completed' ? delivered : '' })
  }
})

describe('a patch of a payment route', () => {
  test('changes the name and merges metadata, without an event', async () => {
    const merchant = await newMerchant(service)
    const route = await newRoute(merchant, { metadata: { plan: 'gold', old: 'x' } })
    const { status, body } = await merchant.call(`PATCH /v1/payment-routes/${route.id}`, {
      body: { name: 'Renamed', metadata: { old: null, team: 'ops' } },
    })
    expect([status, body.data]).toEqual([
      200,
      { ...route, name: 'Renamed', metadata: { plan: 'gold', team: 'ops' }, updatedAt: body.data.updatedAt },
    ])
    expect((await merchant.call(`GET /v1/payment-routes/${route.id}`)).body.data).toEqual(body.data)
    const { events } = (await merchant.call('GET /v1/events')).body.data
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['payment_route.created'])
    const empty = await merchant.call(`PATCH /v1/payment-routes/${route.id}`, { body: {} })
    expect(empty.body.data).toEqual(body.data)
  })

  test('of a deleted or unknown route is a 404, and no other field can be changed', async () => {
    const merchant = await newMerchant(service)
    const route = await newRoute(merchant)
    const refused = await merchant.call(`PATCH /v1/payment-routes/${route.id}`, { body: { destinationAddress: '0x' } })
    expect([refused.status, refused.body.errors]).toEqual([422, { destinationAddress: 'Unrecognized field' }])
    await merchant.call(`DELETE /v1/payment-routes/${route.id}`)
    for (const id of [route.id, newId()])
      expect((await merchant.call(`PATCH /v1/payment-routes/${id}`, { body: { name: 'Late' } })).status).toBe(404)
  })
})

test('a deposit on Tron or Solana has a transaction hash of that chain', async () => {
  const merchant = await newMerchant(service)
  for (const [originChainKey, originCurrency, form] of [
    ['tron', 'USDT', /^[0-9a-f]{64}$/],
    ['solana', 'USDC', /^[1-9A-HJ-NP-Za-km-z]{86,88}$/],
    ['ethereum', 'USDC', /^0x[0-9a-f]{64}$/],
  ] as const) {
    const route = await newRoute(merchant, { originChainKey, originCurrency })
    await pay(merchant, route.id, '2.5')
    await sync(merchant, route.id)
    const { deposits } = (await merchant.call(`GET /v1/payment-routes/${route.id}/deposits`)).body.data
    expect(deposits[0].depositTxHash).toMatch(form)
  }
})
