import { beforeAll, expect, test } from 'vitest'
import { connected, type Merchant, newMerchant, startSession, useService } from '#testing'

const service = useService()
let merchant: Merchant
let other: Merchant
let customerId: string
/** Ids of the merchant's collections, newest first. */
let ids: string[]

const WALLET = { destinationChainKey: 'base', destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }

const create = async (of: Merchant, body: object) =>
  (await of.call('POST /v1/collections', { body: { currency: 'USDC', amount: '25', ...WALLET, ...body } })).body.data
    .id as string

const search = async (body: object, of = merchant) =>
  (await of.call('POST /v1/collections/search', { body })).body.data as {
    collections: { id: string }[]
    total: number
    next: string | null
  }

/** Numbers, from the newest on, of the collections that are found. */
async function numbers(body: object): Promise<number[]> {
  const { collections, total } = await search(body)
  expect(total).toBe(collections.length)
  return collections.map(({ id }) => ids.indexOf(id))
}

beforeAll(async () => {
  ;[merchant, other] = await Promise.all([newMerchant(service), newMerchant(service)])
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
  customerId = customer.body.data.id
  const bodies = [
    { type: 'link', title: 'Crème brûlée, a box of 6', metadata: { order: 'shop-7f3a', note: 'Blue' } },
    { type: 'link', title: 'Blueberry jam', currency: 'EURC' },
    { type: 'checkout', title: 'Consulting: January', metadata: { order: 'shop-80' } },
    { type: 'invoice', title: 'Consulting in February', customerId },
    { type: 'invoice', title: 'Consulting in March', customerId, dueAt: '2099-01-01T00:00:00Z' },
  ]
  ids = []
  for (const body of bodies) ids.unshift(await create(merchant, body))
  await create(other, { type: 'invoice', title: 'Consulting in February' })
  const owner = await connected(service)
  for (const [index, id] of ids.entries())
    await owner.query('update collections set created_at = $1 where id = $2', [
      new Date(Date.parse('2026-03-10T00:00:00Z') - index * 3_600_000),
      id,
    ])
  await owner.query("update collections set status = 'overdue' where id = $1", [ids[0]])
  await owner.end()
})

test('each filter narrows the collections, several together to what fits all of them, and the total is exact', async () => {
  expect(await numbers({})).toEqual([0, 1, 2, 3, 4])
  expect(await numbers({ types: ['invoice', 'checkout'] })).toEqual([0, 1, 2])
  expect(await numbers({ statuses: ['overdue'] })).toEqual([0])
  expect(await numbers({ statuses: ['open', 'overdue'], types: ['invoice'] })).toEqual([0, 1])
  expect(await numbers({ currencies: ['EURC'] })).toEqual([3])
  expect(await numbers({ customerId })).toEqual([0, 1])
  expect(await numbers({ from: '2026-03-09T22:00:00Z', to: '2026-03-10T00:00:00+00:00' })).toEqual([1, 2])
  expect(await numbers({ customerId, types: ['link'] })).toEqual([])
})

test('amounts find exactly what asks for so much, in the currency in which it asks, and leave out what the payer chooses', async () => {
  const seller = await newMerchant(service)
  const bodies = {
    open: { type: 'link', amount: undefined },
    ten: { type: 'link', amount: '10' },
    tenAndALittle: { type: 'checkout', amount: '10.000001', currency: 'EURC' },
    nearlyEleven: { type: 'link', amount: '10.999999' },
    priced: { type: 'invoice', amount: undefined, pricing: { currency: 'EUR', amount: '10.5' } },
    great: { type: 'link', amount: '900719925474.930001' },
  }
  const names = new Map<string, string>()
  for (const [name, body] of Object.entries(bodies)) names.set(await create(seller, { title: name, ...body }), name)
  const found = async (body: object): Promise<string[]> => {
    const { collections, total } = await search(body, seller)
    expect(total).toBe(collections.length)
    return collections.map(({ id }) => names.get(id) ?? id)
  }
  expect(await found({})).toEqual(Object.keys(bodies).toReversed())
  expect(await found({ amountFrom: '0' })).toEqual(['great', 'priced', 'nearlyEleven', 'tenAndALittle', 'ten'])
  expect(await found({ amountFrom: '10.000000000000000001', amountTo: '10.5' })).toEqual(['priced', 'tenAndALittle'])
  expect(await found({ amountTo: '10.000000999999999999' })).toEqual(['ten'])
  expect(await found({ amountFrom: '900719925474.930001' })).toEqual(['great'])
  expect(await found({ amountFrom: '900719925474.930002' })).toEqual([])
  expect(await found({ amountFrom: '10', amountTo: '11', types: ['link'], currencies: ['USDC'] })).toEqual([
    'nearlyEleven',
    'ten',
  ])
  const wrong = await seller.call('POST /v1/collections/search', { body: { amountFrom: '-1', amountTo: '1e3' } })
  const message = 'Must be a decimal amount as a string, like "12.50"'
  expect([wrong.status, wrong.body.errors]).toEqual([422, { amountFrom: message, amountTo: message }])
})

test('words find the collections whose title or metadata have words that begin so, in any order and letter case', async () => {
  expect(await numbers({ text: 'consult' })).toEqual([0, 1, 2])
  expect(await numbers({ text: 'FEB consulting' })).toEqual([1])
  expect(await numbers({ text: 'blue' })).toEqual([3, 4])
  expect(await numbers({ text: 'crème' })).toEqual([4])
  expect(await numbers({ text: 'shop-7f3a' })).toEqual([4])
  expect(await numbers({ text: 'shop' })).toEqual([2, 4])
  // The name of a value is no word of it.
  expect(await numbers({ text: 'order' })).toEqual([])
  for (const text of ['!', "'", "x' | 'consulting", '& | ! ( ) :* <->', '\\', '%'])
    expect(await numbers({ text })).toEqual([])
})

test('an invoice is found by its number, as it is shown or without its zeros, and any collection by its id or that of a session', async () => {
  for (const text of ['INV-000001', 'inv-1', '000001', '1']) expect(await numbers({ text })).toEqual([1])
  expect(await numbers({ text: ids[2] })).toEqual([2])
  expect(await numbers({ text: ids[4]?.toUpperCase() })).toEqual([4])
  const session = await startSession(service, ids[3] ?? '')
  expect(await numbers({ text: session.id })).toEqual([3])
  expect((await search({ text: ids[2] }, other)).total).toBe(0)
  expect((await search({ text: session.id }, other)).total).toBe(0)
})

test('pages follow each other without a gap or a repetition, and begin after a collection of the organisation alone', async () => {
  for (const filters of [{}, { statuses: ['overdue', 'open', 'active'] }, { amountFrom: '25', amountTo: '25' }]) {
    const found: string[] = []
    let before: string | null = null
    do {
      const page = await search({ ...filters, limit: 2, ...(before ? { before } : {}) })
      expect(page.total).toBe(5)
      found.push(...page.collections.map(({ id }) => id))
      before = page.next
    } while (before)
    expect(found).toEqual(ids)
  }
  for (const before of [ids[0], 'nothing']) {
    const reply = await other.call('POST /v1/collections/search', { body: { before } })
    expect([reply.status, reply.body.errors]).toEqual([422, { before: 'Collection not found' }])
  }
})
