import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

/** How a receiver responds: a status, or more; `hang` never responds. */
export type Reply =
  | number
  | 'hang'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export interface Receiver {
  readonly origin: string
  readonly url: string
  readonly received: readonly Received[]
  /** Waits until `enough` is true of the received deliveries. */
  until(enough: (received: readonly Received[]) => boolean, timeoutMs?: number): Promise<readonly Received[]>
  close(): Promise<void>
}

export interface ReceiverOptions {
  readonly port?: number
  readonly answer?: (received: Received, count: number) => Reply
  /** PEM of a key and its certificate: HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A webhook receiver on loopback; `answer` decides the response to each delivery. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = []
  const watchers = new Set<() => void>()
  const listener: RequestListener = (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const one = { headers: req.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
      received.push(one)
      const reply = options.answer?.(one, received.length) ?? 200
      if (typeof reply === 'number') res.writeHead(reply).end()
      else if (reply !== 'hang') res.writeHead(reply.status, reply.headers).end(reply.body)
      for (const watcher of watchers) watcher()
    })
  }
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
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
