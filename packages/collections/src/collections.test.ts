import { expect, onTestFinished, test } from 'vitest'
import { call, newCollection, newMerchant, payPageOf, paySession, startSession, useService } from '#testing'
import { eventsOf, getSession, inOrder, settle } from '../test/sessions.ts'

const service = useService()

test('a payment of exactly the amount pays the session, once, with one transaction', async () => {
  const merchant = await newMerchant(service)
  const link = await newCollection(merchant)
  expect(link).toMatchObject({ status: 'active', amount: '25', paymentsCount: 0, receivedAmount: '0' })
  const session = await startSession(service, link.id)
  expect(session).toMatchObject({
    parentId: link.id,
    status: 'awaiting_payment',
    amount: '25',
    remainingAmount: '25',
    payments: [],
  })
  await paySession(merchant, session.id)
  await settle(service, merchant)
  expect(await getSession(merchant, session.id)).toMatchObject({
    status: 'paid',
    receivedAmount: '25',
    remainingAmount: '0',
    deliveredAmount: '25',
    fees: '0',
    paidOver: false,
    paidLate: false,
    payments: [{ status: 'completed', amount: '25' }],
  })
  expect((await merchant.call(`GET /v1/collections/${link.id}`)).body.data).toMatchObject({
    status: 'active',
    paymentsCount: 1,
    receivedAmount: '25',
  })
  expect((await merchant.call('GET /v1/transactions')).body.data).toMatchObject({
    total: 1,
    transactions: [{ id: session.id, kind: 'collection', status: 'paid', amount: '25 USDC', amountUsd: '25' }],
  })
  expect(await eventsOf(service, merchant)).toEqual([
    'link >active',
    'session >awaiting_payment',
    'session awaiting_payment>processing',
    'session processing>paid',
  ])
  await inOrder(service)
})

test('the pay page shows what a payer may see, and nothing of the merchant’s internals', async () => {
  const merchant = await newMerchant(service)
  const link = await newCollection(merchant, { metadata: { secret: 'order 7' }, redirectUrl: 'https://example.com/ok' })
  const page = await payPageOf(service, link.id)
  expect(Object.keys(page).sort()).toMatchInlineSnapshot(`
    [
      "allowedOrigins",
      "amount",
      "bankTransfer",
      "branding",
      "cancelUrl",
      "currency",
      "description",
      "discount",
      "dueAt",
      "environment",
      "expiresAt",
      "fiatValue",
      "id",
      "items",
      "linkId",
      "linkStatus",
      "merchant",
      "number",
      "payable",
      "paymentOptions",
      "pricing",
      "redirectUrl",
      "refundRequired",
      "serverTime",
      "session",
      "status",
      "subtotal",
      "suspended",
      "tax",
      "theme",
      "timeZone",
      "title",
      "transactionUrl",
      "type",
    ]
  `)
  expect(page).toMatchObject({ payable: true, redirectUrl: null, session: null, amount: '25' })
  expect(JSON.stringify(page)).not.toMatch(/order 7|organisationId/)
  const session = await startSession(service, link.id, { payerEmail: 'payer@example.com' })
  const shown = await payPageOf(service, session.id)
  expect(shown).toMatchObject({ type: 'session', linkId: link.id, session: { id: session.id } })
  expect(JSON.stringify(shown)).not.toContain('payer@example.com')
  const theme = await call(service, `GET /v1/pay/${session.id}/embed-config`)
  expect(theme.body.data).toEqual({
    linkId: link.id,
    embedConfig: { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false },
  })
})

test('on a phone, the page of a live session has links that open it in the browsers of wallets, and the sandbox has none', async () => {
  const merchant = await newMerchant(service)
  const { id: linkId } = await newCollection(merchant)
  const { id } = await startSession(service, linkId, { networkKey: 'polygon' })
  const linksOn = async (userAgent: string) => {
    const reply = await fetch(`${service.url}/pay/${id}`, { headers: { 'user-agent': userAgent } })
    expect(reply.headers.get('vary')).toContain('User-Agent')
    const [, state = ''] = (await reply.text()).match(/id="state">(.*?)<\/script>/) ?? []
    return JSON.parse(state).view.walletLinks as Record<string, string>
  }
  const android = 'Mozilla/5.0 (Linux; Android 16; Pixel 9)'
  expect(await linksOn(android)).toEqual({})
  // Without a live provider no live session can start.
  const move = (environment: 'test' | 'live') =>
    service.runtime.pool.query(
      `with link as (update collections set environment = $3 where id = $1)
       update checkout_sessions set environment = $3 where id = $2`,
      [linkId, id, environment],
    )
  await move('live')
  onTestFinished(async () => {
    await move('test')
  })
  const links = await linksOn(android)
  expect(Object.keys(links)).toEqual(['metamask', 'trust', 'coinbase'])
  expect(decodeURIComponent(links.coinbase ?? '')).toMatch(new RegExp(`=https?://[^/]+/pay/${id}$`))
  expect(await linksOn('Mozilla/5.0 (X11; Linux x86_64)')).toEqual({})
})
