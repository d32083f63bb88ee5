import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

export interface Receiver {
  readonly origin: string
  readonly url: string
  readonly received: readonly Received[]
  /** Waits until `enough` holds of what was received. */
  until(enough: (received: readonly Received[]) => boolean, timeoutMs?: number): Promise<readonly Received[]>
  close(): Promise<void>
}

/** A webhook receiver on loopback; `answer` decides the status of each delivery. */
export async function startReceiver(
  options: { port?: number; answer?: (received: Received, count: number) => number } = {},
): Promise<Receiver> {
  const received: Received[] = []
  const watchers = new Set<() => void>()
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const one = { headers: req.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
      received.push(one)
      res.statusCode = options.answer?.(one, received.length) ?? 200
      res.end()
      for (const watcher of watchers) watcher()
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/hooks`,
    received,
    until(enough, timeoutMs = 20_000) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!enough(received)) return
          clearTimeout(timer)
          watchers.delete(look)
          resolve(received)
        }
        const timer = setTimeout(() => {
          watchers.delete(look)
          reject(
            new Error(
              `Still waiting; received so far: ${received.map((one) => one.headers['x-service-event']).join(', ') || 'nothing'}`,
            ),
          )
        }, timeoutMs)
        watchers.add(look)
        look()
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
