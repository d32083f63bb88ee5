import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import type { Store } from './store.ts'

interface Access {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** An object has a few megabytes. */
const ANSWER_MS = 120_000
/** After an answer of 429 or 5xx; what a connection does not carry is tried again by the next run of the job. */
const RETRIES = 3

/**
 * A bucket of an S3-compatible store, which is named in the path, as every such store knows it. What is stored is what was sent: the
 * signature includes the SHA-256 of the body (AWS, Authenticating Requests: Using the Authorization Header).
 */
export function s3Store(url: string, { endpoint, region, accessKeyId, secretAccessKey }: Access): Store {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES })
  const base = `${endpoint}/${url.slice('s3://'.length)}`

  async function exchange(method: 'GET' | 'PUT', key: string, signal: AbortSignal, body?: Uint8Array<ArrayBuffer>) {
    const address = `${base}/${key}`
    const digest = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    try {
      return await client.fetch(address, {
        method,
        headers: { 'x-amz-content-sha256': digest },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        ...(body ? { body } : {}),
      })
    } catch (error) {
      const { message, cause } = error as Error
      const reason = cause instanceof Error ? cause.message : message
      throw new Error(`ARCHIVE_URL: ${method} ${address} failed (${reason})`, { cause: error })
    }
  }
  async function failure(method: string, key: string, reply: Response): Promise<Error> {
    const code = /<Code>(\w+)<\/Code>/.exec((await reply.text()).slice(0, 10_000))?.[1] ?? ''
    return new Error(`ARCHIVE_URL: ${method} ${base}/${key} was answered with ${[reply.status, code].join(' ').trim()}`)
  }

  return {
    url: `${url} at ${endpoint}`,
    async put(key, body, signal) {
      const reply = await exchange('PUT', key, signal, new Uint8Array(body))
      if (!reply.ok) throw await failure('PUT', key, reply)
      await reply.arrayBuffer()
    },
    async get(key, signal) {
      const reply = await exchange('GET', key, signal)
      if (reply.ok && reply.body) return reply.body
      const error = await failure('GET', key, reply)
      if (reply.status === 404 && !error.message.endsWith('NoSuchBucket')) return undefined
      throw error
    },
  }
}
