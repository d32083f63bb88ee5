import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import { type Answer, call, samples } from '@payments/stand'
import { LOST } from './proxy.ts'

export interface Tenant {
  readonly organisationId: string
  readonly key: string
  /** A customer with cNGN, where payouts are to be made, too. */
  readonly payer?: string
}

/** A creation that was acknowledged. */
interface Write {
  readonly tenant: Tenant
  readonly line: string
  readonly key: string
  readonly body: object
  readonly id: string
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
  readonly writes: readonly Write[]
}

export interface Load {
  take(): Seen
  /** Ids of the objects whose creation was acknowledged. */
  readonly acknowledged: Readonly<Record<'customers' | 'routes' | 'payouts', Set<string>>>
  /** How many these are. */
  writes(): number
  /** Sends creations again with their keys. A finding for each that is not answered with the same object. */
  repeat(writes: readonly Write[]): Promise<string[]>
  stop(): Promise<void>
}

const nothing = () => ({
  requests: 0,
  failures: [] as string[],
  lost: 0,
  slowestMs: 0,
  refused: 0,
  longestPauseMs: 0,
  writes: [] as Write[],
})
/** How long a patient client waits before it repeats a request. */
const PATIENT_MS = 200
/** How long requests are still repeated when the load is stopped. */
const LAST_MS = 30_000
/** So little that no balance ends. */
const PAYOUT_AMOUNT = '100'
/** Another client address for each request, so that the limit of one address does not end the load. */
const someAddress = (): string => `198.51.${randomBytes(1)[0]}.${randomBytes(1)[0]}`

/**
 * Clients that create and read, one request after another, each from the reply of the last. Patient ones repeat what is refused with 503
 * and `Retry-After`, as merchants are told to; for others a refusal is a failure.
 */
export function startLoad(url: string, tenants: readonly Tenant[], clients: number, patient = false): Load {
  const acknowledged = { customers: new Set<string>(), routes: new Set<string>(), payouts: new Set<string>() }
  for (const { payer } of tenants) if (payer) acknowledged.customers.add(payer)
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
  async function send(
    tenant: Tenant,
    line: string,
    { status = 200, body, key = newId() }: { status?: number; body?: object; key?: string } = {},
  ): Promise<Answer | undefined> {
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
        if (answer.status === status) return answer
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
        const { message, cause } = error as Error
        seen.failures.push(`${line}: ${message} (${(cause as Error | undefined)?.message})`)
      }
      return undefined
    }
  }

  async function create(tenant: Tenant, kind: keyof Load['acknowledged'], path: string, body: object): Promise<void> {
    const key = newId()
    const line = `POST ${path}`
    const answer = await send(tenant, line, { status: 201, body, key })
    if (!answer) return
    wrote()
    const { id } = answer.data
    acknowledged[kind].add(id)
    seen.writes.push({ tenant, line, key, body, id })
    await send(tenant, `GET ${path}/${id}`)
  }

  async function client(number: number): Promise<void> {
    const tenant = tenants[number % tenants.length] as Tenant
    const { customer, route, payout } = samples
    while (!stopped) {
      await create(tenant, 'customers', customer.path, customer.body())
      await send(tenant, 'GET /v1/transactions')
      await create(tenant, 'routes', route.path, route.body())
      if (tenant.payer) {
        const { payer: customerId } = tenant
        await create(tenant, 'payouts', payout.path, payout.body({ customerId, amount: PAYOUT_AMOUNT }))
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
    writes: () => Object.values(acknowledged).reduce((sum, { size }) => sum + size, 0),
    async repeat(writes) {
      const findings: string[] = []
      for (const { tenant, line, key, body, id } of writes) {
        const again = await send(tenant, line, { status: 201, body, key })
        if (again && !(again.replayed && again.data.id === id))
          findings.push(`${line} was acknowledged with ${id}, and repeated with ${again.data.id}`)
      }
      return findings
    },
    async stop() {
      stopped = true
      end = performance.now() + LAST_MS
      await running
    },
  }
}
