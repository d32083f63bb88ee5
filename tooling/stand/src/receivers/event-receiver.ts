import { type Reply, startReceiver } from './receiver.ts'
import { isSigned } from './signature.ts'

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

const REPLIES: Readonly<Record<Behaviour, Reply>> = { accept: 204, cut: 'cut', fail: 500 }

/** A webhook receiver on loopback that checks signatures and keeps every body. */
export async function startEventReceiver(behave: () => Behaviour): Promise<EventReceiver> {
  const bodies = new Map<string, Set<string>>()
  const secrets = new Map<string, string>()
  const forged: string[] = []
  /** Ids of the objects that deliveries were about, and who waits for one. */
  const arrived = new Set<string>()
  const waiting = new Map<string, () => void>()
  let deliveries = 0
  const { origin, close } = await startReceiver({
    keeps: false,
    answer({ path, headers, body }) {
      const id = String(headers['webhook-id'])
      deliveries++
      const behaviour = behave()
      if (!isSigned(body, String(headers['x-service-signature']), secrets.get(path) ?? '')) forged.push(id)
      // A receiver that answers with an error has not taken the event.
      if (behaviour !== 'fail') {
        bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
        const about = (JSON.parse(body) as { data?: { id?: string } }).data?.id ?? ''
        arrived.add(about)
        waiting.get(about)?.()
      }
      return REPLIES[behaviour]
    },
  })
  return {
    origin,
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
    close,
  }
}
