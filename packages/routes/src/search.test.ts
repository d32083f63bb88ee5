import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { advance, connected, type Merchant, newMerchant, newRoute, pay, sync, useService } from '#testing'

const service = useService()

interface Page {
  readonly rows: readonly { readonly id: string; readonly name: string }[]
  readonly total: number | null
  readonly next: string | null
}

const search = async (of: Merchant, body: object): Promise<Page> => {
  const { paymentRoutes: rows, ...page } = (await of.call('POST /v1/payment-routes/search', { body })).body.data
  return { rows, ...page }
}
const names = async (of: Merchant, body: object) => (await search(of, body)).rows.map(({ name }) => name)

/** Copies of a row of the table, each a minute older than the one before. */
async function copy(table: string, id: string, copies: number, unlike: string): Promise<void> {
  const owner = await connected(service)
  await owner.query(
    `insert into ${table} select (jsonb_populate_record(c, jsonb_build_object('id', uuidv7(), ${unlike},
       'created_at', c.created_at - n * interval '1 minute'))).* from ${table} c, generate_series(1, $2::int) n where c.id = $1`,
    [id, copies],
  )
  await owner.end()
}

const OTHER_WALLET = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

test('payment routes are found by words of their name, their deposit address and their id, by their organisation only', async () => {
  const [merchant, other] = await Promise.all([newMerchant(service), newMerchant(service)])
  const route = await newRoute(merchant, { name: 'Treasury, main' })
  await newRoute(merchant, { name: 'Payroll', destinationAddress: OTHER_WALLET })
  await newRoute(other, { name: 'Treasury of another' })
  expect(await names(merchant, {})).toEqual(['Payroll', 'Treasury, main'])
  for (const text of ['MAIN treas', route.id, route.depositAddress, route.depositAddress.toLowerCase()])
    expect(await names(merchant, { text })).toEqual(['Treasury, main'])
  expect(await names(merchant, { text: 'reasury' })).toEqual([])
  expect(await names(other, { text: route.depositAddress })).toEqual([])
})

test('the filters of payment routes leave out what does not fit all of them', async () => {
  const merchant = await newMerchant(service)
  const customer = (await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@merchant.example' } }))
    .body.data
  await newRoute(merchant, { name: 'Ada', customerId: customer.id })
  const deleted = await newRoute(merchant, { name: 'Old', destinationAddress: OTHER_WALLET })
  await merchant.call(`DELETE /v1/payment-routes/${deleted.id}`)
  expect(await names(merchant, { statuses: ['deleted'] })).toEqual(['Old'])
  expect(await names(merchant, { customerId: customer.id })).toEqual(['Ada'])
  expect(await names(merchant, { networks: ['base'], statuses: ['active'] })).toEqual(['Ada'])
  expect(await names(merchant, { networks: ['tron'] })).toEqual([])
  expect(await names(merchant, { currencies: ['USDC'], customerId: customer.id })).toEqual(['Ada'])
  expect(await names(merchant, { currencies: ['EURC'] })).toEqual([])
  expect(await names(merchant, { to: '2026-01-01T00:00:00Z' })).toEqual([])
  for (const wrong of [{ statuses: ['lost'] }, { before: newId() }])
    expect((await merchant.call('POST /v1/payment-routes/search', { body: wrong })).status).toBe(422)
})

test('the routes of checkout sessions are not found, and pages of the others follow each other without a gap or a repetition', async () => {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  const unlike = `'destination_address', 'copy-' || n, 'deposit_address', 'copy-' || n || '-' || c.id`
  await copy('payment_routes', route.id, 20, unlike)
  await copy('payment_routes', route.id, 30, `'hidden', true, 'deposit_address', 'hidden-' || n || '-' || c.id`)
  const found: string[] = []
  let before: string | null = null
  do {
    const page: Page = await search(merchant, { limit: 4, ...(before ? { before } : {}) })
    expect(page.total).toBe(21)
    found.push(...page.rows.map(({ id }) => id))
    before = page.next
  } while (before)
  expect([found.length, new Set(found).size]).toEqual([21, 21])
})

test('how many payment routes there are is read from a counter, not from the routes, and a search that leaves some out counts what it finds', async () => {
  const merchant = await newMerchant(service)
  await newRoute(merchant)
  const owner = await connected(service)
  await owner.query(
    "update record_counts set count = count + 1000 where table_name = 'payment_routes' and organisation_id = $1",
    [merchant.organisationId],
  )
  await owner.end()
  expect((await search(merchant, {})).total).toBe(1001)
  expect((await search(merchant, { to: '2026-01-01T00:00:00Z' })).total).toBe(1000)
  expect((await search(merchant, { networks: ['base'] })).total).toBe(1)
})

test('every deposit of a payment route is reached by pages, however many there are, and those of another route are not among them', async () => {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  const other = await newRoute(merchant, { name: 'Other', destinationAddress: OTHER_WALLET })
  await pay(merchant, route.id, '12.5')
  await pay(merchant, other.id, '1')
  await advance(merchant, 5)
  await sync(merchant, route.id)
  await sync(merchant, other.id)
  const [first] = (await merchant.call(`GET /v1/payment-routes/${route.id}/deposits`)).body.data.deposits
  await copy(
    'payment_route_deposits',
    first.id,
    210,
    `'status', 'pending', 'relay_request_id', n || c.relay_request_id, 'deposit_tx_hash', n || c.deposit_tx_hash`,
  )
  const path = `POST /v1/payment-routes/${route.id}/deposits/search`
  const pages = [(await merchant.call(path, { body: { limit: 200 } })).body.data]
  pages.push((await merchant.call(path, { body: { limit: 200, before: pages[0].next } })).body.data)
  expect(pages[0].deposits[0]).toEqual(first)
  expect(pages.map(({ total }) => total)).toEqual([211, 211])
  expect(pages.map(({ deposits }) => deposits.length)).toEqual([200, 11])
  expect(new Set(pages.flatMap(({ deposits }) => deposits.map(({ id }: { id: string }) => id))).size).toBe(211)
  const failed = (await merchant.call(path, { body: { statuses: ['failed'] } })).body.data
  expect(failed).toEqual({ deposits: [], total: 0, next: null })
  const stranger = await (await newMerchant(service)).call(path, { body: {} })
  expect([stranger.status, stranger.body.message]).toEqual([404, 'Payment route not found'])
})

test('a page that begins after something unknown says which kind of thing was not found', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  for (const [path, thing] of [
    ['/v1/payment-routes/search', 'Payment route'],
    [`/v1/payment-routes/${id}/deposits/search`, 'Deposit'],
  ]) {
    const { status, body } = await merchant.call(`POST ${path}`, { body: { before: 'nothing' } })
    expect([status, body.errors]).toEqual([422, { before: `${thing} not found` }])
  }
})
