import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineErrors, invalid } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type HttpClient, httpClient } from './client.ts'
import { mapErrors, ProviderError } from './errors.ts'

/** What the server answers next; after that, 200 with `{"value":1}`. `silent`: nothing. */
type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'silent'
const replies: Reply[] = []
const seen: { readonly line: string; readonly key: string | undefined; readonly body: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    seen.push({ line: `${request.method} ${request.url}`, key: request.headers['x-key'] as string | undefined, body })
    const reply = replies.shift() ?? { status: 200 }
    if (reply !== 'silent') response.writeHead(reply.status, reply.headers).end(reply.body ?? '{"value":1}')
  })
})
const Shape = z.object({ value: z.number() })
const PAUSE = { status: 429, headers: { 'retry-after': '30' } }
const BROKEN = { status: 500 }

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  replies.length = 0
  seen.length = 0
})

const client = (given: Partial<Parameters<typeof httpClient>[0]> = {}): HttpClient =>
  httpClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    headers: { 'x-key': 'secret' },
    answerBytes: 1000,
    pauses: 'path',
    timeoutMs: 200,
    retryMs: 1,
    restMs: 100,
    ...given,
  })
const read = (http: HttpClient, path = '/one') => http.get(path, { a: 'b' }, Shape)
const write = (http: HttpClient, path = '/one') => http.post(path, { c: 1 }, Shape)

test('a call goes below the base address, with the key, and its answer has the shape', async () => {
  expect(await read(client())).toEqual({ value: 1 })
  await write(client())
  expect(seen).toEqual([
    { line: 'GET /api/one?a=b', key: 'secret', body: '' },
    { line: 'POST /api/one', key: 'secret', body: '{"c":1}' },
  ])
})

test('a read is repeated after a transient failure, what has an effect is sent once', async () => {
  replies.push(BROKEN, { status: 200, body: '{"other":1}' })
  expect(await read(client())).toEqual({ value: 1 })
  expect(seen).toHaveLength(3)
  replies.push(BROKEN)
  await expect(write(client())).rejects.toMatchObject({ kind: 'unavailable' })
  expect(seen).toHaveLength(4)
})

test.each<[string, Reply, object]>([
  ['no answer in time', 'silent', { kind: 'unavailable' }],
  ['an answer that is too long', { status: 200, body: JSON.stringify('x'.repeat(2000)) }, { kind: 'unavailable' }],
  ['a redirection', { status: 302, headers: { location: '/elsewhere' } }, { kind: 'unavailable' }],
  ['another shape', { status: 200, body: '[]' }, { kind: 'unreadable' }],
  ['no JSON', { status: 200, body: '<html>' }, { kind: 'unreadable' }],
  ['a refusal', { status: 400, body: '{"code":"NO"}' }, { kind: 'rejected', status: 400, body: { code: 'NO' } }],
])('%s is an error of its kind that does not contain the address', async (_case, reply, expected) => {
  replies.push(reply)
  const error: unknown = await write(client()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ProviderError)
  expect(error).toMatchObject(expected)
  const { message, cause } = error as Error
  expect(`${message} ${cause instanceof Error ? cause.message : ''}`).not.toContain('127.0.0.1')
})

test('after a 429 nothing is sent to its path until its pause is over; other paths are asked', async () => {
  const http = client()
  replies.push(PAUSE)
  await expect(write(http)).rejects.toMatchObject({ kind: 'limited', retryAfter: 30 })
  await expect(write(http)).rejects.toMatchObject({ kind: 'limited' })
  expect(seen).toHaveLength(1)
  expect(await write(http, '/two')).toEqual({ value: 1 })
})

test('where a provider counts all calls together, its 429 stops all of them', async () => {
  const http = client({ pauses: 'all' })
  replies.push(PAUSE)
  await expect(write(http)).rejects.toMatchObject({ kind: 'limited' })
  await expect(read(http, '/two')).rejects.toMatchObject({ kind: 'limited' })
  expect(seen).toHaveLength(1)
})

test.each<[string, Reply, number]>([
  ['names no time', { status: 429 }, 5],
  ['names a day', { status: 429, headers: { 'retry-after': '86400' } }, 60],
  ['names it in its own words', { status: 429, body: '{"wait":7}' }, 7],
])('the pause of a 429 that %s is bounded', async (_case, reply, seconds) => {
  replies.push(reply)
  const pauseOf = (body: unknown) => (body as { wait?: number }).wait
  await expect(write(client({ pauseOf }))).rejects.toMatchObject({ retryAfter: seconds })
})

test('eight failures in a row open the circuit breaker, until a call succeeds again; answers of another shape do not', async () => {
  const http = client()
  replies.push(...Array.from({ length: 20 }, () => ({ status: 200, body: '[]' })))
  for (let call = 0; call < 20; call++) await expect(write(http)).rejects.toMatchObject({ kind: 'unreadable' })
  expect(http.isAvailable()).toBe(true)
  replies.push(...Array.from({ length: 8 }, () => BROKEN))
  for (let call = 0; call < 8; call++) await expect(write(http)).rejects.toMatchObject({ kind: 'unavailable' })
  expect(http.isAvailable()).toBe(false)
  await expect(read(http)).rejects.toMatchObject({ name: 'Error' })
  expect(seen).toHaveLength(28)
  await expect.poll(() => read(http).catch(() => null), { timeout: 5000 }).toEqual({ value: 1 })
  expect(http.isAvailable()).toBe(true)
})

test('a call apart neither opens the circuit breaker nor waits for it, and has a deadline of its own', async () => {
  const http = client({ timeoutMs: 10_000 })
  const apart = () => http.postApart('/bank', {}, Shape, 50)
  replies.push('silent', ...Array.from({ length: 8 }, () => BROKEN))
  for (let call = 0; call < 9; call++) await expect(apart()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(http.isAvailable()).toBe(true)
})

const errors = defineErrors({
  away: { status: 503, message: 'The provider is not available' },
  failed: { status: 502, message: 'The provider failed' },
})
const mapped = (error: unknown) =>
  mapErrors(() => Promise.reject(error), {
    unavailable: errors.away,
    failed: errors.failed,
    rejected: ({ code }) => (code === 'AMOUNT' ? invalid({ amount: 'Too small' }) : undefined),
  }).catch((thrown: unknown) => thrown)

test.each<[ProviderError, object]>([
  [new ProviderError('unavailable', 'secret'), { status: 503, retryAfter: 5 }],
  [new ProviderError('limited', 'secret', { retryAfter: 9 }), { status: 503, retryAfter: 9 }],
  [new ProviderError('unreadable', 'secret'), { status: 502 }],
  [new ProviderError('rejected', 'secret', { code: 'OTHER' }), { status: 502 }],
  [new ProviderError('rejected', 'secret', { code: 'AMOUNT' }), { status: 422, fields: { amount: 'Too small' } }],
])('a merchant gets the error of the domain for $0.kind, with nothing of the provider: %#', async (error, expected) => {
  const thrown = (await mapped(error)) as Error
  expect(thrown).toMatchObject(expected)
  expect(thrown.message).not.toContain('secret')
})

test('a limit reaches the pause that all processes share, and an error that says it all stays', async () => {
  expect(await mapped(new ProviderError('limited', 'x', { retryAfter: 9 }))).toMatchObject({
    cause: { name: ProviderLimited.name, seconds: 9 },
  })
  const own = invalid({ name: 'Wrong' })
  expect(await mapped(own)).toBe(own)
  expect(await mapped(new TypeError('secret'))).toMatchObject({ status: 502 })
})
