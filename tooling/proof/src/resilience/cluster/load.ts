import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import { call, type Data, samples } from '@payments/stand'
import { LOST } from './proxy.ts'

export interface Tenant {
  readonly organisationId: string
  readonly key: string
}

/** What the clients saw since the start, or since the last `take`. */
export interface Seen {
  readonly requests: number
  /** Replies that were not what the request deserves, without those that the proxy lost. */
  readonly failures: readonly string[]
  /** Requests that the proxy lost. Each was sent again with its key. */
  readonly lost: number
  /** The longest wait for a reply, in milliseconds. */
  readonly slowestMs: number
  /** Requests that were refused with 503 and `Retry-After`, and sent again with their keys. Of a patient load. */
  readonly refused: number
  /** The longest time without an acknowledged write, in milliseconds. */
  readonly longestPauseMs: number
}

export interface Load {
  take(): Seen
  /** Ids of the customers and payment routes whose creation was acknowledged. */
  readonly acknowledged: { readonly customers: Set<string>; readonly routes: Set<string> }
  stop(): Promise<void>
}

const nothing = () => ({
  requests: 0,
  failures: [] as string[],
  lost: 0,
  slowestMs: 0,
  refused: 0,
  longestPauseMs: 0,
})
/** How long a patient client waits before it repeats a request. */
const PATIENT_MS = 200
/** How long requests are still repeated when the load is stopped. */
const LAST_MS = 30_000
/** Another client address for each request, so that the limit of one address does not end the load. */
const someAddress = (): string => `198.51.${randomBytes(1)[0]}.${randomBytes(1)[0]}`

/**
 * Clients that create and read, one request after another, each from the reply of the last. Patient ones repeat what is refused with 503
 * and `Retry-After`, as merchants are told to; for others a refusal is a failure.
 */
export function startLoad(url: string, tenants: readonly Tenant[], clients: number, patient = false): Load {
  const acknowledged = { customers: new Set<string>(), routes: new Set<string>() }
  let seen = nothing()
  let stopped = false
  /** Of the patience: a little after the load was stopped. */
  let end = Infinity
  let written = performance.now()
  const wrote = () => {
    const now = performance.now()
    seen.longestPauseMs = Math.max(seen.longestPauseMs, Math.round(now - written))
    written = now
  }

  /** A request with a definite reply. One that the proxy lost is sent again with the same key. */
  async function send(tenant: Tenant, line: string, status: number, body?: object): Promise<Data> {
    const key = newId()
    for (;;) {
      seen.requests++
      const from = performance.now()
      try {
        const headers = { 'x-forwarded-for': someAddress() }
        const answer = await call({ url }, line, { token: tenant.key, key, headers, body })
        seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - from))
        if (answer.headers.has(LOST)) {
          seen.lost++
          continue
        }
        if (answer.status === status) {
          if (status === 201) wrote()
          return answer.data
        }
        if (patient && answer.status === 503 && answer.headers.has('retry-after') && performance.now() < end) {
          seen.refused++
          await sleep(PATIENT_MS)
          continue
        }
        // The lease of a killed gateway: its request with this key has not ended, as far as anybody knows.
        if (answer.status === 409 && answer.text.includes('still in progress')) {
          await sleep(500)
          continue
        }
        seen.failures.push(`${line}: ${answer.status} ${answer.text.slice(0, 200)}`)
      } catch (error) {
        seen.failures.push(`${line}: ${(error as Error).message}`)
      }
      return undefined
    }
  }

  async function client(number: number): Promise<void> {
    const tenant = tenants[number % tenants.length] as Tenant
    while (!stopped) {
      const customer = await send(tenant, 'POST /v1/customers', 201, samples.customer.body())
      if (customer) {
        acknowledged.customers.add(customer.id)
        await send(tenant, `GET /v1/customers/${customer.id}`, 200)
      }
      await send(tenant, 'GET /v1/transactions', 200)
      const route = await send(tenant, 'POST /v1/payment-routes', 201, samples.route.body())
      if (route) {
        acknowledged.routes.add(route.id)
        await send(tenant, `GET /v1/payment-routes/${route.id}`, 200)
      }
      await sleep(5)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    take() {
      const taken = seen
      seen = nothing()
      return taken
    },
    acknowledged,
    async stop() {
      stopped = true
      end = performance.now() + LAST_MS
      await running
    },
  }
}
