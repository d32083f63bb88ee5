import { beforeAll, expect } from 'vitest'
import {
  act,
  advance,
  call,
  createKeyFor,
  launchArtefact,
  type Merchant,
  newCollection,
  newCollectionBody,
  newMerchant,
  payPageOf,
  paySession,
  startSession,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

const service = useArtefact()
let reader: Merchant
let writer: Merchant
let powerless: Merchant
beforeAll(async () => {
  writer = await newMerchant(service, { scopes: ['api:write'] })
  const { organisationId } = writer
  reader = await newMerchant(service, { scopes: ['api:read'], organisationId })
  powerless = await newMerchant(service, { scopes: [], organisationId })
})

const START = { action: 'start', networkKey: 'ethereum', currency: 'USDC' }
const refusal = async (of: Merchant, line: string, body?: object) => {
  const answer = await of.call(line, { body })
  return [answer.status, answer.body.message]
}

conforms('getCollections', async () => {
  const { id } = await newCollection(writer)
  const { collections, total } = (await reader.call('GET /v1/collections')).body.data
  expect(total).toBe(collections.length)
  expect(collections.map((collection: { id: string }) => collection.id)).toContain(id)
  expect(await refusal(powerless, 'GET /v1/collections')).toEqual([403, 'Missing required scopes: api:read'])
})

conforms('postCollections', async () => {
  const created = await writer.call('POST /v1/collections', { body: newCollectionBody() })
  expect([created.status, created.body.message]).toEqual([201, 'Collection created'])
  const shown = await reader.call(`GET /v1/collections/${created.body.data.id}`)
  expect(shown.body.data).toEqual(created.body.data)
  const refused = await refusal(reader, 'POST /v1/collections', newCollectionBody())
  expect(refused).toEqual([403, 'Missing required scopes: api:write'])
})

conforms('getPay', async () => {
  const { id } = await newCollection(writer)
  const shown = await call(service, `GET /v1/pay/${id}`)
  expect([shown.status, shown.body.status, shown.body.data.id]).toEqual([200, 'success', id])
  expect(shown.body.data).toMatchObject({ title: 'Consulting in January', amount: '25', currency: 'USDC' })
})

conforms('postPay', async () => {
  const { id } = await newCollection(writer)
  const started = await act(service, id, START)
  expect([started.status, started.body.data.status]).toEqual([200, 'awaiting_payment'])
  const cancelled = await act(service, started.body.data.id, { action: 'cancel' })
  expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled'])
})

conforms('payIdentifiers', async () => {
  for (const type of ['link', 'invoice', 'checkout']) {
    const { id } = await newCollection(writer, { type })
    const session = await startSession(service, id)
    for (const each of [id, session.id]) {
      expect((await payPageOf(service, each)).linkId).toBe(id)
      expect((await reader.call(`GET /v1/collections/${each}`)).body.data.id).toBe(each)
    }
  }
})

conforms('embedTheme', async () => {
  const theme = { layout: 'inline', accentColor: '#00aa55', hideBrandFooter: true }
  const { id } = await newCollection(writer, { embedConfig: theme })
  const session = await startSession(service, id)
  for (const each of [id, session.id])
    expect((await call(service, `GET /v1/pay/${each}/embed-config`)).body.data).toEqual({
      linkId: id,
      embedConfig: theme,
    })
})

conforms('embedConfigPublic', async () => {
  const { id } = await newCollection(writer)
  expect((await call(service, `GET /v1/pay/${id}/embed-config`)).status).toBe(200)
})

conforms('publishable', async () => {
  const { id } = await newCollection(writer)
  const token = await createKeyFor(service.runtime, {
    organisationId: writer.organisationId,
    environment: 'test',
    scopes: ['collections:read'],
    type: 'publishable',
  })
  expect(token).toMatch(/^svc_pk_/)
  expect((await call(service, `GET /v1/pay/${id}`, { token })).status).toBe(200)
  for (const line of [`POST /v1/pay/${id}`, 'POST /v1/collections', `DELETE /v1/collections/${id}`]) {
    const refused = await call(service, line, { token, ...(line.startsWith('POST') ? { body: START } : {}) })
    expect([line, refused.status, refused.body.message]).toEqual([line, 403, 'Missing required scopes: api:write'])
  }
})

conforms(
  'collectionEvents',
  async () => {
    const own = await launchArtefact()
    try {
      const of = await newMerchant(own)
      const expiresAt = new Date(Date.now() + 600_000).toISOString()
      const { id } = await newCollection(of, { type: 'checkout', expiresAt })
      await advance(of, 700)
      for (let tries = 0; tries < 400 && (await payPageOf(own, id)).status !== 'expired'; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50))
      const { events } = (await of.call('GET /v1/events')).body.data
      expect(
        events
          .toReversed()
          .map(({ type, data }: { type: string; data: Record<string, unknown> }) => [
            type,
            data.previousStatus,
            data.status,
          ]),
      ).toEqual([
        ['collection.created', null, 'open'],
        ['collection.updated', 'open', 'expired'],
      ])
    } finally {
      await own.stop()
    }
  },
  60_000,
)

conforms(
  'collectionTransaction',
  async () => {
    const own = await launchArtefact()
    try {
      const of = await newMerchant(own)
      const session = await startSession(own, (await newCollection(of)).id)
      await paySession(of, session.id)
      await advance(of, 3)
      const statusOf = async () => (await payPageOf(own, session.id)).status
      for (let tries = 0; tries < 400 && (await statusOf()) !== 'paid'; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50))
      const { transactions, total } = (await of.call('GET /v1/transactions')).body.data
      expect(total).toBe(1)
      expect(transactions[0]).toMatchObject({ id: session.id, kind: 'collection', status: 'paid', amount: '25 USDC' })
    } finally {
      await own.stop()
    }
  },
  60_000,
)
