import { beforeAll, expect } from 'vitest'
import {
  advance,
  fund,
  type Merchant,
  newMerchant,
  newOfframp,
  newOfframpBody,
  newOnramp,
  newOnrampBody,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

const service = useArtefact()
let merchant: Merchant
let reader: Merchant
beforeAll(async () => {
  merchant = await newMerchant(service)
  reader = await newMerchant(service, { scopes: ['api:read'], organisationId: merchant.organisationId })
})

const invalidAccount = { bankAccount: { accountNumber: '0000000000', bankCode: '058' } }
const lookup = async (offrampId: string) => (await reader.call(`GET /v1/offramp/${offrampId}`)).body.data

/** Funds an order and moves the clock until it has this status. */
async function until(kind: 'offramp' | 'onramp', id: string, status: string): Promise<void> {
  await fund(merchant, kind, id)
  const reached = async () => {
    await advance(merchant, 5)
    return (await reader.call(`GET /v1/${kind}s/${id}`)).body.data.status
  }
  await expect.poll(reached, { timeout: 20_000, interval: 200 }).toBe(status)
}

conforms('offrampObject', async () => {
  const metadata = { order: '7' }
  const { id, offrampId } = await newOfframp(merchant, { reference: 'payroll-1', metadata, ...invalidAccount })
  expect(offrampId).toBe(`ofr_${id.replaceAll('-', '')}`)
  const pending = await lookup(offrampId)
  const fields = [
    ...['id', 'status', 'amount', 'source_currency', 'destination_currency', 'converted_amount', 'fee'],
    ...['bank_account', 'reference', 'created_at', 'updated_at', 'metadata'],
  ]
  expect(Object.keys(pending).sort()).toEqual([...fields, 'estimated_settlement'].sort())
  expect(pending).toMatchObject({ id: offrampId, reference: 'payroll-1', metadata })
  for (const field of ['amount', 'converted_amount', 'fee']) expect(typeof pending[field]).toBe('number')
  expect(pending.bank_account).toEqual({
    holder_name: 'OBI ADA',
    account_number: '0000000000',
    bank_name: 'Guaranty Trust Bank',
    bank_country: 'NG',
  })
  await until('offramp', id, 'failed')
  const failed = await lookup(offrampId)
  expect(Object.keys(failed).sort()).toEqual([...fields, 'failure_reason'].sort())
  expect(failed.failure_reason).toBe('invalid_account_number')
})

conforms('offrampStates', async () => {
  const statuses = new Set<string>()
  const { id } = await newOfframp(merchant)
  const rejected = await newOfframp(merchant, invalidAccount)
  await until('offramp', id, 'delivered')
  await until('offramp', rejected.id, 'failed')
  const { rows } = await service.runtime.pool.query<{ status: string }>(
    "select payload->'data'->>'status' as status from events where resource_id = any ($1)",
    [[id, rejected.id]],
  )
  for (const { status } of rows) statuses.add(status)
  expect([...statuses].sort()).toEqual(['delivered', 'failed', 'pending', 'processing', 'settled'])
})

conforms('offramps', async () => {
  const customer = { name: 'Ada Obi', email: 'offramps@example.com' }
  const customerId = (await merchant.call('POST /v1/customers', { body: customer })).body.data.id
  const created = await newOfframp(merchant, { customerId })
  const { offramps, total } = (await reader.call(`GET /v1/offramps?customerId=${customerId}`)).body.data
  expect([total, offramps]).toEqual([1, [created]])
  expect((await reader.call('GET /v1/offramps')).body.data.total).toBeGreaterThan(0)
  expect((await reader.call('POST /v1/offramps', { body: newOfframpBody() })).status).toBe(403)
  expect((await lookup(created.offrampId)).status).toBe('pending')
})

conforms('onramps', async () => {
  const customer = { name: 'Ada Obi', email: 'onramps@example.com' }
  const customerId = (await merchant.call('POST /v1/customers', { body: customer })).body.data.id
  const created = await newOnramp(merchant, { customerId })
  const { onramps, total } = (await reader.call(`GET /v1/onramps?customerId=${customerId}`)).body.data
  expect([total, onramps]).toEqual([1, [created]])
  expect((await reader.call('POST /v1/onramps', { body: newOnrampBody() })).status).toBe(403)
})

conforms('fiat', async () => {
  expect((await reader.call('GET /v1/fiat/currencies')).body.data.total).toBeGreaterThan(0)
  expect((await reader.call('GET /v1/fiat/currencies/NGN/banks')).body.data.total).toBeGreaterThan(0)
  const account = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
  const verified = await reader.call('POST /v1/fiat/accounts/verify', { body: account })
  expect([verified.status, verified.body.data.accountName]).toEqual([200, 'OBI ADA'])
  const terms = { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '25' }
  expect((await reader.call('POST /v1/fiat/quotes/sell', { body: terms })).status).toBe(201)
})

conforms('fiatEvents', async () => {
  const offramp = await newOfframp(merchant)
  const onramp = await newOnramp(merchant)
  await until('offramp', offramp.id, 'delivered')
  await until('onramp', onramp.id, 'delivered')
  const typesOf = async (id: string) =>
    (
      await service.runtime.pool.query<{ type: string }>('select type from events where resource_id = $1 order by id', [
        id,
      ])
    ).rows.map(({ type }) => type)
  expect(await typesOf(offramp.id)).toEqual([
    'offramp.created',
    'offramp.updated',
    'offramp.updated',
    'offramp.settled',
    'offramp.updated',
    'offramp.delivered',
  ])
  expect(await typesOf(onramp.id)).toEqual(['onramp.created', 'onramp.updated', 'onramp.updated'])
})
