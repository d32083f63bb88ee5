import { newId } from '@payments/kernel'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import {
  call,
  connected,
  createKeyFor,
  endAll,
  type Merchant,
  newMerchant,
  signedIn,
  startProcess,
  useService,
} from '#testing'

const service = useService({ worker: true })
const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'

interface Received {
  readonly id: string
  readonly type: string
  readonly data: { id: string; type: string; data: { id: string } }
}
const open = new Set<{ close(): void }>()
afterEach(() => {
  for (const stream of open) stream.close()
  open.clear()
})

/** Opens a stream. `received` grows with it. */
async function watch(
  { key }: Merchant,
  query = '',
  { url = service.url, lastEventId }: { url?: string; lastEventId?: string } = {},
) {
  const stop = new AbortController()
  const reply = await fetch(`${url}/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
    signal: stop.signal,
  })
  const received: Received[] = []
  const positions: string[] = []
  const read = async () => {
    let text = ''
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const messages = `${text}${chunk}`.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const field = (name: string) => message.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? ''
        if (field('id')) positions.push(field('id'))
        if (field('data')) received.push({ id: field('id'), type: field('event'), data: JSON.parse(field('data')) })
      }
    }
  }
  const reading = reply.status === 200 ? read().catch(() => undefined) : Promise.resolve()
  const stream = { reply, received, positions, close: () => stop.abort(), ended: reading }
  open.add(stream)
  return stream
}
type Stream = Awaited<ReturnType<typeof watch>>
const types = ({ received }: Stream) => received.map(({ type }) => type)
const objects = ({ received }: Stream) => received.map(({ data }) => data.data.id)

const create = async (merchant: Merchant): Promise<string> =>
  (
    await merchant.call('POST /v1/swaps', {
      body: {
        fromCurrency: 'EURC',
        toCurrency: 'USDC',
        amount: '100',
        destinationAddress: WALLET,
      },
    })
  ).body.data.id
const cancel = (merchant: Merchant, id: string) => merchant.call(`POST /v1/swaps/${id}/cancel`)

/** Waits until every event of the merchant is fanned out. */
const fannedOut = ({ organisationId }: Merchant) =>
  expect
    .poll(
      async () => {
        const { rows } = await service.runtime.pool.query(
          'select bool_and(drained_at is not null) as done from events where organisation_id = $1',
          [organisationId],
        )
        return rows[0].done
      },
      { timeout: 10_000 },
    )
    .toBe(true)

test('a stream has every event of its tenant from its beginning on, as it is delivered, and nothing of others', async () => {
  const [merchant, other] = [await newMerchant(service), await newMerchant(service)]
  const before = await create(merchant)
  await fannedOut(merchant)
  const first = await watch(merchant, `?after=${(await merchant.call('GET /v1/events')).body.data.events[0].id}`)
  expect(first.reply.headers.get('content-type')).toMatch('text/event-stream')
  const now = await watch(merchant)
  const [id] = [await create(merchant), await create(other)]
  await cancel(merchant, id)
  await expect.poll(() => types(now), { timeout: 10_000 }).toEqual(['swap.created', 'swap.updated'])
  expect(objects(now)).toEqual([id, id])
  expect(objects(first)).not.toContain(before)
  const [created] = now.received
  expect((await merchant.call(`GET /v1/events/${created?.id}`)).body.data).toEqual(created?.data)
})

test('filters leave out other types and other objects', async () => {
  const merchant = await newMerchant(service)
  const [one, two] = [await create(merchant), await create(merchant)]
  await fannedOut(merchant)
  const ofType = await watch(merchant, '?types=swap.updated,payment_route.updated')
  const ofObject = await watch(merchant, `?resourceId=${two}`)
  await cancel(merchant, one)
  await cancel(merchant, two)
  await expect.poll(() => types(ofType), { timeout: 10_000 }).toEqual(['swap.updated', 'swap.updated'])
  await expect.poll(() => objects(ofObject)).toEqual([two])
})

test('once its key is revoked a stream gets no event, and ends within seconds', async () => {
  const merchant = await newMerchant(service)
  const stream = await watch(merchant)
  const session = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  const given = { token: session.accessToken, key: null }
  const { apiKeys } = (await call(service, 'GET /v1/api-keys', given)).body.data
  const kept = await createKeyFor(service.runtime, { ...merchant, environment: 'test', scopes: ['api:write'] })
  expect((await call(service, `DELETE /v1/api-keys/${apiKeys[0].id}`, given)).status).toBe(200)
  const body = { fromCurrency: 'EURC', toCurrency: 'USDC', amount: '100', destinationAddress: WALLET }
  expect((await call(service, 'POST /v1/swaps', { token: kept, body })).status).toBe(201)
  await fannedOut(merchant)
  await stream.ended
  expect(types(stream)).toEqual([])
})

/** Inserts an event in a transaction that is still open. */
async function insertEvent(connection: Awaited<ReturnType<typeof connected>>, { organisationId }: Merchant) {
  const [id, resourceId] = [newId(), newId()]
  await connection.query('begin')
  await connection.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at)
     values ($1, $2, 'test', 'swap.created', $3, $4, now())`,
    [id, organisationId, resourceId, JSON.stringify({ id, type: 'swap.created', data: { id: resourceId } })],
  )
  return id
}

test('a client that comes back with the last id gets each event after it, also of transactions that committed out of order', async () => {
  const merchant = await newMerchant(service)
  const stream = await watch(merchant)
  const slow = await connected(service)
  onTestFinished(() => slow.end())
  // Its id and its time are earlier, and it commits later.
  const early = await insertEvent(slow, merchant)
  await create(merchant)
  await expect.poll(() => types(stream), { timeout: 10_000 }).toEqual(['swap.created'])
  const last = stream.received.at(-1)?.id
  stream.close()
  await stream.ended
  await slow.query('commit')
  const id = await create(merchant)
  const again = await watch(merchant, '', { lastEventId: last ?? '' })
  await expect.poll(() => again.received.length, { timeout: 10_000 }).toBe(2)
  expect(again.received.map((each) => each.id)).toContain(early)
  expect(objects(again)).toContain(id)
})

test('an event that a process of the last release has fanned out is in the stream', async () => {
  const merchant = await newMerchant(service)
  const stream = await watch(merchant)
  const old = await connected(service)
  onTestFinished(() => old.end())
  const id = await insertEvent(old, merchant)
  await old.query('update events set drained_at = now() where id = $1', [id])
  await old.query('commit')
  await expect.poll(() => stream.received.map((each) => each.id), { timeout: 10_000 }).toEqual([id])
})

test('an id that is not kept, or another organisation’s, is refused', async () => {
  const [merchant, other] = [await newMerchant(service), await newMerchant(service)]
  await create(other)
  await fannedOut(other)
  const foreign = (await other.call('GET /v1/events')).body.data.events[0].id
  for (const after of [foreign, newId(), 'text'])
    expect((await watch(merchant, `?after=${after}`)).reply.status).toBe(404)
  expect((await watch(merchant, '?resourceId=text')).reply.status).toBe(422)
})

test('ten streams of an environment are open at most, over all processes, and one that is closed makes room', {
  timeout: 120_000,
}, async () => {
  const merchant = await newMerchant(service)
  const second = await startProcess(service)
  onTestFinished(() => endAll(second))
  const urls = Array.from({ length: 12 }, (_, number) => (number % 2 ? service.url : second.url))
  const streams = await Promise.all(urls.map((url) => watch(merchant, '', { url })))
  const refused = streams.filter(({ reply }) => reply.status === 429)
  expect(refused).toHaveLength(2)
  expect(Number(refused[0]?.reply.headers.get('retry-after'))).toBeGreaterThan(0)
  streams.find(({ reply }) => reply.status === 200)?.close()
  await expect.poll(async () => (await watch(merchant)).reply.status, { timeout: 10_000 }).toBe(200)
})

test('a client that has received no event resumes where its stream began: nothing that happened in between is missing', async () => {
  const merchant = await newMerchant(service)
  const before = await watch(merchant)
  await expect.poll(() => before.positions).toEqual(['start'])
  before.close()
  const one = await create(merchant)
  const again = await watch(merchant, '', { lastEventId: 'start' })
  await expect.poll(() => objects(again)).toEqual([one])
  again.close()

  // The stream of a later client begins after the newest event, whatever it filters.
  const later = await watch(merchant, '?types=onramp.created')
  await expect.poll(() => later.positions).toHaveLength(1)
  expect(later.positions).toEqual(again.received.map(({ id }) => id))
  later.close()
  const two = await create(merchant)
  const resumed = await watch(merchant, '', { lastEventId: later.positions[0] ?? '' })
  await expect.poll(() => objects(resumed)).toEqual([two])
})
