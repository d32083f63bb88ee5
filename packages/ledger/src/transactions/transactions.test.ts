import { type Environment, newId, system } from '@payments/kernel'
import { domainsOf, queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, foundOrganisation, newMerchant, useService } from '#testing'
import { checkLedger } from '../journal/check/check.ts'
import { transactionKinds } from '../model/kinds.ts'
import { listTransactions } from './transactions.ts'

const service = useService()

interface ChangeValues {
  readonly organisationId: string
  readonly environment?: Environment
  readonly id?: string
  readonly kind?: string
  readonly customerId?: string | null
  readonly status?: string
  readonly previousStatus?: string | null
  readonly createdAt?: Date
}

/** Records changes of objects in one unit of work, as `createResource()` and `move()` do. */
async function record(...changes: ChangeValues[]): Promise<void> {
  const [{ organisationId, environment = 'test' }] = changes as [ChangeValues]
  const actor = system(organisationId, environment)
  await unitOfWork({ runtime: service.runtime, actor, log: service.runtime.log }, async (unit) => {
    for (const {
      id = newId(),
      kind = 'swap',
      customerId = null,
      status = 'completed',
      previousStatus = null,
      createdAt = new Date(),
    } of changes) {
      await unit.record({
        organisationId,
        environment,
        type: '',
        resourceId: id,
        status,
        previousStatus,
        data: {},
        createdAt,
        at: createdAt,
        entry: {
          kind,
          customerId,
          destination: 'Solana USDC x',
          amount: '1',
          currency: 'USDC',
          amountUsd: '1',
          receipt: { note: id },
        },
      })
    }
  })
}

const list = (organisationId: string, customerId?: string, environment: Environment = 'test') =>
  listTransactions(queryContext(service.runtime, system(organisationId, environment)), customerId)

test('the list shows the newest 200, newest first, and the total is exact', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const start = Date.now()
  const ids = Array.from({ length: 230 }, () => newId())
  await record(...ids.map((id, n) => ({ organisationId, id, createdAt: new Date(start + n) })))
  const { transactions, total } = await list(organisationId)
  expect(total).toBe(230)
  expect(transactions.map(({ id }) => id)).toEqual(ids.slice(30).reverse())
})

test('an object is listed once, also when it changes several times, even in one unit of work', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const id = newId()
  await record(
    { organisationId, id, status: 'pending' },
    { organisationId, id, status: 'processing', previousStatus: 'pending' },
  )
  await record({ organisationId, id, status: 'completed', previousStatus: 'processing' })
  const { transactions, total } = await list(organisationId)
  expect(total).toBe(1)
  expect(transactions[0]).toMatchObject({ id, status: 'completed', customerId: null, customerName: '' })
})

test('totals are exact while 40 concurrent units of work add transactions, and a failed unit adds none', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await Promise.all(Array.from({ length: 40 }, () => record({ organisationId }, { organisationId })))
  await expect(record({ organisationId }, { organisationId, customerId: newId() })).rejects.toThrow()
  expect((await list(organisationId)).total).toBe(80)
  expect((await checkLedger({ pool: service.runtime.pool, domains: [] })).findings).toEqual([])
})

test('a customer filter shows only transactions of that customer, and a list shows only its organisation and environment', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const customerOf = async (name: string): Promise<string> =>
    (await merchant.call('POST /v1/customers', { body: { name, email: `${name}@example.com` } })).body.data.id
  const [ada, bola] = [await customerOf('Ada'), await customerOf('Bola')]
  await record({ organisationId, customerId: ada }, { organisationId, customerId: bola }, { organisationId })
  await record({ organisationId, environment: 'live' })
  await record({ organisationId: await foundOrganisation(service.runtime) })

  const all = await merchant.call('GET /v1/transactions')
  expect(all.body.data.total).toBe(3)
  const filtered = await merchant.call(`GET /v1/transactions?customerId=${ada}`)
  expect(filtered.body).toMatchObject({
    status: 'success',
    data: { total: 1, transactions: [{ customerId: ada, customerName: 'Ada', receipt: { note: expect.any(String) } }] },
  })
  const inUpperCase = await merchant.call(`GET /v1/transactions?customerId=${ada.toUpperCase()}`)
  expect(inUpperCase.body.data).toEqual(filtered.body.data)
  expect((await merchant.call(`GET /v1/transactions?customerId=${newId()}`)).body.data).toEqual({
    transactions: [],
    total: 0,
  })
  expect((await merchant.call('GET /v1/transactions?customerId=nobody')).body).toMatchObject({
    message: 'Validation failed',
    errors: { customerId: 'Must be a UUID' },
  })
  expect((await list(organisationId, undefined, 'live')).total).toBe(1)
})

test('every kind of the specification can be listed', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await record(...transactionKinds.map((kind) => ({ organisationId, kind })))
  const { transactions } = await list(organisationId)
  expect(transactions.map(({ kind }) => kind).sort()).toEqual([...transactionKinds].sort())
})

test('the OpenAPI document contains every declared receipt, and its kind is one of the specification', async () => {
  const { body } = await call(service, 'GET /v1/openapi.json')
  const declared = domainsOf(service.runtime).flatMap(({ money }) => Object.entries(money?.receipts ?? {}))
  expect(declared.length).toBeGreaterThan(0)
  const documented = JSON.stringify(body.components.schemas.Receipt.anyOf)
  for (const [kind, { schema }] of declared) {
    expect(transactionKinds).toContain(kind)
    expect(documented).toContain(`#/components/schemas/${schema.meta()?.id}`)
    expect(body.components.schemas[schema.meta()?.id ?? '']).toMatchObject({ type: 'object' })
  }
})

test('each transaction is found by its id, as the list shows it, by its organisation and environment only', async () => {
  const merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
  await record({ organisationId: merchant.organisationId, customerId: customer.body.data.id })
  const [listed] = (await merchant.call('GET /v1/transactions')).body.data.transactions
  const found = await merchant.call(`GET /v1/transactions/${listed.id}`)
  expect([found.status, found.body.data]).toEqual([200, listed])
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  for (const [caller, id] of [
    [live, listed.id],
    [await newMerchant(service), listed.id],
    [merchant, newId()],
    [merchant, 'export.csv'],
  ] as const) {
    const { status, body } = await caller.call(`GET /v1/transactions/${id}`)
    expect([status, body.message]).toEqual([404, 'Transaction not found'])
  }
})
