import { type ServiceStand, startStand } from '@payments/stand'

export interface MeasuredService extends ServiceStand {
  /** One request: its duration in milliseconds, and the response. */
  timed(
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ ms: number; status: number; data: unknown }>
}

/** The whole service on an embedded database of its own, durable as in production, with rate limits disabled. */
export async function startMeasured({ worker }: { worker: boolean }): Promise<MeasuredService> {
  const stand = await startStand({}, worker)
  return {
    ...stand,
    async timed(method, path, body, token) {
      const started = performance.now()
      const reply = await fetch(`${stand.url}${path}`, {
        method,
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await reply.text()
      return { ms: performance.now() - started, status: reply.status, data: JSON.parse(text).data }
    },
  }
}
