import { type CustomerAccountsProvider, customerAccountsProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { beforeAll, expect } from 'vitest'
import {
  advance,
  BVN,
  bankTransfer,
  cngnBodies,
  enabledByWorker,
  type Merchant,
  newCngn,
  newCustomer,
  newMerchant,
  startService,
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

const enable = (customerId: string, body: object, by: Merchant = merchant) =>
  by.call(`POST /v1/cngn/customers/${customerId}/enable`, { body })
const typesOf = async (id: string): Promise<string[]> =>
  (await service.runtime.pool.query('select type from events where resource_id = $1 order by id', [id])).rows.map(
    ({ type }) => type,
  )
const status = async (path: string) => (await reader.call(`GET /v1/cngn/${path}`)).body.data.status
/** Moves the clock until an object has this status. */
const until = (path: string, wanted: string) =>
  expect
    .poll(
      async () => {
        await advance(merchant, 5)
        return status(path)
      },
      { timeout: 20_000, interval: 200 },
    )
    .toBe(wanted)

conforms('bvn', async () => {
  const id = await newCustomer(merchant)
  for (const bvn of [undefined, '2221234567', '222123456789', '2221234567a'])
    expect((await enable(id, { bvn })).body.errors).toHaveProperty('bvn')
  expect((await enable(id, { bvn: BVN, email: 'ada@example.com', phoneNumber: '+2348012345678' })).status).toBe(200)
})

conforms('emailDefault', async () => {
  const emails: string[] = []
  const virtualAccount = async ({ email, customerId }: { email: string; customerId: string }) => {
    emails.push(email)
    const accountNumber = customerId.replace(/\D/g, '').slice(-10).padStart(10, '9')
    return { accountNumber, accountName: 'Ada Obi', bankName: 'Test Bank', bankCode: '044' }
  }
  const accounts = { virtualAccount } as unknown as CustomerAccountsProvider
  // In this process: what is asserted is what the provider is told.
  const own = await startService({ worker: true, live: [bind(customerAccountsProvider, 'test', accounts)] })
  try {
    const by = await newMerchant(own)
    const { body } = await by.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'own@example.com' } })
    await enable(body.data.id, { bvn: BVN }, by)
    await expect.poll(() => emails, { timeout: 20_000 }).toEqual(['own@example.com'])
    await enable(await newCustomer(by), { bvn: BVN, email: 'given@example.com' }, by)
    await expect.poll(() => emails, { timeout: 20_000 }).toEqual(['own@example.com', 'given@example.com'])
  } finally {
    await own.stop()
  }
})

conforms('enablement', async () => {
  const id = await newCustomer(merchant)
  expect((await enable(id, { bvn: BVN }, reader)).status).toBe(403)
  const { status: code, body } = await enable(id, { bvn: BVN })
  expect([code, Object.keys(body), body.status]).toEqual([200, ['status', 'message', 'data'], 'success'])
  expect(body.data).toMatchObject({ customerId: id, status: 'pending' })
})

conforms('customerEnabled', async () => {
  const id = await enabledByWorker(merchant)
  expect(await typesOf(id)).toEqual(['cngn.customer.enabled'])
})

conforms('customerFailed', async () => {
  const id = await newCustomer(merchant)
  await enable(id, { bvn: '11111111111' })
  const cngn = async () => (await reader.call(`GET /v1/customers/${id}`)).body.data.cngn
  await expect
    .poll(cngn, { timeout: 20_000 })
    .toEqual({ status: 'failed', failureReason: 'customer_name_bvn_mismatch' })
  expect(await typesOf(id)).toEqual(['cngn.customer.failed'])
})

conforms('cngn', async () => {
  const [customerId, other] = [await enabledByWorker(merchant), await enabledByWorker(merchant)]
  for (const customer of [customerId, other]) await bankTransfer(merchant, customer, '100000')
  const available = async () => (await reader.call(`GET /v1/cngn/customers/${other}/balance`)).body.data.available
  await expect
    .poll(
      async () => {
        await advance(merchant, 5)
        return available()
      },
      { timeout: 20_000, interval: 200 },
    )
    .toBe('100000')
  expect((await reader.call(`GET /v1/cngn/customers/${customerId}/virtual-account`)).status).toBe(200)
  for (const kind of Object.keys(cngnBodies) as (keyof typeof cngnBodies)[]) {
    const created = await newCngn(merchant, kind, customerId)
    await newCngn(merchant, kind, other)
    const refused = await reader.call(`POST /v1/cngn/${kind}`, { body: { customerId, ...cngnBodies[kind] } })
    expect([kind, refused.status]).toEqual([kind, 403])
    expect((await reader.call(`GET /v1/cngn/${kind}/${created.id}`)).body.data.id).toBe(created.id)
    const { body } = await reader.call(`GET /v1/cngn/${kind}?customerId=${customerId}`)
    const rows: { id: string; customerId: string }[] = body.data[kind]
    expect(rows.map((row) => row.customerId)).toEqual(rows.map(() => customerId))
    expect([rows.length, rows.some(({ id }) => id === created.id)]).toEqual([body.data.total, true])
    expect((await reader.call(`GET /v1/cngn/${kind}`)).body.data.total).toBeGreaterThan(body.data.total)
  }
})

conforms('cngnEvents', async () => {
  const customerId = await enabledByWorker(merchant)
  const arrive = (path: string) => merchant.call(`POST /v1/sandbox/cngn/${path}`, { body: {} })
  const payin = await newCngn(merchant, 'payins', customerId)
  await arrive(`payins/${payin.id}/payments`)
  await until(`payins/${payin.id}`, 'completed')
  const deposit = await newCngn(merchant, 'deposits', customerId)
  await arrive(`deposits/${deposit.id}/deposits`)
  const convert = await newCngn(merchant, 'converts', customerId)
  await arrive(`converts/${convert.id}/deposits`)
  const payout = await newCngn(merchant, 'payouts', customerId)
  const withdrawal = await newCngn(merchant, 'withdrawals', customerId)
  for (const [kind, { id }] of Object.entries({ payin, deposit, convert, payout, withdrawal })) {
    await until(`${kind}s/${id}`, 'completed')
    expect(await typesOf(id)).toEqual([`cngn.${kind}.created`, `cngn.${kind}.updated`, `cngn.${kind}.updated`])
  }
})
