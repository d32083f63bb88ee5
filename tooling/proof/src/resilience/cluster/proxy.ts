import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const CHECK_MS = 100
/** Of a reply that the proxy made itself, because a gateway did not answer. */
export const LOST = 'x-proxy-lost'

export interface Backend {
  readonly url: string
  readonly internalUrl: string
}

/** A request that a gateway had accepted and did not answer. */
interface Lost {
  readonly backend: string
  readonly line: string
  readonly why: string
  /** When it was forwarded, epoch milliseconds. */
  readonly at: number
}

export interface LoadBalancer {
  readonly url: string
  readonly lost: readonly Lost[]
  /** Requests that each gateway answered. */
  readonly answered: ReadonlyMap<string, number>
  /** Sends nothing more to a gateway until `include`, and waits until it has answered what it has. */
  exclude(url: string): Promise<void>
  include(url: string): void
  close(): Promise<void>
}

/**
 * A load balancer: round robin over the gateways that say on `/readyz` that they are ready. A request is sent to another gateway
 * only when the connection was refused, because then it was certainly not executed.
 */
export async function startProxy(backends: () => readonly Backend[]): Promise<LoadBalancer> {
  const ready = new Set<string>()
  const excluded = new Set<string>()
  const open = new Map<string, number>()
  const lost: Lost[] = []
  const answered = new Map<string, number>()
  let turn = 0
  const check = async ({ url, internalUrl }: Backend) => {
    const answer = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
    if (answer?.ok) ready.add(url)
    else ready.delete(url)
  }
  const checks = setInterval(() => void Promise.all(backends().map(check)), CHECK_MS)
  await Promise.all(backends().map(check))

  /** Those that are ready, in turn, then the others: nothing is lost by trying them. */
  const inTurn = (): string[] => {
    const urls = backends()
      .map(({ url }) => url)
      .filter((url) => !excluded.has(url))
    const first = turn++ % Math.max(1, urls.length)
    const rotated = [...urls.slice(first), ...urls.slice(0, first)]
    return [...rotated.filter((url) => ready.has(url)), ...rotated.filter((url) => !ready.has(url))]
  }

  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => forward(req, res, Buffer.concat(chunks), inTurn()))
  })

  function forward(
    req: IncomingMessage,
    res: ServerResponse,
    body: Buffer,
    [backend, ...others]: readonly string[],
  ): void {
    const at = Date.now()
    const fail = (why: string) => {
      lost.push({ backend: backend ?? 'none', line: `${req.method} ${req.url}`, why, at })
      if (res.headersSent) res.destroy()
      else res.writeHead(502, { [LOST]: backend ?? 'none' }).end()
    }
    if (!backend) {
      fail('every gateway refused the connection')
      return
    }
    const { host, connection, ...headers } = req.headers
    open.set(backend, (open.get(backend) ?? 0) + 1)
    res.once('close', () => open.set(backend, (open.get(backend) ?? 1) - 1))
    const own = request(`${backend}${req.url}`, { method: req.method, headers, agent: false })
    own.on('response', (answer) => {
      answered.set(backend, (answered.get(backend) ?? 0) + 1)
      const { connection: _hop, 'transfer-encoding': _coding, ...forwarded } = answer.headers
      res.writeHead(answer.statusCode ?? 502, forwarded)
      answer.on('error', (error) => fail(error.message)).pipe(res)
    })
    own.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') forward(req, res, body, others)
      else if (!res.writableEnded) fail(error.message)
    })
    own.end(body)
  }

  // A client that waits for long on another connection must not meet the end of this one.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    answered,
    async exclude(url) {
      excluded.add(url)
      while ((open.get(url) ?? 0) > 0) await sleep(20)
    },
    include: (url) => void excluded.delete(url),
    close: () =>
      new Promise((resolve) => {
        clearInterval(checks)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
