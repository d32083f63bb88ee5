import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to one request on its way: to its answer, or before it reaches the service. */
export type Fault =
  | 'none'
  /** 429 with `Retry-After`; the request does not reach the service. */
  | 'limited'
  /** 503 with `Retry-After`, as a service that stops. */
  | 'unavailable'
  /** The page of a proxy that finds no service. */
  | 'bad-gateway'
  /** The connection ends before the request reaches the service. */
  | 'cut-before'
  /** The service has answered, and the connection ends before anything of it arrives. */
  | 'cut-after'
  /** Half of the answer arrives, and the connection breaks. */
  | 'truncated'
  /** Half of the answer arrives, as if that were all of it. */
  | 'halved'
  /** The service has answered, and the answer arrives as an internal error. */
  | 'error-after'
  /** The answer arrives after the client has given up. */
  | 'slow'

export interface FaultyProxy {
  readonly url: string
  /** How often each fault happened. */
  readonly happened: ReadonlyMap<Fault, number>
  close(): Promise<void>
}

interface Options {
  /** The service, without `/v1`. */
  readonly upstream: string
  readonly slowMs: number
  /** Chooses the fault of a request; `attempt` counts the requests with the same idempotency key. */
  choose(attempt: number): Fault
}

/** A proxy on loopback that fails in every way in which a network and a service fail. */
export async function startFaultyProxy({ upstream, slowMs, choose }: Options): Promise<FaultyProxy> {
  const happened = new Map<Fault, number>()
  const attempts = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((req, res) => {
    const key = String(req.headers['idempotency-key'])
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    const fault = choose(attempt)
    happened.set(fault, (happened.get(fault) ?? 0) + 1)
    if (fault === 'limited') return refuse(res, 429, 'Too many requests')
    if (fault === 'unavailable') return refuse(res, 503, 'The service is busy, please retry')
    if (fault === 'bad-gateway') return void res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>')
    if (fault === 'cut-before') return void req.socket.destroy()
    forward(req, upstream).then(
      ({ status, headers, body }) => {
        if (fault === 'cut-after') return req.socket.destroy()
        if (fault === 'error-after') return refuse(res, 500, 'Internal server error')
        if (fault === 'truncated') {
          res.writeHead(status, { ...headers, 'content-length': body.length })
          return void res.write(body.subarray(0, body.length / 2), () => req.socket.destroy())
        }
        const { 'content-length': _length, ...rest } = headers
        if (fault === 'halved') return void res.writeHead(status, rest).end(body.subarray(0, body.length / 2))
        if (fault === 'none') return void res.writeHead(status, rest).end(body)
        const timer = setTimeout(() => {
          timers.delete(timer)
          res.writeHead(status, rest).end(body)
        }, slowMs)
        timers.add(timer)
      },
      () => req.socket.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happened,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(res: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', ...(status === 500 ? {} : { 'retry-after': '0' }) }
  res.writeHead(status, headers).end(JSON.stringify({ status: 'error', message, data: null }))
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Buffer
}

/** Sends a request on, and returns the whole answer. @throws when there is none */
function forward(req: IncomingMessage, upstream: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { connection: _connection, host: _host, ...headers } = req.headers
    const out = request(`${upstream}${req.url}`, { method: req.method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const { connection: _own, 'transfer-encoding': _encoding, ...rest } = answer.headers
        resolve({ status: answer.statusCode ?? 502, headers: rest, body: Buffer.concat(chunks) })
      })
    })
    out.on('error', reject)
    req.pipe(out)
  })
}
