import { newId } from '@payments/kernel'
import { beforeAll, expect, test } from 'vitest'
import { connected, type Merchant, newMerchant, signedIn, useService } from '#testing'
import { record } from '../../test/record.ts'

const service = useService({ worker: true })
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const HASH = `0x${'9c2d0e5a'.repeat(8)}`

let merchant: Merchant
/** Ids of its transactions, newest first. */
let ids: readonly string[]

interface Row {
  readonly kind?: string
  readonly status?: string
  readonly amount?: string
  readonly network?: string
  readonly customerId?: string | null
  readonly destination?: string
}

/** Transactions of which each is a minute older than the one before. */
async function insert(
  of: Merchant,
  rows: readonly Row[],
  newest = Date.parse('2026-03-10T00:30:00Z'),
): Promise<string[]> {
  const owner = await connected(service)
  const made: string[] = []
  for (const [index, row] of rows.entries()) {
    const id = newId()
    made.push(id)
    await owner.query(
      `insert into transactions (id, organisation_id, environment, kind, status, customer_id, destination, amount, currency, receipt, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now())`,
      [
        ...[
          id,
          of.organisationId,
          of.environment,
          row.kind ?? 'swap',
          row.status ?? 'completed',
          row.customerId ?? null,
        ],
        ...[row.destination ?? `Base USDC ${WALLET}`, ...(row.amount ?? '12.5 USDC').split(' ')],
        ...[{ origin: { network: row.network ?? 'base' } }, new Date(newest - index * 60_000)],
      ],
    )
  }
  await owner.end()
  return made
}

const search = async (of: Merchant, body: object) =>
  (await of.call('POST /v1/transactions/search', { body })).body.data as {
    transactions: { id: string }[]
    total: number
    next: string | null
  }

/** Numbers, from the newest on, of the transactions that are found. */
async function numbers(body: object): Promise<number[]> {
  const { transactions, total } = await search(merchant, body)
  expect(total).toBe(transactions.length)
  return transactions.map(({ id }) => ids.indexOf(id))
}

beforeAll(async () => {
  merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'Ada@Example.com' } })
  ids = await insert(merchant, [
    { kind: 'collection', status: 'paid', amount: '100 USDC' },
    { kind: 'collection', status: 'failed', amount: '9.99 EURC', network: 'solana' },
    { kind: 'swap', amount: '0.000001 USDC', customerId: customer.body.data.id },
    { kind: 'offramp', status: 'delivered', amount: '1500000 NGN', destination: 'Access Bank ••••6789' },
    ...Array.from({ length: 60 }, () => ({ kind: 'onramp', status: 'expired', amount: '5 NGN', network: 'polygon' })),
  ])
})

test('each filter narrows the list, several together to what fits all of them, and the total is exact', async () => {
  expect(await numbers({ kinds: ['collection'] })).toEqual([0, 1])
  expect(await numbers({ kinds: ['collection', 'swap'], statuses: ['paid', 'completed'] })).toEqual([0, 2])
  expect(await numbers({ assets: ['EURC'] })).toEqual([1])
  expect(await numbers({ networks: ['solana'] })).toEqual([1])
  expect(await numbers({ amountFrom: '0.000001', amountTo: '99.99', assets: ['USDC'] })).toEqual([2])
  expect(await numbers({ amountFrom: '100', amountTo: '1500000.0' })).toEqual([0, 3])
  expect(await numbers({ from: '2026-03-10T00:29:00Z' })).toEqual([0, 1])
  expect(await numbers({ from: '2026-03-10T00:28:00+00:00', to: '2026-03-10T00:30:00Z' })).toEqual([1, 2])
  expect(await numbers({ kinds: ['offramp'], networks: ['solana'] })).toEqual([])
  // Half an hour after midnight: the day before has the rest.
  const yesterday = { to: '2026-03-10T00:00:00Z', limit: 200 }
  expect(await numbers({ ...yesterday, kinds: ['onramp'] })).toEqual(await numbers(yesterday))
  const all = await search(merchant, {})
  expect([all.total, all.transactions.length]).toEqual([64, 50])
})

test('a transaction is found by its amount and asset however it is written: negative, not known yet, and of a token with spaces', async () => {
  const of = await newMerchant(service)
  const [owed, unknown, token, small] = [newId(), newId(), newId(), newId()]
  await record(service.runtime, of, [
    { id: owed, amount: '-0.075 USDC' },
    { id: unknown, amount: 'USDC' },
    { id: token, amount: '5 Wrapped Ether 2.0' },
    { id: small, amount: '0.000000000000000001 ETH' },
  ])
  const found = async (body: object) => (await search(of, body)).transactions.map(({ id }) => id).toSorted()
  expect(await found({ assets: ['USDC'] })).toEqual([owed, unknown].toSorted())
  expect(await found({ assets: ['USDC'], amountTo: '1' })).toEqual([owed, unknown].toSorted())
  expect(await found({ amountFrom: '0', amountTo: '0.1' })).toEqual([unknown, small].toSorted())
  expect(await found({ assets: ['Wrapped Ether 2.0'], amountFrom: '5' })).toEqual([token])
  const { transactions } = (await of.call('GET /v1/transactions')).body.data
  expect(
    Object.fromEntries(transactions.map((each: { id: string; amount: string }) => [each.id, each.amount])),
  ).toEqual({
    [owed]: '-0.075 USDC',
    [unknown]: '0 USDC',
    [token]: '5 Wrapped Ether 2.0',
    [small]: '0.000000000000000001 ETH',
  })
})

test('pages follow each other without a gap or a repetition, with and without filters, over the end of a day', async () => {
  const every = { statuses: ['expired', 'paid', 'failed', 'completed', 'delivered'] }
  for (const filters of [{}, every, { ...every, networks: ['base', 'solana', 'polygon'] }, { amountFrom: '0' }]) {
    const found: string[] = []
    let before: string | null = null
    do {
      const page = await search(merchant, { ...filters, limit: 7, ...(before ? { before } : {}) })
      expect(page.total).toBe(64)
      found.push(...page.transactions.map(({ id }) => id))
      before = page.next
    } while (before)
    expect(found).toEqual(ids)
  }
})

test('what is rare is found on the few days that have it', async () => {
  const rare = await newMerchant(service)
  const days = ['2025-01-05', '2025-06-01', '2026-02-28'].map((day) => Date.parse(`${day}T12:00:00Z`))
  const made: string[] = []
  for (const day of days)
    made.unshift(...(await insert(rare, [{ status: 'failed' }, { status: 'completed' }, { status: 'failed' }], day)))
  const failed = made.filter((_id, index) => index % 3 !== 1)
  const first = await search(rare, { statuses: ['failed'], limit: 3 })
  const rest = await search(rare, { statuses: ['failed'], limit: 10, before: first.next })
  expect([first.total, rest.total, rest.next]).toEqual([6, 6, null])
  expect([...first.transactions, ...rest.transactions].map(({ id }) => id)).toEqual(failed)
})

test('a text finds transactions by id, address, customer and email address, in full and whatever the case', async () => {
  const customerId = (await search(merchant, { text: ids[2] })).transactions.map(
    (each) => (each as { customerId?: string }).customerId,
  )[0]
  expect(await numbers({ text: ids[3]?.toUpperCase() })).toEqual([3])
  expect(await numbers({ text: 'ada@example.com' })).toEqual([2])
  expect(await numbers({ text: ` ${customerId} ` })).toEqual([2])
  expect(await numbers({ text: 'ada@example.com', kinds: ['offramp'] })).toEqual([])
  expect(await numbers({ text: 'ada@example' })).toEqual([])
  expect((await search(merchant, { text: WALLET })).total).toBe(63)
  expect((await search(merchant, { text: `${WALLET.slice(0, -1)}%` })).total).toBe(0)
})

test('a payment is found by its payer, its deposit address and its link; a deposit by its hash and its route', async () => {
  const own = await newMerchant(service)
  const link = await own.call('POST /v1/collections', {
    body: {
      type: 'link',
      title: 'Order',
      amount: '20',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: WALLET,
    },
  })
  const { id } = link.body.data
  const [option] = link.body.data.paymentOptions
  const started = await own.call(`POST /v1/pay/${id}`, {
    body: {
      action: 'start',
      networkKey: option.networkKey,
      currency: option.currency,
      payerEmail: 'payer@example.com',
    },
  })
  const session = started.body.data
  await own.call(`POST /v1/sandbox/checkout-sessions/${session.id}/payments`, { body: {} })
  const route = await own.call('POST /v1/payment-routes', {
    body: {
      name: 'Route',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: WALLET,
    },
  })
  const deposit = await own.call(`POST /v1/sandbox/payment-routes/${route.body.data.id}/deposits`, {
    body: { amount: '7' },
  })
  expect(deposit.status).toBe(201)
  const found = async (text: string) => (await search(own, { text })).transactions.map(({ id: each }) => each)
  await expect.poll(() => found('payer@example.com'), { timeout: 15_000 }).toEqual([session.id])
  expect(await found(session.depositAddress)).toEqual([session.id])
  expect(await found(id)).toEqual([session.id])
  await expect.poll(() => found(route.body.data.id), { timeout: 15_000 }).toHaveLength(1)
  const [depositId = ''] = await found(route.body.data.id)
  const { depositTxHash } = (await own.call(`GET /v1/payment-routes/deposits/${depositId}`)).body.data
  expect(await found(depositTxHash)).toEqual([depositId])
  expect(await found(route.body.data.depositAddress)).toEqual([depositId])
  expect(await found(HASH)).toEqual([])
  // What others look for is not found.
  for (const text of ['payer@example.com', session.id, id, depositTxHash, session.depositAddress])
    expect((await search(await newMerchant(service), { text })).total).toBe(0)
  const live = await newMerchant(service, { environment: 'live', organisationId: own.organisationId })
  expect((await search(live, { text: session.id })).total).toBe(0)
})

test('what cannot be a filter is an error of its field', async () => {
  const { status, body } = await merchant.call('POST /v1/transactions/search', {
    body: { kinds: ['gift'], amountFrom: '-1', from: 'yesterday', limit: 500, text: ' ', sort: 'amount' },
  })
  expect([status, Object.keys(body.errors).sort()]).toEqual([
    422,
    ['amountFrom', 'from', 'kinds.0', 'limit', 'sort', 'text'],
  ])
  for (const before of [newId(), 'nothing', (await insert(await newMerchant(service), [{}]))[0]]) {
    const refused = await merchant.call('POST /v1/transactions/search', { body: { before } })
    expect([refused.status, refused.body.errors]).toEqual([422, { before: 'Transaction not found' }])
  }
})

test('with an API key a search has an Idempotency-Key, as every request that is not a GET, and one that is repeated answers as it did', async () => {
  const own = await newMerchant(service)
  const find = (key: string | null) => own.call('POST /v1/transactions/search', { key, body: {} })
  const { status, body } = await find(null)
  expect([status, body.message]).toEqual([400, 'Idempotency-Key header is required for mutating API requests'])
  const first = await find('search-1')
  await insert(own, [{}])
  const [again, other] = [await find('search-1'), await find('search-2')]
  expect([first.body.data.total, again.body.data.total, other.body.data.total]).toEqual([0, 0, 1])
  expect([again.headers.get('idempotent-replayed'), other.headers.get('idempotent-replayed')]).toEqual(['true', null])
})

test('an export has exactly what a search finds, with the columns that are chosen, in the time zone, for sessions alone', async () => {
  const { accessToken: token } = await signedIn(service.runtime, {
    organisationId: merchant.organisationId,
    role: 'member',
  })
  const { status, text } = await merchant.call('POST /v1/transactions/export', {
    ...{ token, key: null },
    body: { kinds: ['collection', 'swap'], columns: ['amount', 'createdAt'], timeZone: 'Africa/Lagos' },
  })
  expect([status, text.trimEnd().split('\r\n')]).toEqual([
    200,
    [
      'amount,createdAt',
      '100 USDC,2026-03-10T01:30:00.000+01:00',
      '9.99 EURC,2026-03-10T01:29:00.000+01:00',
      '0.000001 USDC,2026-03-10T01:28:00.000+01:00',
    ],
  ])
  const all = await merchant.call('POST /v1/transactions/export', {
    token,
    key: null,
    body: { text: 'ada@example.com' },
  })
  expect(all.text.trimEnd().split('\r\n')).toHaveLength(2)
  const wrong = await merchant.call('POST /v1/transactions/export', {
    token,
    key: null,
    body: { columns: ['receipt'] },
  })
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['columns.0']])
  const refused = await merchant.call('POST /v1/transactions/export', { body: {} })
  expect([refused.status, refused.body.message]).toEqual([403, 'Dashboard session required'])
})

test('a dashboard session searches too, and no caller without a credential', async () => {
  const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'member' })
  const found = await merchant.call('POST /v1/transactions/search', {
    token: accessToken,
    key: null,
    body: { kinds: ['swap'] },
  })
  expect(found.body.data.total).toBe(1)
  expect((await merchant.call('POST /v1/transactions/search', { token: null, key: null, body: {} })).status).toBe(401)
})
