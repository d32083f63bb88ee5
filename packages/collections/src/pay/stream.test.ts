import { Agent, get, type IncomingMessage } from 'node:http'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import {
  call,
  newCollection,
  newMerchant,
  pause,
  paySession,
  signedIn,
  sized,
  startSession,
  useService,
} from '#testing'
import { settle } from '../../test/sessions.ts'

// Before any connection is opened, since each keeps the function that it sends with.
const queries = vi.spyOn(Client.prototype, 'query')

const WATCHERS = sized(1000, 120)
const service = useService({ settings: { PAY_STREAMS_PER_ADDRESS: String(WATCHERS + 1) } })
const few = useService({ settings: { PAY_STREAMS_PER_ADDRESS: '2' } })
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

interface Watcher {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Ids and data of the events so far. */
  readonly events: { id: string; data: { status: string } }[]
  close(): void
}

/** Opens an event stream and waits for its first piece. */
function watch(url: string, id: string, headers: Record<string, string> = {}): Promise<Watcher> {
  return new Promise((resolve, reject) => {
    const sent = get(`${url}/v1/pay/${id}/stream`, { agent, headers }, (response) => {
      const events: Watcher['events'] = []
      const watcher = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        close: () => void sent.destroy(),
      }
      let text = ''
      response.setEncoding('utf8')
      response.on('error', () => undefined)
      response.on('data', (piece: string) => {
        text += piece
        const parts = text.split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) {
          const [, version, data] = part.match(/^id: (\d+)\nevent: page\ndata: (.*)$/) ?? []
          if (version && data) events.push({ id: version, data: JSON.parse(data) })
        }
        resolve(watcher)
      })
    })
    sent.on('error', reject)
  })
}

async function until(condition: () => boolean, ms: number): Promise<number> {
  const started = performance.now()
  while (!condition()) {
    if (performance.now() - started > ms) throw new Error('Not in time')
    await pause(10)
  }
  return performance.now() - started
}

const lastStatus = ({ events }: Watcher) => events.at(-1)?.data.status

test('statements do not grow with the watchers of a page, and a payment shows on all of them within a second', {
  timeout: 120_000,
}, async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, { type: 'checkout' })
  const session = await startSession(service, id)
  const quiet = async () => {
    const before = queries.mock.calls.length
    await pause(2000)
    return queries.mock.calls.length - before
  }
  const watchers = [await watch(service.url, id)]
  const ofOne = await quiet()
  while (watchers.length < WATCHERS)
    watchers.push(...(await Promise.all(Array.from({ length: 20 }, () => watch(service.url, id)))))
  await until(() => watchers.every((watcher) => lastStatus(watcher) === 'open'), 5000)
  // The job queue and the counters send a few statements of their own.
  expect(await quiet()).toBeLessThan(ofOne + 10)
  await paySession(merchant, session.id)
  await settle(service, merchant)
  const took = await until(() => watchers.every((watcher) => lastStatus(watcher) === 'paid'), 5000)
  expect(took).toBeLessThan(1000)
  for (const watcher of watchers) watcher.close()
})

test('a stream resumes after the last event that the client has, and sends the present state otherwise', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const session = await startSession(service, id)
  const first = await watch(service.url, session.id)
  await until(() => first.events.length === 1, 2000)
  first.close()
  const version = first.events[0]?.id ?? ''
  const resumed = await watch(service.url, session.id, { 'Last-Event-ID': version })
  await pause(700)
  expect(resumed.events).toEqual([])
  await paySession(merchant, session.id)
  await settle(service, merchant)
  await until(() => lastStatus(resumed) === 'paid', 3000)
  resumed.close()
  const late = await watch(service.url, session.id, { 'Last-Event-ID': version })
  await until(() => lastStatus(late) === 'paid', 2000)
  late.close()
})

test('event streams are readable from every origin, and limited for each client address', async () => {
  const merchant = await newMerchant(few)
  const { id } = await newCollection(merchant)
  const open = [await watch(few.url, id, { origin: 'https://shop.example' }), await watch(few.url, id)]
  expect(open[0]?.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'content-type': 'text/event-stream; charset=utf-8',
  })
  const refused = await call(few, `GET /v1/pay/${id}/stream`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  for (const watcher of open) watcher.close()
  await pause(300)
  expect((await watch(few.url, id)).status).toBe(200)
})

test('a stream of an unknown page is a 404, and over tRPC there are none', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  expect((await call(service, 'GET /v1/pay/unknown/stream')).status).toBe(404)
  const { accessToken: token } = await signedIn(service.runtime, {
    organisationId: merchant.organisationId,
    role: 'owner',
  })
  const input = encodeURIComponent(JSON.stringify({ collectionId: id }))
  expect((await call(service, `GET /trpc/pay.stream?input=${input}`, { token })).status).toBe(404)
})

test('who begins to watch a page that others watch already gets the present time', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const first = await watch(service.url, id)
  await expect.poll(() => first.events.length).toBe(1)
  await pause(50)
  const before = Date.now()
  const second = await watch(service.url, id)
  await expect.poll(() => second.events.length).toBe(1)
  const { serverTime = '' } = (second.events[0]?.data ?? {}) as { serverTime?: string }
  expect(Date.parse(serverTime)).toBeGreaterThanOrEqual(before - 1)
  first.close()
  second.close()
})
