import { median, percentile } from '@payments/stand'
import { Pool } from 'undici'

/** One request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** A creation under an idempotency key. */
export const creation = (token: string, path: string, body: object, idempotencyKey: string): LoadRequest => ({
  method: 'POST',
  path,
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  },
  body: JSON.stringify(body),
})

export interface Result {
  /** Requests in a second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/**
 * Sends `count` requests over so many connections and measures from outside. `onReply` gets each reply, and costs its time.
 * @throws Error on the first answer that is not a success: a fast error is no result.
 */
export async function sendLoad(
  origin: string,
  count: number,
  request: (index: number) => LoadRequest,
  onReply?: (text: string) => void,
  connections = 16,
): Promise<Result> {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  let next = 0
  const started = performance.now()
  const lane = async () => {
    while (next < count) {
      const { method, path, headers, body } = request(next++)
      const began = performance.now()
      const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) })
      if (answer.statusCode >= 300)
        throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`)
      if (onReply) onReply(await answer.body.text())
      else await answer.body.dump({ limit: 10_000_000 })
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  return { rate: count / seconds, p50: median(times), p99: percentile(times, 0.99) }
}
