import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { expect, onTestFinished, test } from 'vitest'
import { s3Store } from './s3.ts'
import { digestOf } from './store.ts'

// The server is not ours: it computes signatures from what it receives, independently of the library that signs.
const access = { region: 'eu-west-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const signal = new AbortController().signal

async function server(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 's3-'))
  const options = { address: '127.0.0.1', port: 0, silent: true, directory }
  const s3 = new S3rver({ ...options, configureBuckets: [{ name: 'archive' }] })
  const { port } = await s3.run()
  onTestFinished(async () => {
    await s3.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return `http://127.0.0.1:${port}`
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
