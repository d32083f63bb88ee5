import { bind } from '@payments/kernel'
import { type RoutesProvider, routes, routesProvider } from '@payments/routes'
import { afterAll, expect, test } from 'vitest'
import { type Merchant, newCollection, newMerchant, startMailbox, type TestService, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const [declared] = routes.providers ?? []
// Nothing is paid here: what the sandbox accepts in test stands for a provider in live.
const carrier = new Proxy({} as RoutesProvider, {
  get: (_, property) =>
    // Asked for while the service starts: it tells of no changes.
    property === 'name'
      ? 'carrier'
      : property === 'changes'
        ? undefined
        : Reflect.get(
            declared?.create({ ...service.runtime, db: service.runtime.pool })[0]?.provider as RoutesProvider,
            property,
          ),
})
const service: TestService = useService({
  worker: true,
  live: [bind(routesProvider, 'live', carrier)],
  settings: {
    SMTP_URL: mailbox.url,
    INVOICE_EMAILS_PER_DAY: '3',
    REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  },
})

/** Invoices of one merchant, each to another customer. */
async function invoices(merchant: Merchant, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const body = { name: 'Ada Obi', email: `${merchant.organisationId}-${at}@example.com` }
    const customer = (await merchant.call('POST /v1/customers', { body })).body.data
    ids.push((await newCollection(merchant, { type: 'invoice', customerId: customer.id })).id)
  }
  return ids
}
const received = (merchant: Merchant) =>
  mailbox.emails.filter(({ to }) => to.startsWith(merchant.organisationId)).length

test('a live organisation sends as many emails with invoices in a day as the setting says, also at the same time; others send theirs', async () => {
  const [merchant, other] = [
    await newMerchant(service, { environment: 'live' }),
    await newMerchant(service, { environment: 'live' }),
  ]
  const send = (id: string) => merchant.call(`POST /v1/collections/${id}/send`)
  const ids = await invoices(merchant, 8)
  const replies = await Promise.all(ids.map(send))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(5).fill(429)])
  const refused = replies.find(({ status }) => status === 429)
  expect(refused?.body.message).toBe('Too many emails, please retry later')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(86_000)
  const [id = ''] = await invoices(other, 1)
  expect((await other.call(`POST /v1/collections/${id}/send`)).status).toBe(200)
  await expect.poll(() => received(other), { timeout: 20_000 }).toBe(1)
  expect(received(merchant)).toBe(3)

  await service.runtime.pool.query("update rate_limits set ends_at = now() where bucket = 'invoice-emails'")
  const later = await Promise.all(ids.filter((_, at) => replies[at]?.status === 429).map(send))
  expect(later.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
  await expect.poll(() => received(merchant), { timeout: 20_000 }).toBe(6)
})

test('what is refused counts nothing: an invoice that cannot be sent takes no part of the day', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id: without } = await newCollection(merchant, { type: 'invoice' })
  for (let tries = 0; tries < 5; tries++)
    expect((await merchant.call(`POST /v1/collections/${without}/send`)).status).toBe(409)
  for (const id of await invoices(merchant, 3))
    expect((await merchant.call(`POST /v1/collections/${id}/send`)).status).toBe(200)
})
