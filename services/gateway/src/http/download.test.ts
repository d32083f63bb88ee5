import { PassThrough, pipeline, type Readable } from 'node:stream'
import { errors, system } from '@payments/kernel'
import { type CallContext, download as define, type Operation } from '@payments/platform'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { download } from './download.ts'

afterEach(() => vi.useRealTimers())

let aborted = false
const operationOf = (stream: () => AsyncIterable<string>): Operation => {
  const procedure = define({
    rest: 'GET /pieces',
    access: 'read',
    tag: 'Test',
    summary: 'Pieces',
    message: 'Pieces sent',
    input: z.strictObject({}),
    produces: 'event-stream',
    stream: (_context, _input, signal) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return stream()
    },
  })
  return (procedure._def as unknown as { meta: { operation: Operation } }).meta.operation
}
const call = {
  actor: system('00000000-0000-0000-0000-000000000001', 'test'),
  log: { warn: () => undefined },
} as unknown as CallContext
const executor = {
  execute: async (operation: Operation, own: CallContext) => ({
    data: operation.download?.stream({} as never, {} as never, own.signal as AbortSignal, own),
  }),
}

test('a stream whose credential is no longer valid gets no further piece, and ends within five seconds where there is none', async () => {
  vi.useFakeTimers()
  let valid = true
  const recheck = async () => {
    if (!valid) throw errors.invalid_api_key()
  }
  for (const every of [1000, 60_000]) {
    const endless = async function* () {
      for (let piece = 0; ; piece++) {
        yield `${piece}\n`
        await new Promise((resolve) => setTimeout(resolve, every))
      }
    }
    ;[valid, aborted] = [true, false]
    const body = (await download(executor, operationOf(endless), call, {}, { recheck })).body as Readable
    let pieces = 0
    const failed = new Promise<Error>((resolve) => body.on('error', resolve))
    body.on('data', () => pieces++)
    await vi.advanceTimersByTimeAsync(60_500)
    const seen = 1 + Math.floor(60_500 / every)
    expect(pieces).toBe(seen)
    valid = false
    await vi.advanceTimersByTimeAsync(5000)
    expect([pieces, aborted]).toEqual([seen, true])
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await failed).message).toBe('Invalid API key')
  }
})

test('a busy stream asks for its credential ten times a second, however many pieces it has', async () => {
  vi.useFakeTimers()
  let checks = 0
  const busy = async function* () {
    for (let piece = 0; piece < 1000; piece++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      yield `${piece}\n`
    }
  }
  const opening = download(executor, operationOf(busy), call, {}, { recheck: async () => void checks++ })
  await vi.advanceTimersByTimeAsync(1)
  ;((await opening).body as Readable).resume()
  await vi.advanceTimersByTimeAsync(1100)
  expect(checks).toBeGreaterThan(5)
  expect(checks).toBeLessThan(12)
})

test('an error before the first piece is thrown, so that it is sent in the envelope', async () => {
  const broken = async function* (): AsyncGenerator<string> {
    yield* []
    throw errors.busy()
  }
  await expect(download(executor, operationOf(broken), call, {}, { recheck: async () => undefined })).rejects.toThrow(
    'busy',
  )
})

test('a stream stops producing when the client disconnects', async () => {
  let produced = 0
  aborted = false
  const endless = async function* () {
    for (;;) {
      produced++
      yield 'x'.repeat(100_000)
    }
  }
  const { body } = await download(executor, operationOf(endless), call, {}, { recheck: async () => undefined })
  ;(body as Readable).destroy()
  await vi.waitFor(() => expect(aborted).toBe(true))
  const before = produced
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(produced).toBe(before)
})

test('a stream that waits for its next piece learns at once that the client has left', async () => {
  aborted = false
  const waiting = async function* () {
    yield 'first'
    await new Promise<void>(() => undefined)
  }
  const { body } = await download(executor, operationOf(waiting), call, {}, { recheck: undefined })
  for await (const piece of body) {
    expect(String(piece)).toBe('first')
    break
  }
  expect(aborted).toBe(true)
})

test('a request for the headers alone ends what it has begun, and has its errors', async () => {
  let ended = false
  const stream = async function* () {
    try {
      yield 'first'
      yield 'second'
    } finally {
      ended = true
    }
  }
  expect(
    (await download(executor, operationOf(stream), call, {}, { recheck: undefined, headersOnly: true })).body,
  ).toBe('')
  expect(ended).toBe(true)
  const failing = () => {
    throw new Error('not there')
  }
  await expect(
    download(executor, operationOf(failing), call, {}, { recheck: undefined, headersOnly: true }),
  ).rejects.toThrow('not there')
})

test('a client that leaves is no warning in the log, and a reply that breaks is one', async () => {
  const warned: string[] = []
  const noting = {
    ...call,
    log: { warn: ({ err }: { err: Error }) => warned.push(err.message) },
  } as unknown as CallContext
  const endless = async function* () {
    for (let piece = 0; ; piece++) {
      yield `${piece}\n`
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const breaking = async function* () {
    yield 'one'
    throw new Error('The disk is gone')
  }
  const sent = async (pieces: () => AsyncIterable<string>, leave: boolean) => {
    const { body } = await download(executor, operationOf(pieces), noting, {}, { recheck: undefined })
    const client = new PassThrough()
    if (leave) client.once('data', () => client.destroy())
    await new Promise<void>((resolve) => pipeline(body as Readable, client, () => resolve()).resume())
  }
  await sent(endless, true)
  await sent(breaking, false)
  expect(warned).toEqual(['The disk is gone'])
})
