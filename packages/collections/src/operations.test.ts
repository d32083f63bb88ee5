import { expect, test } from 'vitest'
import { type Merchant, newCollection, newMerchant, paySession, startSession, useService } from '#testing'
import { eventsOf, settle } from '../test/sessions.ts'

const service = useService()

const patch = (merchant: Merchant, id: string, body: object) => merchant.call(`PATCH /v1/collections/${id}`, { body })

test('a patch changes what it names, merges metadata and the theme, and sends no event', async () => {
  const merchant = await newMerchant(service)
  const link = await newCollection(merchant, { metadata: { a: '1', b: '2' }, embedConfig: { layout: 'inline' } })
  const changed = await patch(merchant, link.id, {
    title: 'New title',
    metadata: { b: null, c: '3' },
    embedConfig: { hideBrandFooter: true },
    maxPayments: 3,
    redirectUrl: 'https://merchant.example/thanks',
    allowedOrigins: ['https://merchant.example', 'https://merchant.example'],
  })
  expect([changed.status, changed.body.data]).toEqual([
    200,
    {
      ...link,
      title: 'New title',
      metadata: { a: '1', c: '3' },
      embedConfig: { layout: 'inline', accentColor: '#1a56db', hideBrandFooter: true },
      maxPayments: 3,
      redirectUrl: 'https://merchant.example/thanks',
      allowedOrigins: ['https://merchant.example'],
      updatedAt: changed.body.data.updatedAt,
    },
  ])
  expect(changed.body.data.updatedAt > link.updatedAt).toBe(true)
  const { body } = await patch(merchant, link.id, {})
  expect(body.data).toEqual(changed.body.data)
  expect(await eventsOf(service, merchant)).toEqual(['link >active'])
})

test.each([
  ['link', { dueAt: '2090-01-01T00:00:00Z' }, { dueAt: 'Only an invoice has a due time' }],
  ['invoice', { dueAt: '2020-01-01T00:00:00Z' }, { dueAt: 'Must be in the future' }],
  ['checkout', { maxPayments: 2 }, { maxPayments: 'Only a link takes several payments' }],
  ['link', { expiresAt: '2020-01-01T00:00:00Z' }, { expiresAt: 'Must be in the future' }],
  ['link', { amount: '7' }, { amount: 'Unrecognized field' }],
  [
    'link',
    { destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
    { destinationAddress: 'Unrecognized field' },
  ],
])('a patch of a %s with wrong fields is refused: %j', async (type, body, errors) => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, { type })
  const refused = await patch(merchant, id, body)
  expect([refused.status, refused.body.errors]).toEqual([422, errors])
})

test('maxPayments cannot be set to what was paid already', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  await paySession(merchant, (await startSession(service, id)).id)
  await settle(service, merchant)
  const refused = await patch(merchant, id, { maxPayments: 1 })
  expect(refused.body.errors).toEqual({ maxPayments: 'Must be greater than 1, the number of payments so far' })
})

test('a deleted collection is final: it is not deleted again, and its times cannot be changed', async () => {
  const merchant = await newMerchant(service)
  for (const [type, end] of [
    ['link', 'inactive'],
    ['invoice', 'void'],
    ['checkout', 'void'],
  ] as const) {
    const { id } = await newCollection(merchant, { type })
    const deleted = await merchant.call(`DELETE /v1/collections/${id}`)
    expect([deleted.status, deleted.body.data.status]).toEqual([200, end])
    expect((await merchant.call(`DELETE /v1/collections/${id}`)).status).toBe(409)
    expect((await patch(merchant, id, { expiresAt: null })).body.message).toBe('Collection can no longer be changed')
    expect((await patch(merchant, id, { metadata: { still: 'mine' } })).status).toBe(200)
  }
})

test('collections and sessions of another organisation or environment are not found', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, { type: 'invoice' })
  const session = await startSession(service, id)
  const others = [
    await newMerchant(service),
    await newMerchant(service, { organisationId: merchant.organisationId, environment: 'live' }),
  ]
  for (const other of others)
    for (const line of [
      `GET /v1/collections/${id}`,
      `GET /v1/collections/${session.id}`,
      `GET /v1/collections/${id}/sessions`,
      `GET /v1/collections/${id}/invoice.pdf`,
      `DELETE /v1/collections/${id}`,
      `POST /v1/collections/${id}/send`,
    ])
      expect([line, (await other.call(line)).status]).toEqual([line, 404])
  expect((await others[0]?.call(`POST /v1/sandbox/checkout-sessions/${session.id}/payments`))?.status).toBe(404)
})

test('the organisation’s policy applies to collections that are created afterwards, and each may override it', async () => {
  const merchant = await newMerchant(service)
  const policyOf = async (given = {}) => (await newCollection(merchant, given)).paymentPolicy
  const standard = { mismatch: 'keep', tolerancePercent: 0.5, graceMinutes: 60 }
  expect((await merchant.call('GET /v1/collections/payment-policy')).body.data).toEqual(standard)
  const before = await newCollection(merchant)
  const changed = await merchant.call('PATCH /v1/collections/payment-policy', { body: { tolerancePercent: 2.25 } })
  expect(changed.body.data).toEqual({ ...standard, tolerancePercent: 2.25 })
  expect(await policyOf()).toEqual({ ...standard, tolerancePercent: 2.25 })
  expect(await policyOf({ paymentPolicy: { graceMinutes: 0 } })).toEqual({
    mismatch: 'keep',
    tolerancePercent: 2.25,
    graceMinutes: 0,
  })
  expect(await policyOf({ paymentPolicy: { mismatch: 'return' } })).toMatchObject({ tolerancePercent: 0 })
  expect((await merchant.call(`GET /v1/collections/${before.id}`)).body.data.paymentPolicy).toEqual(standard)
})

test('lists show the newest first with exact totals, and exports have all', async () => {
  const merchant = await newMerchant(service)
  const first = await newCollection(merchant, { title: '=first' })
  const second = await newCollection(merchant, { type: 'invoice', amount: '7.5' })
  const sessions = [await startSession(service, first.id), await startSession(service, first.id)]
  const { collections, total } = (await merchant.call('GET /v1/collections')).body.data
  expect([total, collections.map(({ id }: { id: string }) => id)]).toEqual([2, [second.id, first.id]])
  const listed = (await merchant.call(`GET /v1/collections/${first.id}/sessions`)).body.data
  expect([listed.total, listed.sessions.map(({ id }: { id: string }) => id)]).toEqual([
    2,
    sessions.map(({ id }) => id).toReversed(),
  ])
  const [head, ...rows] = (await merchant.call('GET /v1/collections/export')).text.trim().split(/\r?\n/)
  expect(head).toMatch(/^id,type,status,number,title,/)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toContain(`${second.id},invoice,open,INV-000001,`)
  expect(rows[1]).toContain("'=first")
  const exported = (await merchant.call('GET /v1/collections/sessions/export')).text.trim().split(/\r?\n/)
  expect(exported).toHaveLength(3)
})

test('a repeated create with one idempotency key is one collection, and one invoice number', async () => {
  const merchant = await newMerchant(service)
  const body = {
    type: 'invoice',
    title: 'Once',
    amount: '10',
    currency: 'USDC',
    destinationChainKey: 'base',
    destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  }
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => merchant.call('POST /v1/collections', { body, key: 'once' })),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect((await newCollection(merchant, { type: 'invoice' })).number).toBe('INV-000002')
})
