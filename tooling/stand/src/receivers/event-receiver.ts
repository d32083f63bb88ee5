import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How one delivery is answered. `cut` closes the connection without an answer; what was sent counts as received. */
export type Behaviour = 'accept' | 'cut' | 'fail'

export interface EventReceiver {
  readonly origin: string
  /** Every different body of each event, by the event's id. One event has one body. */
  readonly bodies: ReadonlyMap<string, ReadonlySet<string>>
  /** Deliveries that were received, repeated ones too. */
  deliveries(): number
  /** Deliveries whose signature none of the endpoint's secrets made. */
  readonly forged: readonly string[]
  /** Waits for the first delivery about an object. @throws Error when there is none within the time */
  arrival(resourceId: string, patienceMs: number): Promise<void>
  /** The secret of the endpoint at a path. */
  expect(path: string, secret: string): void
  close(): Promise<void>
}

/** A webhook receiver on loopback that checks signatures and keeps every body. */
export async function startEventReceiver(behave: () => Behaviour): Promise<EventReceiver> {
  const bodies = new Map<string, Set<string>>()
  const secrets = new Map<string, string>()
  const forged: string[] = []
  /** Ids of the objects that deliveries were about, and who waits for one. */
  const arrived = new Set<string>()
  const waiting = new Map<string, () => void>()
  let deliveries = 0
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const id = String(req.headers['webhook-id'])
      deliveries++
      const behaviour = behave()
      if (!isSigned(body, String(req.headers['x-service-signature']), secrets.get(req.url ?? '') ?? '')) forged.push(id)
      // A receiver that answers with an error has not taken the event.
      if (behaviour !== 'fail') {
        bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
        const about = (JSON.parse(body) as { data?: { id?: string } }).data?.id ?? ''
        arrived.add(about)
        waiting.get(about)?.()
      }
      if (behaviour === 'cut') req.socket.destroy()
      else res.writeHead(behaviour === 'fail' ? 500 : 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    deliveries: () => deliveries,
    forged,
    arrival(resourceId, patienceMs) {
      if (arrived.has(resourceId)) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No event about ${resourceId} arrived`)), patienceMs)
        waiting.set(resourceId, () => {
          clearTimeout(timer)
          waiting.delete(resourceId)
          resolve()
        })
      })
    },
    expect: (path, secret) => void secrets.set(path, secret),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The documented check (specification, Events, Signature). */
function isSigned(body: string, header: string, secret: string): boolean {
  const parts = header.split(',').map((part) => part.split('=') as [string, string])
  const timestamp = parts.find(([name]) => name === 't')?.[1]
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest()
  return parts
    .filter(([name]) => name === 'v1')
    .some(([, value]) => {
      const given = Buffer.from(value, 'hex')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
