import { AHEAD } from '../queue/fair-share.ts'
import { type DeliveryAttempt, FULL_SLOTS } from '../queue/queue.ts'

interface Endpoint {
  /** Claimed deliveries whose results are not written. */
  held: number
  sending: number
  quick: boolean
  /** The last claim took all that it might take, so there is more, presumably. */
  filled: boolean
  /** Claimed ahead: continues with whether it has a slot now, or is to be returned. */
  readonly waiting: { readonly id: string; readonly proceed: (hasSlot: boolean) => void }[]
  /** Those to be returned, until that is written: nothing later may start meanwhile, or it would start before them. */
  readonly returning: Set<string>
}

/**
 * The deliveries that a process has claimed, by endpoint. At most {@link FULL_SLOTS} of one endpoint are sent at a time, those that were
 * claimed ahead as others end. They are returned when an attempt fails or is slow, and when the process ends.
 */
export function createHeld() {
  const endpoints = new Map<string, Endpoint>()
  const claims = new Map<string, number>()
  let closed = false

  const of = (endpointId: string): Endpoint => {
    const known = endpoints.get(endpointId)
    const endpoint = known ?? { held: 0, sending: 0, quick: false, filled: false, waiting: [], returning: new Set() }
    if (!known) endpoints.set(endpointId, endpoint)
    return endpoint
  }

  function release(endpoint: Endpoint): void {
    const returned = closed || !endpoint.quick
    const next = endpoint.waiting.splice(0, returned ? Infinity : Math.max(0, FULL_SLOTS - endpoint.sending))
    if (!returned) endpoint.sending += next.length
    for (const { id, proceed } of next) {
      if (returned) endpoint.returning.add(id)
      proceed(!returned)
    }
  }

  return {
    /** The claims of the deliveries that are held. */
    claims: (): readonly string[] => [...claims.keys()],
    /** The endpoints that are claimed ahead, and how many deliveries of each are held. */
    ahead: (): ReadonlyMap<string, number> =>
      new Map(
        [...endpoints].flatMap(([id, { quick, filled, returning, held }]) =>
          quick && filled && returning.size === 0 ? [[id, held]] : [],
        ),
      ),
    /** Takes what one claim returned that was made `ahead` of these endpoints; without them, what a fan-out has claimed. */
    add(deliveries: readonly DeliveryAttempt[], ahead?: ReadonlyMap<string, unknown>): void {
      for (const { endpointId, claim } of deliveries) {
        of(endpointId).held++
        claims.set(claim, (claims.get(claim) ?? 0) + 1)
      }
      if (!ahead) return
      for (const [id, endpoint] of endpoints) {
        endpoint.filled = endpoint.held >= FULL_SLOTS + (ahead.has(id) ? AHEAD : 0)
        if (endpoint.held === 0) endpoints.delete(id)
      }
    },
    /** Waits for a slot of the endpoint. @returns false when the delivery is to be returned instead */
    async slot({ id, endpointId }: DeliveryAttempt): Promise<boolean> {
      if (closed) return false
      const endpoint = of(endpointId)
      // It was claimed while earlier ones were being returned.
      if (endpoint.returning.size > 0) {
        endpoint.returning.add(id)
        return false
      }
      if (endpoint.sending >= FULL_SLOTS) return new Promise((proceed) => endpoint.waiting.push({ id, proceed }))
      endpoint.sending++
      return true
    },
    /** An attempt has ended. While the last one was quick, the endpoint is claimed ahead. */
    sent({ endpointId }: DeliveryAttempt, quick: boolean): void {
      const endpoint = of(endpointId)
      endpoint.sending--
      endpoint.quick = quick
      release(endpoint)
    },
    /** The result is written, or given up. */
    remove({ id, endpointId, claim }: DeliveryAttempt): void {
      const endpoint = of(endpointId)
      endpoint.held--
      endpoint.returning.delete(id)
      const left = (claims.get(claim) ?? 0) - 1
      if (left > 0) claims.set(claim, left)
      else claims.delete(claim)
    },
    /** Nothing gets a slot any more. */
    close(): void {
      closed = true
      for (const endpoint of endpoints.values()) release(endpoint)
    },
  }
}
