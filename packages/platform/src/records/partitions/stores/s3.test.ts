import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { OBJECT_STORE_KEYS, startObjectStore } from '#testing'
import { s3Store } from './s3.ts'
import { digestOf } from './store.ts'

const access = { region: 'eu-west-1', ...OBJECT_STORE_KEYS }
const signal = new AbortController().signal

async function server(): Promise<string> {
  const { endpoint, close } = await startObjectStore('archive')
  onTestFinished(close)
  return endpoint
}

test('an object is what was put, in a bucket and a folder of it, and is put again instead', async () => {
  const store = s3Store('s3://archive/payments/live', { ...access, endpoint: await server() })
  const body = Buffer.alloc(3_000_000, 'archived')
  expect(await digestOf(store, 'request_log/2026-11-23/00001.ndjson.gz', signal)).toBeUndefined()
  await store.put('request_log/2026-11-23/00001.ndjson.gz', Buffer.from('first'), signal)
  await store.put('request_log/2026-11-23/00001.ndjson.gz', body, signal)
  expect(await digestOf(store, 'request_log/2026-11-23/00001.ndjson.gz', signal)).toBe(
    createHash('sha256').update(body).digest('hex'),
  )
})

test('a wrong secret, a wrong key and a bucket that is not there are errors that name the setting and what the store answered', async () => {
  const endpoint = await server()
  const put = (url: string, more: Partial<typeof access> = {}) =>
    s3Store(url, { ...access, ...more, endpoint }).put('a', Buffer.from('b'), signal)
  const address = `${endpoint}/archive/a`
  await expect(put('s3://archive', { secretAccessKey: 'wrong' })).rejects.toThrow(
    `ARCHIVE_URL: PUT ${address} was answered with 403 SignatureDoesNotMatch`,
  )
  await expect(put('s3://archive', { accessKeyId: 'nobody' })).rejects.toThrow(
    `ARCHIVE_URL: PUT ${address} was answered with 403 InvalidAccessKeyId`,
  )
  const missing = s3Store('s3://missing', { ...access, endpoint })
  await expect(missing.put('a', Buffer.from('b'), signal)).rejects.toThrow('404 NoSuchBucket')
  await expect(missing.get('a', signal)).rejects.toThrow('404 NoSuchBucket')
})

test('a store that is overloaded is asked again, and one that is unreachable is an error', async () => {
  let asked = 0
  const busy = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(asked++ === 0 ? 503 : 200).end())
  })
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  const { port } = busy.address() as { port: number }
  const store = s3Store('s3://archive', { ...access, endpoint: `http://127.0.0.1:${port}` })
  await store.put('a', Buffer.from('b'), signal)
  expect(asked).toBe(2)
  await new Promise((resolve) => {
    busy.close(resolve)
    busy.closeAllConnections()
  })
  await expect(store.put('a', Buffer.from('b'), signal)).rejects.toThrow(
    /^ARCHIVE_URL: PUT http:.* failed \(connect ECONNREFUSED/,
  )
})
