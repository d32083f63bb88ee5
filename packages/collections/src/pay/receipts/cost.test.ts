import { pdf } from '@payments/pdf'
import { addressBlock } from '@payments/platform'
import { threadMetrics } from '@payments/threads'
import { expect, onTestFinished, test } from 'vitest'
import { call, newCollection, newMerchant, paySession, startSession, useService } from '#testing'
import { getSession, settle } from '../../../test/sessions.ts'

const service = useService({ settings: { TRUST_PROXY: '127.0.0.1' } })

async function paid(title = 'Order 1042') {
  const merchant = await newMerchant(service)
  const { id: link } = await newCollection(merchant, { title })
  const { id } = await startSession(service, link)
  await paySession(merchant, id)
  await settle(service, merchant)
  const { rows } = await service.runtime.pool.query<{ owner: string }>(
    'select organisation_id as owner from checkout_sessions where id = $1',
    [id],
  )
  return { merchant, link, id, owner: rows[0]?.owner ?? '' }
}

const receipt = (id: string, { lang = 'en', ...init }: RequestInit & { lang?: string } = {}) =>
  fetch(`${service.url}/pay/${id}/receipt.pdf?lang=${lang}`, init)
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())

test('a receipt that says the same is the same file, and a client that has it gets 304 until its money, its language or its merchant changes', async () => {
  const { merchant, id } = await paid()
  const first = await receipt(id)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')
  const has = { headers: { 'if-none-match': etag } }
  const same = await receipt(id, has)
  expect([same.status, (await bytesOf(same)).length, same.headers.get('etag')]).toEqual([304, 0, etag])
  const again = await receipt(id)
  expect(Buffer.compare(await bytesOf(again), await bytesOf(first))).toBe(0)
  const merchants = await fetch(`${service.url}/v1/collections/sessions/${id}/receipt.pdf?locale=en`, {
    headers: { ...has.headers, authorization: `Bearer ${merchant.key}` },
  })
  expect([merchants.status, merchants.headers.get('etag')]).toEqual([304, etag])
  expect((await receipt(id, { ...has, lang: 'de' })).status).toBe(200)
  await merchant.call('PATCH /v1/branding', { body: { displayName: 'Ada’s workshop' } })
  const changed = await receipt(id, has)
  expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false])
  const named = { headers: { 'if-none-match': changed.headers.get('etag') ?? '' } }
  expect((await receipt(id, named)).status).toBe(304)
  await paySession(merchant, id)
  await settle(service, merchant)
  expect((await getSession(merchant, id)).payments).toHaveLength(2)
  expect((await receipt(id, named)).status).toBe(200)
})

test('an invoice has an ETag, by GET and HEAD, and a client that has it gets 304', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, { type: 'invoice', amount: '10' })
  const invoice = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/v1/collections/${id}/invoice.pdf`, {
      ...{ method, headers: { authorization: `Bearer ${merchant.key}`, ...headers } },
    })
  const reply = await invoice('GET')
  const etag = reply.headers.get('etag') ?? ''
  expect((await bytesOf(reply)).subarray(0, 5).toString()).toBe('%PDF-')
  expect((await invoice('HEAD')).headers.get('etag')).toBe(etag)
  expect((await invoice('GET', { 'if-none-match': `W/"other", ${etag}` })).status).toBe(304)
})

test('a receipt counts as 25 views of a page, and those who ask for more than their share are refused', async () => {
  const { id } = await paid()
  const ip = '198.51.100.44'
  await call(service, `GET /pay/${id}/receipt.pdf`, { headers: { 'x-forwarded-for': ip } })
  const { rows } = await service.runtime.pool.query(
    'select bucket, count::int as count from rate_limits where subject = $1',
    [addressBlock(ip)],
  )
  expect(rows).toEqual([{ bucket: 'views', count: 25 }])
})

/** Documents of an owner that take more than a second each. */
function ask(owner: string, count: number, signal: AbortSignal) {
  const rows = Array.from({ length: 3000 }, (_, row) => [`${row} 收据 ${Math.sqrt(row)}`, String(row)])
  return Array.from({ length: count }, (_, number) =>
    pdf({ title: `${number}`, author: owner, createdAt: new Date(0) }, (page) => page.table(rows, [383, 100]), {
      ...{ owner, signal },
    }),
  )
}

test('while the documents of one organisation are made, every other request is answered, its receipts are refused as busy, and those of others come in turn', async () => {
  const [busy, other] = [await paid(), await paid('Order 7')]
  const left = new AbortController()
  let ended = 0
  const asked = ask(busy.owner, 21, left.signal).map((each) =>
    each
      .catch(() => undefined)
      .finally(() => {
        ended++
      }),
  )
  onTestFinished(async () => {
    left.abort()
    await Promise.all(asked)
  })
  const refused = await receipt(busy.id)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await refused.json()).message).toBe('The service is busy, please retry')
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      number % 2 === 0
        ? busy.merchant.call(`GET /v1/collections/${busy.link}`)
        : call(service, `GET /pay/${other.link}`),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
  expect((await receipt(other.id)).status).toBe(200)
  expect(ended).toBeLessThan(21)
})

test('a document that its client does not wait for any more is not begun', async () => {
  const { id, owner } = await paid()
  const held = new AbortController()
  const asked = ask(owner, 2, held.signal).map((each) => each.catch(() => undefined))
  const client = new AbortController()
  const left = receipt(id, { signal: client.signal })
  const waiting = async () =>
    (await threadMetrics.waiting.get()).values.find(({ labels }) => labels.pool === 'documents')?.value
  await expect.poll(waiting, { interval: 10 }).toBe(2)
  client.abort()
  await expect(left).rejects.toThrow('abort')
  await expect.poll(waiting, { interval: 10 }).toBeLessThan(2)
  held.abort()
  await Promise.all(asked)
})
