import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newMerchant, useArtefact } from '#testing'
import { Payments, type WebhookEvent } from './index.ts'

const service = useArtefact()
const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const client = async () => new Payments({ url: service.url, apiKey: (await newMerchant(service)).key })
const swap = (payments: Payments) =>
  payments.swaps.create({ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '100', destinationAddress: WALLET })

test('a status is waited for, also when it was reached before the wait began', { timeout: 60_000 }, async () => {
  const payments = await client()
  const { id } = await swap(payments)
  const waiting = payments.waitFor({ id }, ['completed', 'failed'], { timeoutMs: 50_000 })
  await payments.sandbox.swaps.deposit(id)
  await payments.sandbox.advance({ seconds: 10 })
  expect((await waiting).status).toBe('completed')
  expect((await payments.waitFor({ id }, 'completed')).id).toBe(id)
  const timeout = payments.waitFor({ id }, 'cancelled', { timeoutMs: 1500 })
  await expect(timeout).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('completed') })
})

test('of two events of one millisecond the newer ends the wait', async () => {
  const at = '2026-01-31T12:00:00.000Z'
  const event = (id: string) => ({ kind: 'event', id, at, resourceId: 'swap' })
  const server = createServer(({ url = '' }, res) => {
    if (url.startsWith('/v1/events/stream')) return void res.write('id: 0\nretry: 2000\n\n')
    const data = url.startsWith('/v1/timeline/')
      ? { entries: [event('newer'), event('older')] }
      : { id: 'event', data: { id: 'swap', status: url.endsWith('/newer') ? 'completed' : 'processing' } }
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', message: '', data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const payments = new Payments({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'svc_test_key',
  })
  expect(await payments.waitFor({ id: 'swap' }, 'completed', { timeoutMs: 5000 })).toMatchObject({
    status: 'completed',
  })
})

test('what is waited for and does not exist ends the wait with its error', async () => {
  const payments = await client()
  const missing = payments.waitFor({ id: '01936f2a-7c1e-7000-8000-000000000099' }, 'completed', { timeoutMs: 20_000 })
  await expect(missing).rejects.toMatchObject({ code: 'timeline_not_found' })
})

test('no event is left out when the connection breaks before the first, between two, and in the middle of one', {
  timeout: 60_000,
}, async () => {
  const proxy = await cuttingProxy(service.url)
  onTestFinished(proxy.close)
  const { key } = await newMerchant(service)
  const own = new Payments({ url: service.url, apiKey: key })
  const through = new Payments({ url: proxy.url, apiKey: key })
  const received: WebhookEvent[] = []
  const stop = new AbortController()
  const reading = (async () => {
    for await (const event of through.streamEvents({ onConnected: proxy.connected }, { signal: stop.signal }))
      received.push(event)
  })().catch((error) => error)
  await proxy.connections(1)
  const created: string[] = []
  for (const cut of ['now', 'now', 'in the middle'] as const) {
    if (cut === 'now') proxy.cut()
    else proxy.cutInTheMiddle()
    created.push((await swap(own)).id)
  }
  await expect.poll(() => received.map(({ data }) => data.id), { timeout: 30_000 }).toEqual(created)
  stop.abort(new Error('Read enough'))
  expect((await reading).message).toBe('Read enough')
})

/** A proxy of event streams whose connections break when they are told to. */
async function cuttingProxy(upstream: string) {
  const open = new Set<() => void>()
  let connected = 0
  let inTheMiddle = false
  const server = createServer(async (req, res) => {
    const ending = new AbortController()
    const cut = () => {
      ending.abort()
      res.destroy()
    }
    open.add(cut)
    res.on('close', () => {
      open.delete(cut)
      ending.abort()
    })
    const headers = Object.fromEntries(
      ['authorization', 'last-event-id'].flatMap((name) =>
        req.headers[name] ? [[name, String(req.headers[name])]] : [],
      ),
    )
    try {
      const reply = await fetch(`${upstream}${req.url}`, { headers, signal: ending.signal })
      res.writeHead(reply.status, { 'content-type': 'text/event-stream' })
      for await (const chunk of reply.body ?? []) {
        const text = Buffer.from(chunk)
        if (inTheMiddle && text.includes('data: ')) {
          inTheMiddle = false
          res.write(text.subarray(0, text.length - 20), cut)
        } else res.write(text)
      }
    } catch {
      cut()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: () => void connected++,
    connections: (count: number) => expect.poll(() => connected, { timeout: 20_000 }).toBeGreaterThanOrEqual(count),
    cut: () => {
      for (const each of open) each()
    },
    cutInTheMiddle: () => {
      inTheMiddle = true
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
