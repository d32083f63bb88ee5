import { expect, test } from 'vitest'
import {
  call,
  connected,
  type Merchant,
  newCollection,
  newMerchant,
  newOfframp,
  newRoute,
  pay,
  paySession,
  startSession,
  sync,
  useService,
} from '#testing'
import { operator, ops } from '../../test/operators.ts'

const service = useService()

interface Result {
  readonly resource: string
  readonly id: string
  readonly title: string
  readonly subtitle: string
  readonly amount: string | null
}
const search = async (merchant: Merchant, text: string, limit = 10) => {
  const { status, body } = await merchant.call('POST /v1/search', { body: { text, limit } })
  expect([text, status]).toEqual([text, 200])
  return body.data as { results: Result[]; total: number | null }
}
const found = async (merchant: Merchant, text: string) =>
  (await search(merchant, text)).results.map(({ resource, id }) => `${resource} ${id}`)

test('one search finds everything of an organisation by what people know of it, and nothing of another', async () => {
  const [merchant, stranger] = await Promise.all([newMerchant(service), newMerchant(service)])
  const customer = (
    await merchant.call('POST /v1/customers', { body: { name: 'Ọlá Adébáyọ̀', email: 'ola@merchant.example' } })
  ).body.data
  const invoice = await newCollection(merchant, { type: 'invoice', title: 'Crème brûlée', amount: '1250.5' })
  const session = await startSession(service, invoice.id, { payerEmail: 'payer@merchant.example' })
  await paySession(merchant, session.id)
  await service.runtime.pool.query(
    "update sandbox_relay_requests set settles_at = date_trunc('milliseconds', now()) where address = $1",
    [session.depositAddress],
  )
  await ops(service, await operator(service), `POST checkout-sessions/${session.id}/sync`)
  const { payments } = (await merchant.call(`GET /v1/collections/${session.id}`)).body.data
  const hash = payments[0].txHash as string
  const offramp = await newOfframp(merchant, { amount: '25', reference: 'payroll-7' })
  const route = await newRoute(merchant)
  const [paid, sold, order] = [`checkout_session ${session.id}`, `collection ${invoice.id}`, `offramp ${offramp.id}`]
  const expected: readonly (readonly [text: string, ids: readonly string[]])[] = [
    ['ola', [`customer ${customer.id}`]],
    ['OLÁ ADE', [`customer ${customer.id}`]],
    ['ola@merchant.example', [`customer ${customer.id}`]],
    ['creme bru', [sold]],
    ['INV-000001', [sold]],
    ['inv-1', [sold]],
    ['1,250.50', [sold]],
    ['1250.5 USDC', [sold]],
    [hash, [paid]],
    [hash.slice(2), [paid]],
    [hash.toUpperCase().replace('0X', '0x'), [paid]],
    [`https://explorer.test/tx/${hash}`, [paid]],
    [session.depositAddress, [paid]],
    [session.depositAddress.toLowerCase(), [paid]],
    [`https://explorer.test/address/${session.depositAddress}#tokentxns`, [paid]],
    ['payer@merchant.example', [paid]],
    [session.id, [paid]],
    [`https://pay.example/pay/${session.id}`, [paid]],
    [`ofr_${offramp.id.replaceAll('-', '')}`, [order]],
    ['payroll-7', [order]],
    [route.depositAddress, [`payment_route ${route.id}`]],
    ['nothing at all', []],
    ['%', []],
  ]
  for (const [text, ids] of expected) {
    expect([text, await found(merchant, text)]).toEqual([text, ids])
    expect([text, await found(stranger, text)]).toEqual([text, []])
  }
  const [shown] = (await search(merchant, 'creme')).results
  expect(shown).toMatchObject({ title: 'Crème brûlée', subtitle: 'INV-000001', amount: '1,250.5 USDC' })
  const [owed] = (await search(merchant, 'payroll-7')).results
  expect(owed?.amount).toBe('25 USDC')
  const live = await newMerchant(service, { organisationId: merchant.organisationId, environment: 'live' })
  expect(await found(live, 'ola')).toEqual([])
})

test('deposits of payment routes are found by their transaction, and the hidden ones of checkout sessions are not', async () => {
  const merchant = await newMerchant(service)
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '12.5')
  await sync(merchant, route.id)
  const { deposits } = (await merchant.call('GET /v1/payment-routes/deposits')).body.data
  expect(await found(merchant, deposits[0].depositTxHash)).toEqual([`payment_route_deposit ${deposits[0].id}`])
})

test('a search needs a credential and a text, and takes at most 50 of each kind', async () => {
  const merchant = await newMerchant(service)
  expect((await call(service, 'POST /v1/search', { body: { text: 'ada' } })).status).toBe(401)
  for (const body of [{}, { text: ' ' }, { text: 'ada', limit: 51 }, { text: 'ada', more: 1 }])
    expect((await merchant.call('POST /v1/search', { body })).status).toBe(422)
})

test('of a common word the newest are found, and their number is not counted', async () => {
  const merchant = await newMerchant(service)
  const first = (await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@merchant.example' } }))
    .body.data.id
  const owner = await connected(service)
  await owner.query(
    `insert into customers select (jsonb_populate_record(c, jsonb_build_object('id', uuidv7(), 'email', n || c.email))).*
       from customers c, generate_series(1, 10001) n where c.id = $1`,
    [first],
  )
  await owner.end()
  const { results, total } = await search(merchant, 'ada', 5)
  expect([results.length, total]).toEqual([5, null])
})
