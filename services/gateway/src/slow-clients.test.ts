import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { call, connected, newMerchant, startService } from '#testing'

const BUNDLE = '/docs/swagger-ui-bundle.js'
const started: Awaited<ReturnType<typeof startService>>[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(started.splice(0).map((each) => each.stop()))
})

async function start(settings: Record<string, string> = {}) {
  const service = await startService({ settings })
  started.push(service)
  return service
}

/** A connection that sends this and reads nothing. `closed` resolves when the server ends it. */
function open(url: string, text = '') {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const opened = new Promise<void>((resolve) => socket.on('connect', () => resolve()))
  if (text) socket.write(text)
  socket.pause()
  return { socket, closed, opened }
}
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** `fetch` sends `Cache-Control: no-cache` with a condition, which browsers do not. */
const statusOf = (url: string, etag: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'if-none-match': etag } }, (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    }).on('error', reject)
  })

test('static files are one cached, compressed buffer with an ETag', async () => {
  const { url } = await start()
  const plain = await fetch(`${url}${BUNDLE}`, { headers: { 'accept-encoding': 'identity' } })
  const text = await plain.text()
  expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
    null,
    expect.stringContaining('Accept-Encoding'),
  ])
  const zipped = await fetch(`${url}${BUNDLE}`, { headers: { 'accept-encoding': 'gzip' } })
  expect([zipped.headers.get('content-encoding'), (await zipped.text()) === text]).toEqual(['gzip', true])
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(text.length / 3)
  for (const path of [BUNDLE, '/docs', '/v1/openapi.json']) {
    const etag = (await fetch(`${url}${path}`)).headers.get('etag') ?? ''
    expect(await statusOf(`${url}${path}`, etag)).toBe(304)
    expect(await statusOf(`${url}${path}`, '"other"')).toBe(200)
  }
})

test('clients that pipeline requests for large files and do not read them cost little memory, and are cut off', async () => {
  const { url } = await start({ STALLED_SECONDS: '1' })
  await (await fetch(`${url}${BUNDLE}`)).arrayBuffer()
  const before = process.memoryUsage().rss
  const slow = Array.from({ length: 10 }, () => open(url, request(BUNDLE).repeat(60)))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(150)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  // Cut off while they do not read; reading what is buffered then ends in a close instead of the rest of the replies.
  await new Promise((resolve) => setTimeout(resolve, 4000))
  for (const { socket } of slow) socket.resume()
  await Promise.all(slow.map(({ closed }) => closed))
})

test('a client that waits for its reply is not cut off, and one that does not send the rest of its request is', async () => {
  const service = await start({ STALLED_SECONDS: '1' })
  const { key } = await newMerchant(service)
  const client = await connected(service)
  try {
    await client.query('begin; lock table customers in access exclusive mode')
    // PostgreSQL waits for a lock for 5 s.
    expect((await call(service, 'GET /v1/customers', { token: key })).status).toBe(503)
  } finally {
    await client.end()
  }
  const headers = `Host: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: half\r\nContent-Length: 20`
  const half = open(service.url, `POST /v1/customers HTTP/1.1\r\n${headers}\r\n\r\n{`)
  let answer = ''
  half.socket.on('data', (data) => {
    answer += String(data)
  })
  half.socket.resume()
  await half.closed
  // After 30 s it would have got a 408.
  expect(answer).toBe('')
})

test('connections are limited per address and in total, and places become free when connections close', async () => {
  const { url } = await start({ CONNECTIONS_PER_ADDRESS: '5' })
  const held = Array.from({ length: 5 }, () => open(url))
  await Promise.all(held.map(({ opened }) => opened))
  const refused = open(url, request('/health'))
  refused.socket.resume()
  await refused.closed
  held[0]?.socket.destroy()
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200)

  const small = await start({ CONNECTIONS_TOTAL: '3' })
  const all = Array.from({ length: 3 }, () => open(small.url))
  await Promise.all(all.map(({ opened }) => opened))
  const beyond = open(small.url, request('/health'))
  beyond.socket.resume()
  await beyond.closed
})

test('a trusted proxy has no limit of connections of its own', async () => {
  const { url } = await start({ CONNECTIONS_PER_ADDRESS: '2', TRUST_PROXY: '127.0.0.1' })
  const held = Array.from({ length: 6 }, () => open(url))
  await Promise.all(held.map(({ opened }) => opened))
  expect((await fetch(`${url}/health`)).status).toBe(200)
})
